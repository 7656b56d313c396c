"""The file of an experiment: what it says, and every way in which it is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from ragtester.errors import UsageError
from ragtester.settings import IndexSettings, RetrievalSettings, Settings, load_settings, parse_settings
from ragtester.stages.experiment import Points, make_points, parse_experiment, read_experiment
from ragtester.stages.experiment.points import run_settings

SETTINGS = parse_settings(
    {"execute": {"run": "main", "groups": [{"llms": ["toy:a", "toy:b"], "embeddings": ["toy:words"]}]}}, "test"
)


def points(text: str, settings: Settings = SETTINGS) -> Points:
    return make_points(settings, parse_experiment(tomllib.loads(text), "file.toml"))


def refusal(text: str, settings: Settings = SETTINGS) -> str:
    with pytest.raises(UsageError) as caught:
        points(text, settings)
    return str(caught.value)


def variant(change: str, more: str = "", name: str = "v") -> str:
    return f'name = "x"\n{more}\n[[variants]]\nname = "{name}"\nchange = {{ {change} }}\n'


def test_a_variant_has_the_baselines_settings_but_one() -> None:
    found = points(
        'name = "x"\nk = 3\n[baseline]\n"execute.index.chunk_size" = 800\n'
        '[[variants]]\nname = "hybrid"\nchange = { "execute.retrieval.arms" = ["dense", "bm25"] }'
    )
    before, after = (point.settings.execute for point in found.points)
    assert (before.k, before.index.chunk_size, [arm.kind for arm in before.retrieval.arms]) == (3, 800, ["dense"])
    assert (after.k, after.index.chunk_size, [arm.kind for arm in after.retrieval.arms]) == (3, 800, ["dense", "bm25"])
    assert [point.label for point in found.points] == ["baseline × toy:words", "hybrid × toy:words"]


def test_settings_may_be_written_in_quotes_or_as_tables() -> None:
    quoted = points(variant('"execute.index.chunk_size" = 300'))
    nested = points(variant("execute.index.chunk_size = 300"))
    assert [point.identity for point in quoted.points] == [point.identity for point in nested.points]


def test_a_search_without_dense_arm_is_one_point_for_all_embedding_models() -> None:
    found = points(
        'name = "x"\nembeddings = ["toy:a", "toy:b"]\n'
        '[[variants]]\nname = "words"\nchange = { execute.retrieval.arms = ["bm25"] }'
    )
    assert [point.label for point in found.points] == ["baseline × toy:a", "baseline × toy:b", "words"]
    assert [(pair.before.embedding, pair.after.embedding) for pair in found.pairs] == [("toy:a", ""), ("toy:b", "")]


def test_a_baseline_without_dense_arm_keeps_its_embedding_models_for_the_variants() -> None:
    found = points(
        'name = "x"\nembeddings = ["toy:a", "toy:b"]\n[baseline]\nexecute.retrieval.arms = ["bm25"]\n'
        '[[variants]]\nname = "both"\nchange = { execute.retrieval.arms = ["bm25", "dense"] }\n'
        '[[variants]]\nname = "long"\nchange = { execute.index.chunk_size = 2000 }'
    )
    assert [point.label for point in found.points] == ["baseline", "both × toy:a", "both × toy:b", "long"]
    assert [pair.after.label for pair in found.pairs] == ["both × toy:a", "both × toy:b", "long"]


def test_a_grid_holds_every_combination_and_names_what_excludes_itself() -> None:
    found = points(
        'name = "x"\n[sweep]\nexecute.index.chunk_size = [100, 1000]\n'
        "execute.index.chunk_overlap = [50, 150]\nexecute.k = [2, 4]"
    )
    grid = [point.name for point in found.points if point.kind == "grid"]
    # 2 × 2 × 2 settings; an overlap of 150 does not fit 100 characters, and one point is the baseline itself.
    assert len(grid) == 8 - 2 - 1
    assert "chunk_size=100 chunk_overlap=50 k=2" in grid
    assert found.also == {"baseline × toy:words": "chunk_size=1000 chunk_overlap=150 k=4"}
    assert len(found.left_out) == 2
    assert "chunk_size=100 chunk_overlap=150 k=2" in found.left_out[0]


def test_variants_are_executed_under_run_names_of_their_own() -> None:
    found = points(variant('execute.retrieval.arms = ["bm25"]', "generate = true", name="words"))
    runs = run_settings(found, "x")
    assert [one.execute.run for one in runs] == ["main.x.baseline", "main.x.words"]
    assert [one.execute.groups[0].llms for one in runs] == [("toy:a", "toy:b")] * 2
    # A search by words alone is still asked under a system's name.
    assert [one.execute.groups[0].embeddings for one in runs] == [("toy:words",)] * 2
    assert runs[1].execute.retrieval.arms[0].kind == "bm25"


def test_names_of_settings_end_in_different_words() -> None:
    """A grid's points are named by the last part of each setting."""
    assert not IndexSettings.model_fields.keys() & RetrievalSettings.model_fields.keys()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name = "x"', "nothing to compare"),
        ('nam = "x"\n[sweep]\nexecute.k = [1]', "unknown key 'nam'; did you mean 'name'?"),
        ('name = "x"\nembedings = ["a"]\n[sweep]\nexecute.k = [1]', "did you mean 'embeddings'?"),
        ('name = ""\n[sweep]\nexecute.k = [1]', "a name has 1 to 80 characters"),
        ('name = "a\\nb"\n[sweep]\nexecute.k = [1]', "a name has 1 to 80 characters on one line"),
        ('name = "x"\nembeddings = ["a", "a"]\n[sweep]\nexecute.k = [1]', "names a model twice"),
        (variant("execute.index.chunksize = 300"), "did you mean 'execute.index.chunk_size'?"),
        (variant("chunk_size = 300"), "did you mean 'execute.index.chunk_size'?"),
        (variant("execute.index.chunk_size = 5"), "greater than or equal to 50 (given: 5)"),
        (variant("execute.index.chunk_overlap = 5000"), "chunk_overlap 5000 must be below 1000"),
        (variant("execute.k = 8"), "K is the same for all variants"),
        (variant('access.user_tags = ["a"]'), "access rules are the same for the whole experiment"),
        (variant('judge.model = "a"'), "judge.model cannot be changed"),
        (variant('execute.run = "a"'), "execute.run cannot be changed"),
        (variant('execute.technique = "a"'), "the cases are the same"),
        (variant("execute.groups = []"), 'the embedding model is changed with "embedding"'),
        (variant("execute.index.chunk_size = 1000"), "execute.index.chunk_size is what the baseline has already"),
        (variant('execute.retrieval.arms = ["dense"]'), "execute.retrieval.arms is what the baseline has already"),
        (variant('embedding = "toy:words"'), "embedding is what the baseline has already"),
        (variant("embedding = 3"), "embedding names one model"),
        (variant('embedding = "b"', 'embeddings = ["a", "c"]'), "the baseline has 2 of them (a, c)"),
        (variant("execute.index.chunk_size = 300, execute.index.chunk_overlap = 9"), "write combination = true"),
        (variant("execute.index.chunk_size = 300") + "combination = true", "is called a combination and changes one"),
        (variant("execute.index.window = 2", name="baseline"), "is the name of what they are compared with"),
        (
            variant("execute.index.window = 2") + '[[variants]]\nname = "v"\nchange = { execute.index.window = 3 }',
            "'v' stands twice",
        ),
        (
            variant("execute.index.window = 2") + '[[variants]]\nname = "w"\nchange = { execute.index.window = 2 }',
            "variant 'w': retrieves exactly as 'v' does",
        ),
        ('name = "x"\nk = true\n[sweep]\nexecute.k = [1]', "k: Input should be a valid integer"),
        (variant("execute.index.window = 2") + 'combination = "yes"', "combination: Input should be a valid boolean"),
        (variant("execute.index.window = 2", name="closed-book"), "ends as the controls without retrieval do"),
        ('name = "x"\nk = 3\n[baseline]\nexecute.k = 4\n[sweep]\nexecute.index.window = [2]', "keep one of them"),
        ('name = "x"\n[baseline]\nexecute.index.chunk_size = 5\n[sweep]\nexecute.k = [1]', "baseline: execute.index"),
        (
            'name = "x"\n[baseline]\n"execute.k" = 3\nexecute.k = 3\n[sweep]\nexecute.index.window = [2]',
            "baseline: execute stands twice",
        ),
        ('name = "x"\n[sweep]\nexecute.k = 4', "a list of values is wanted"),
        ('name = "x"\n[sweep]\nexecute.k = []', "a list of values is wanted"),
        ('name = "x"\n[sweep]\nexecute.k = [4, 4]', "names a value twice"),
        ('name = "x"\n[sweep]\nexecute.index.chunk_size = [5, 300]', "sweep: execute.index.chunk_size: Input should"),
        (
            'name = "x"\n[sweep]\nexecute.index.chunk_size = [60]\nexecute.index.chunk_overlap = [60]',
            "no setting of the grid can be",
        ),
        ('name = "x"\ngenerate = true\n[sweep]\nexecute.k = [1]', "generate goes with variants"),
        ('name = "x"\nembeddings = ["a"]\n[sweep]\nembedding = ["a", "b"]', "keep one of them"),
        (f'name = "x"\n[sweep]\nexecute.k = {list(range(1, 2002))}', "2001 points; 2000 at most"),
    ],
)
def test_refused(text: str, told: str) -> None:
    message = refusal(text)
    assert message.startswith("file.toml: ")
    assert told in message
    assert "\n" not in message


