async def init_app_state(engine_client, state, args) -> None:
    state.args = args
