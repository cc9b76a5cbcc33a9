def create_causal_mask(config, inputs_embeds, attention_mask):
    return attention_mask