BOTH = '[baseline]\nexecute.retrieval.arms = [{ kind = "dense", fetch_k = 20 }, "bm25"]'


@pytest.mark.parametrize(
    ("arms", "more", "count"),
    [
        ('"dense", "bm25"', "", 1),
        ('"bm25"', "", 1),
        ('{ kind = "bm25", fetch_k = 9 }', "", 2),
        ('{ kind = "dense", fetch_k = 7 }', "", 1),
        ('{ kind = "dense", fetch_k = 7 }, { kind = "bm25", fetch_k = 7 }', "", 2),
        ('{ kind = "dense", fetch_k = 7 }, { kind = "bm25", fetch_k = 9 }', "", 3),
        (
            (
                '{ kind = "dense", fetch_k = 7, floor = 0.2, weight = 2 }, '
                '{ kind = "bm25", fetch_k = 9, floor = 0.1, weight = 3 }'
            ),
            "",
            # Three fields of the dense arm, the new arm, and three fields of it.
            7,
        ),
        ('{ kind = "dense", fetch_k = 20 }', BOTH, 1),
        ('"dense"', BOTH, 2),
        ('{ kind = "dense", fetch_k = 20 }, { kind = "bm25", weight = 2 }', BOTH, 1),
        ('{ kind = "dense", fetch_k = 20, floor = 0.1 }, { kind = "bm25", weight = 2 }', BOTH, 2),
        (
            '{ kind = "dense", fetch_k = 20 }, { kind = "bm25", fetch_k = 20 }',
            '[baseline]\nexecute.retrieval.arms = [{ kind = "dense", fetch_k = 20 }]',
            1,
        ),
    ],
)
def test_arms_are_compared_field_by_field(arms: str, more: str, count: int) -> None:
    text = variant(f"execute.retrieval.arms = [{arms}]", more)
    if count == 1:
        assert len(points(text).pairs) == 1
        assert "is called a combination and changes one" in refusal(text + "combination = true")
    else:
        assert f"changes {count} settings (execute.retrieval.arms." in refusal(text)
        assert len(points(text + "combination = true").pairs) == 1


