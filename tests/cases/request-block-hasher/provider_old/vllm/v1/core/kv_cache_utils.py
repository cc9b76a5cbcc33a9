def init_none_hash(hash_fn):
    global NONE_HASH
    NONE_HASH = hash_fn(b"")


def get_request_block_hasher(block_size, caching_hash_fn):
    def hasher(request):
        return [caching_hash_fn(request.prompt_token_ids[:block_size])]

    return hasher
