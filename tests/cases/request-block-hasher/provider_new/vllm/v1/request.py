class Request:
    def __init__(self, request_id, prompt_token_ids, block_hasher=None):
        self.request_id = request_id
        self.prompt_token_ids = prompt_token_ids
        self.block_hashes = []
        if block_hasher is not None:
            self.block_hashes = block_hasher(self)
