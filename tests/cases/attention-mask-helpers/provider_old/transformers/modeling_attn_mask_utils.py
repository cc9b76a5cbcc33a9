def _prepare_4d_causal_attention_mask(attention_mask, shape, embeds, past):
    return attention_mask