def test_arms_in_another_order_are_no_change() -> None:
    text = variant('execute.retrieval.arms = ["bm25", { kind = "dense", fetch_k = 20 }]', BOTH)
    assert "execute.retrieval.arms is what the baseline has already" in refusal(text)


def test_each_filter_is_a_setting() -> None:
    assert "changes 2 settings" in refusal(variant('execute.retrieval.filters = { language = "en", format = "md" }'))
    assert len(points(variant('execute.retrieval.filters = { language = "en" }')).pairs) == 1


def test_a_variant_may_be_a_point_of_the_grid_and_is_measured_once() -> None:
    found = points(
        variant("execute.index.window = 2", name="window=2 k=4")
        + "[sweep]\nexecute.index.window = [2]\nexecute.k = [4, 5]"
    )
    assert [point.name for point in found.points] == ["baseline", "window=2 k=4", "window=2 k=5"]
    assert found.also == {"window=2 k=4 × toy:words": "window=2 k=4"}


def test_a_name_that_stands_for_two_settings_is_refused() -> None:
    text = variant("execute.index.window = 7", name="window=2") + "[sweep]\nexecute.index.window = [2, 3]"
    assert "'window=2 × toy:words' is the name of two settings" in refusal(text)


def test_all_faults_are_told_at_once() -> None:
    message = refusal(
        'name = "x"\nfoo = 1\n[[variants]]\nname = "a"\nchange = { execute.k = 2 }\n'
        '[[variants]]\nname = "b"\nchange = { judge.model = "m" }\n[sweep]\nexecute.k = 1\n'
    )
    for part in ("unknown key 'foo'", "variant 'a': K", "variant 'b': judge.model", "sweep.execute.k"):
        assert part in message


