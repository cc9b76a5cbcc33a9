"""The outside -> uses: reads a consumer and says where it may touch a provider, without asking any."""
