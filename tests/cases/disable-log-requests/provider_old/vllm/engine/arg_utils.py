from dataclasses import dataclass


@dataclass
class AsyncEngineArgs:
    model: str = ""
    disable_log_requests: bool = False
