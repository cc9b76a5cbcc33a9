from vllm.entrypoints.openai.api_server import init_app_state


async def start(engine, config, app, args):
    await init_app_state(engine, config, app.state, args)  # expect[init-app-state-config]


async def spread(engine, rest):
    await init_app_state(engine, *rest)  # ok: what is passed cannot be seen
