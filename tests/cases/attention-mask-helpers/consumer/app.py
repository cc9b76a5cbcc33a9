from transformers.masking_utils import create_causal_mask  # ok: the new module
from transformers.modeling_attn_mask_utils import _prepare_4d_causal_attention_mask  # expect[attention-mask-helpers]

__all__ = ["_prepare_4d_causal_attention_mask", "create_causal_mask"]
