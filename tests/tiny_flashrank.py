"""A cross-encoder small enough to check by hand, in the form of flashrank's models.

Its logit is the number of pairs of a query word and an equal passage word; words outside `WORDS` are equal to none.
flashrank turns the logit x into 1 / (1 + e^-x).
"""

from __future__ import annotations

import json
from pathlib import Path

from onnx import ModelProto, TensorProto, helper, save
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

MODEL = "ms-marco-TinyBERT-L-2-v2"
FILE = "flashrank-TinyBERT-L-2-v2.onnx"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = ("pump", "valve", "oil", "filter", "pressure")


def write_model(root: Path) -> Path:
    """Write the model where a workspace at `root` has it; returns its folder."""
    folder = root / "rerankers" / MODEL
    folder.mkdir(parents=True)
    save(_model(), folder / FILE)
    _tokenizer().save(str(folder / "tokenizer.json"))
    for name, content in {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 512, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]"},
    }.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    (folder / "vocab.txt").write_text("\n".join((*SPECIAL, *WORDS)), encoding="utf-8")
    return folder


def _tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    made = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


def _model() -> ModelProto:
    ids, mask, types = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    )
    node = helper.make_node
    nodes = [
        node("Greater", ["input_ids", "last_special"], ["is_word"]),
        node("Cast", ["is_word"], ["word"], to=TensorProto.INT64),
        node("Mul", ["word", "token_type_ids"], ["in_passage"]),
        node("Sub", ["word", "in_passage"], ["in_query"]),
        node("Unsqueeze", ["in_query", "last"], ["query_column"]),
        node("Unsqueeze", ["in_passage", "first"], ["passage_row"]),
        node("Mul", ["query_column", "passage_row"], ["pairs"]),
        node("Unsqueeze", ["input_ids", "last"], ["id_column"]),
        node("Unsqueeze", ["input_ids", "first"], ["id_row"]),
        node("Equal", ["id_column", "id_row"], ["equal"]),
        node("Cast", ["equal"], ["equals"], to=TensorProto.INT64),
        node("Mul", ["pairs", "equals"], ["hits"]),
        node("ReduceSum", ["hits", "both"], ["counts"], keepdims=0),
        node("Cast", ["counts"], ["count"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["count", "first"], ["logits"]),
    ]
    constants = {"last_special": [3], "first": [1], "last": [2], "both": [1, 2]}
    graph = helper.make_graph(
        nodes,
        "equal_words",
        [ids, mask, types],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        [helper.make_tensor(name, TensorProto.INT64, [len(value)], value) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