def test_faults_of_the_file_and_of_its_settings_are_told_at_once() -> None:
    message = refusal(
        'name = "x"\nk = "four"\nfoo = 1\n[baseline]\nexecute.index.chunk_size = 5\nexecute.index.window = 7\n'
        '[[variants]]\nname = "a"\nchange = { execute.index.chunk_size = 6 }\n'
        '[[variants]]\nname = "b"\nchange = { execute.index.chunksize = 300, execute.index.window = 2 }\n'
        '[[variants]]\nname = "c"\nchange = { execute.retrieval.rerank_k = -1 }\n'
        '[[variants]]\nname = "c"\nchange = { embedding = 3 }\n'
        "[sweep]\nexecute.k = [0, 4]\nexecute.retrieval.budget = 3\n"
    )
    for part in (
        "k: Input should be a valid integer",
        "unknown key 'foo'",
        "baseline: execute.index.chunk_size: Input should be greater than or equal to 50 (given: 5)",
        "variant 'a': execute.index.chunk_size: Input should be greater than or equal to 50 (given: 6)",
        "variant 'b': unknown setting 'execute.index.chunksize'",
        "variant 'b': changes 2 settings (execute.index.window, what is refused)",
        "variant 'c': execute.retrieval.rerank_k: Input should",
        "variants: 'c' stands twice",
        "variant 'c': embedding names one model",
        "sweep: execute.k: Input should",
        "sweep.execute.retrieval.budget: a list of values is wanted",
    ):
        assert part in message
    assert message.count("; ") == 12  # eleven faults, and two of the sentences hold a semicolon


def test_a_faulty_baseline_hides_no_fault_and_makes_none_up() -> None:
    # With the baseline's 2000 characters an overlap of 1500 would fit; that is not held against the variant.
    message = refusal(
        variant("execute.index.chunk_overlap = 1500", "[baseline]\nexecute.index = { chunk_size = 2000, window = -1 }")
    )
    assert message.startswith("file.toml: baseline: execute.index.window: ")
    assert "variant" not in message


def test_faults_of_settings_are_told_at_once() -> None:
    message = refusal(
        variant("execute.index.chunk_size = 5", name="a") + '[[variants]]\nname = "b"\nchange = { embedding = 1 }\n'
    )
    assert "variant 'a'" in message
    assert "variant 'b'" in message


@pytest.mark.parametrize(
    ("data", "told"), [(b"name = ", "not valid TOML"), (b"\xff", "not valid TOML"), (None, "cannot be read")]
)
def test_a_file_that_is_none(tmp_path: Path, data: bytes | None, told: str) -> None:
    path = tmp_path / "x.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError, match=told):
        read_experiment(path)


def test_a_dictionary_is_read_as_the_file_is() -> None:
    tree: dict[str, Any] = {"name": "x", "sweep": {"execute.k": [1, 2]}}
    assert parse_experiment(tree, "here").sweep == {"execute.k": (1, 2)}


@pytest.mark.parametrize("name", ["experiment", "sweep"])
def test_the_examples_are_experiments_with_the_sample(repository: Path, name: str) -> None:
    asked = read_experiment(repository / "docs" / "examples" / f"{name}.toml")
    found = make_points(load_settings(repository), asked)
    # The baseline of the sweep, under two embedding models, is no point of its grid.
    assert len(found.points) == {"experiment": 5, "sweep": 24 + 2}[name]
    assert not found.left_out


def test_the_file_in_the_documentation_is_one(repository: Path) -> None:
    page = (repository / "docs" / "experiments.md").read_text(encoding="utf-8")
    found = points(page.partition("```toml\n")[2].partition("```")[0].replace("generate = false", ""))
    assert [point.name for point in found.points[:3]] == ["baseline", "BM25 beside dense", "small chunks, both arms"]
