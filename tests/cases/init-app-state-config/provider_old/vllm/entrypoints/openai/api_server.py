async def init_app_state(engine_client, vllm_config, state, args) -> None:
    state.args = args
