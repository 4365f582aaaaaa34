"""Writes a BERT of a few kilobytes as a GGUF file, small enough for a test and real enough to load."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gguf import GGUFWriter, PoolingType, TokenType

WORDS = [
    "router",
    "hall",
    "cat",
    "sleeps",
    "coffee",
    "machine",
    "tuesday",
    "friday",
    "trash",
    "note",
    "the",
    "in",
    "on",
    "stands",
    "kitchen",
]
DIMS = 32
_CONTEXT = 64


def write_tiny_bert(path: Path) -> Path:
    """One layer, random but fixed weights, a vocabulary of the letters and a few words."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens += [f"\u2581{word}" for word in WORDS]
    tokens += [f"\u2581{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789.,?!-"]
    tokens += list("abcdefghijklmnopqrstuvwxyz0123456789")
    kinds = [TokenType.CONTROL] * 5 + [TokenType.NORMAL] * (len(tokens) - 5)
    writer = GGUFWriter(str(path), "bert")
    writer.add_name("tiny")
    writer.add_context_length(_CONTEXT)
    writer.add_embedding_length(DIMS)
    writer.add_block_count(1)
    writer.add_feed_forward_length(2 * DIMS)
    writer.add_head_count(2)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)
    writer.add_file_type(0)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_type_count(2)
    writer.add_unk_token_id(1)
    writer.add_sep_token_id(3)
    writer.add_pad_token_id(0)
    writer.add_mask_token_id(4)
    writer.add_bos_token_id(2)
    for name, shape in _shapes(len(tokens)).items():
        writer.add_tensor(name, _weights(name, shape))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (vocabulary, DIMS),
        "position_embd.weight": (_CONTEXT, DIMS),
        "token_types.weight": (2, DIMS),
    }
    for norm in ("token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"):
        shapes |= {f"{norm}.weight": (DIMS,), f"{norm}.bias": (DIMS,)}
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        shapes |= {f"blk.0.{part}.weight": (DIMS, DIMS), f"blk.0.{part}.bias": (DIMS,)}
    shapes |= {"blk.0.ffn_up.weight": (2 * DIMS, DIMS), "blk.0.ffn_up.bias": (2 * DIMS,)}
    shapes |= {"blk.0.ffn_down.weight": (DIMS, 2 * DIMS), "blk.0.ffn_down.bias": (DIMS,)}
    return shapes


def _weights(name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name.endswith("norm.weight"):
        return np.ones(shape, dtype=np.float32)
    if name.endswith("bias"):
        return np.zeros(shape, dtype=np.float32)
    seed = sum(map(ord, name))
    scale = 1.0 if name == "token_embd.weight" else 0.05
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)
