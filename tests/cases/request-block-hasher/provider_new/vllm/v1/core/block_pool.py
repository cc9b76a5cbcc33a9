class BlockPool:
    def cache_full_blocks(self, request, num_full_blocks):
        assert len(request.block_hashes) >= num_full_blocks
