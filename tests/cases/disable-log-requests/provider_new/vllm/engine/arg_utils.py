from dataclasses import dataclass


@dataclass
class AsyncEngineArgs:
    model: str = ""
    enable_log_requests: bool = False
