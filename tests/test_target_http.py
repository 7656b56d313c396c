"""An application over HTTP as the system under test: real requests to a server on the loopback that misbehaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtester.errors import UsageError
from ragtester.models.targets.template import Template
from ragtester.records import Answer, Case
from ragtester.searching import from_target
from ragtester.searching.from_target import NO_SCORES
from ragtester.settings import parse_settings
from ragtester.storage import read_rows, write_rows
from ragtester.tasks import AskTarget
from tests.servers.http import Response
from tests.servers.rag_app import GOOD, RagServer, typed
from tests.target_world import TargetWorld

EVENT = b"data: %s\n\n"
HOSTILE = 'He said "}], {{tags}} \\" \n\t\x1b ${jndi} \' -- \u2028 {"question": null} {{question}}'


def told(tmp_path: Path, server: RagServer, path: str = "/ask", **target: Any) -> Answer:
    """The row of the first case."""
    world = TargetWorld(tmp_path, {"name": f"{server.host}{path}", **target}, cases=1)
    world.go()
    return world.rows()[0]


def failure(row: Answer) -> tuple[str, str]:
    assert row.outcome == "failed" and row.failure
    return row.failure.type, row.failure.message


def ask_with(tmp_path: Path, question: str, tags: tuple[str, ...] = ()) -> TargetWorld:
    """A world whose only case asks `question`."""
    world = TargetWorld(tmp_path, {"name": "http://127.0.0.1:1"}, cases=1)
    path = world.workspace.cases_file("main", "ragtester", "manual-0")
    case: Case = read_rows(path, Case)[0]
    write_rows(path, [case.model_copy(update={"question": question, "user_tags": tags})])
    return world


def test_the_usual_request_and_reply(tmp_path: Path) -> None:
    with RagServer() as server:
        row = told(tmp_path, server)
    request = server.requests[0]
    assert (request.method, request.path) == ("POST", "/ask")
    assert request.body == {"question": "How many marks has the pump of manual-0, variant 0?", "tags": []}
    assert request.headers["content-type"] == "application/json"
    assert row.answer == "Three marks." and row.llm == f"{server.host}/ask" and row.trace
    assert row.cited == row.trace.context_ids == row.trace.gold_ids
    assert row.call and row.call.seconds is not None and row.call.attempts == 1


def test_a_template_with_the_question_in_quotes_and_without(tmp_path: Path) -> None:
    request = (
        '{"q": {{question}}, "as": "Answer: {{question}} ({{language}})", "who": "{{ tags }}", "n": [1, "{{tags}}"]}'
    )
    world = ask_with(tmp_path, HOSTILE, ("role:a", "tenant:b"))
    with RagServer() as server:
        world.set({"name": f"http:{server.host}/ask", "request": request})
        world.go()
    tags = ["role:a", "tenant:b"]
    assert server.requests[0].body == {"q": HOSTILE, "as": f"Answer: {HOSTILE} (en)", "who": tags, "n": [1, tags]}


@given(st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_no_question_leaves_its_place(question: str, tags: list[str]) -> None:
    template = Template.parse('{"a": {{question}}, "b": "x {{question}} y", "c": "{{tags}}", "d": {"e": 1}}')
    filled = template.fill(AskTarget(language="en", question=question, tags=tuple(tags)))
    assert filled == {"a": question, "b": f"x {question} y", "c": tags, "d": {"e": 1}}


def test_get_has_the_question_as_a_parameter(tmp_path: Path) -> None:
    world = ask_with(tmp_path, "a&b=c #d?", ("x", "y"))
    with RagServer() as server:
        url = f"{server.host}/ask?v=2"
        world.set({"name": url, "method": "GET", "request": '{"q": {{question}}, "tag": {{tags}}, "k": 4}'})
        world.go()
    request = server.requests[0]
    expected = [("v", "2"), ("q", "a&b=c #d?"), ("tag", "x"), ("tag", "y"), ("k", "4")]
    assert request.method == "GET" and parse_qsl(urlsplit(request.path).query) == expected
    assert world.rows()[0].outcome == "answered"


def test_headers_come_from_the_environment_and_are_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_TOKEN", "Bearer quite-private")
    with RagServer(lambda request: {"answer": f"You sent {request.headers['authorization']}.", "chunks": []}) as server:
        row = told(tmp_path, server, headers={"Authorization": "APP_TOKEN"})
    assert server.requests[0].headers["authorization"] == "Bearer quite-private"
    assert row.answer == "You sent [key]."
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"APP_TOKEN" in written and b"quite-private" not in written


def always(reply: Any) -> Callable[[Any], Any]:
    """The same reply to every request."""
    return lambda _: reply


@pytest.mark.parametrize("key", ["quite-private", 'quite"pri/vate'])
def test_a_key_without_the_word_before_it_is_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], key: str
) -> None:
    """Applications say "invalid token X" where "Bearer X" was sent, and JSON has its own way to write a quote."""
    monkeypatch.setenv("APP_TOKEN", f"Bearer {key}")
    for path, reply in (
        ("ask", {"answer": f"You sent {key}.", "chunks": [{"id": key, "text": key}], "about": {"model": key}}),
        ("refused", Response({"detail": f"invalid token: {key}"}, 401)),
        ("words", typed(f"You sent {key}".encode(), "text/plain")),
    ):
        with RagServer(always(reply)) as server:
            told(tmp_path / path, server, headers={"Authorization": "APP_TOKEN"})
        files = [one.read_text(encoding="utf-8") for one in (tmp_path / path).rglob("*.json*")]
        assert any("[key]" in text for text in files)
        assert not [text for text in files if key in text or json.dumps(key)[1:-1] in text]
    captured = capfd.readouterr()
    assert key not in captured.out + captured.err


@pytest.mark.parametrize("score", ["-1e400", "9" * 4000, "NaN", "Infinity"])
def test_a_score_that_is_no_number_is_not_told(tmp_path: Path, score: str) -> None:
    body = f'{{"answer": "A", "chunks": [{{"id": "a", "text": "T", "score": {score}}}]}}'
    with RagServer(lambda _: typed(body.encode(), "application/json")) as server:
        row = told(tmp_path, server)
    assert row.answer == "A" and row.trace
    assert NO_SCORES in row.trace.notes and [one.score for one in row.trace.retrieved] == [0.0]


def test_a_header_without_a_value_is_refused_before_anything_runs(tmp_path: Path) -> None:
    world = TargetWorld(tmp_path, {"name": "http://127.0.0.1:1/", "headers": {"X-Key": "NO_SUCH_VARIABLE"}})
    with pytest.raises(UsageError, match="X-Key needs a value: set NO_SUCH_VARIABLE"):
        world.go()
    assert not world.folder.exists()


@pytest.mark.parametrize(
    ("reply", "kind", "message", "requests"),
    [
        (
            typed(b"<html><body>Welcome</body></html>", "text/html; charset=utf-8"),
            "unparseable",
            "a web page (text/html)",
            1,
        ),
        (typed(b"<!DOCTYPE html><p>Log in", "application/json"), "unparseable", "a web page", 1),
        (typed(b'{"answer": "A"', "application/json"), "unparseable", "no JSON (application/json): {", 1),
        (typed(b"\x89PNG\r\n", "image/png"), "unparseable", "no JSON (image/png)", 1),
        (typed(b"", "application/json"), "empty", "empty reply", 1),
        (typed(b"<html>", "text/html; charset=undefined"), "unparseable", "a web page", 1),
        (Response(b"", 204), "empty", "empty reply", 1),
        ({"data": 1}, "unparseable", 'no answer at "answer"; the reply has: data', 1),
        ({"answer": {"text": "A"}}, "unparseable", 'at "answer" is an object, no text', 1),
        ([], "unparseable", "the reply is a list", 1),
        (typed(b"<html>boom</html>", "text/html", 500), "server_error", "HTTP 500: <html>boom</html>", 2),
        (Response({"detail": "no index"}, 503), "server_error", "HTTP 503: no index", 2),
        (Response({"detail": "slow down"}, 429, {"retry-after": "0"}), "rate_limited", "HTTP 429: slow down", 2),
        (Response({"detail": "who?"}, 401), "auth", "(mend: check target.headers", 1),
        (Response({"detail": "Not Found"}, 404), "unknown_model", "(mend: check the address in target.name)", 1),
        (Response({"detail": [{"loc": ["q"]}]}, 422), "bad_request", "HTTP 422", 1),
        (Response({"answer": "A" * 3000}), "too_long", "longer than 0.002 MB (target.max_reply_mb)", 1),
        (Response({"answer": "A" * 300}, cut=True), "transport", "", 2),
        (
            Response({}, 302, {"location": "http://127.0.0.1:9/login"}),
            "bad_request",
            "redirects to http://127.0.0.1:9",
            1,
        ),
        (
            Response({}, 302, {"location": "https://elsewhere.example/x"}),
            "bad_request",
            "redirects to https://elsew",
            1,
        ),
        (Response({}, 302, {"location": "file:///etc/passwd"}), "bad_request", "redirects to file://", 1),
        (Response({}, 303, {"location": "/page"}), "bad_request", "HTTP 303 redirects a POST to a page", 1),
        (Response({}, 307, {"location": "/ask"}), "bad_request", "more than 5 redirects", 6),
        (typed(b"data: [DONE]\n\n", "text/event-stream"), "empty", "empty reply", 1),
    ],
)
def test_what_goes_wrong_is_a_row(tmp_path: Path, reply: Any, kind: str, message: str, requests: int) -> None:
    def fresh(_: Any) -> Any:
        if not isinstance(reply, Response):
            return reply
        return Response(reply.body, reply.status, dict(reply.headers), cut=reply.cut)

    with RagServer(fresh) as server:
        row = told(tmp_path, server, max_reply_mb=0.002)
    found = failure(row)
    assert found[0] == kind and message in found[1] and "\n" not in found[1]
    assert len(server.requests) == requests


def test_nobody_listens(tmp_path: Path) -> None:
    with RagServer() as server:
        world = TargetWorld(tmp_path, {"name": f"{server.host}/ask"}, cases=1)
        world.go(max_calls=0)
    with pytest.raises(UsageError, match="Connection refused; start the application, or mend the address"):
        world.go()
    assert world.rows() == []


def test_what_stands_needs_nobody_to_listen(tmp_path: Path) -> None:
    with RagServer() as server:
        world = TargetWorld(tmp_path, {"name": f"{server.host}/ask"})
        world.go()
    assert world.go().ledger.ok == 4


def test_an_application_that_goes_away_costs_what_it_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RagServer() as server:
        host = server.host
    monkeypatch.setattr(from_target, "unreachable", lambda _: "")
    world = TargetWorld(tmp_path, {"name": f"{host}/ask"}, cases=1)
    world.go()
    kind, message = failure(world.rows()[0])
    assert kind == "transport" and "Cannot connect to host 127.0.0.1" in message


def test_a_target_that_hangs_is_given_up(tmp_path: Path) -> None:
    with RagServer(lambda request: Response(hang=True) if "valve" in request.body["question"] else GOOD) as server:
        target = {"name": f"{server.host}/ask"}
        world = TargetWorld(tmp_path, target)
        world.set(target, providers={"target": {"timeout_seconds": 0.3, "retries": 1}})
        result = world.go()
    rows = world.rows()
    assert [row.failure.type if row.failure else "" for row in rows] == ["", "timeout", "", ""]
    assert rows[1].call and rows[1].call.attempts == 2 and result.exit_code == 3


def test_what_failed_for_a_time_is_asked_again_by_the_next_start(tmp_path: Path) -> None:
    well = False
    with RagServer(lambda _: GOOD if well else Response({"detail": "warming up"}, 503)) as server:
        world = TargetWorld(tmp_path, {"name": f"{server.host}/ask"})
        assert world.go().ledger.failed == 4
        well = True
        assert world.go().ledger.ok == 4
        asked = len(server.requests)
        world.go()
    assert asked == len(server.requests) == 4 * 2 + 4


def test_a_wrong_address_stops_the_target_and_not_the_run(tmp_path: Path) -> None:
    with RagServer(lambda _: Response({"detail": "Not Found"}, 404)) as server:
        target = {"name": f"{server.host}/wrong"}
        world = TargetWorld(tmp_path, target)
        world.set(target, providers={"target": {"concurrency": 1, "retries": 0}})
        world.go()
    assert len(server.requests) == 1
    assert [failure(row)[0] for row in world.rows()] == ["unknown_model"] * 4


def test_redirects_on_the_same_host_keep_question_and_method(tmp_path: Path) -> None:
    def answer(request: Any) -> Any:
        return GOOD if request.path == "/ask/" else Response({}, 307, {"location": "/ask/"})

    with RagServer(answer) as server:
        row = told(tmp_path, server)
    assert row.outcome == "answered" and [one.path for one in server.requests] == ["/ask", "/ask/"]
    assert server.requests[1].method == "POST" and server.requests[1].body == server.requests[0].body


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (typed(b"Three marks.", "text/plain; charset=utf-8"), "Three marks."),
        (
            typed(EVENT % b"Three" + EVENT % b" marks." + EVENT % b"[DONE]" + EVENT % b"late", "text/event-stream"),
            "Three marks.",
        ),
        (
            typed(
                b': hello\r\n\r\nevent: token\r\ndata: {"answer": "Three"}\r\n\r\ndata: {"answer": " marks.",'
                b'\r\ndata: "chunks": []}\r\n\r\n',
                "text/event-stream",
            ),
            "Three marks.",
        ),
        (
            typed(b'{"answer": "Three"}\n\n{"answer": " marks.", "chunks": []}\n', "application/x-ndjson"),
            "Three marks.",
        ),
        (typed('{"answer": "Drei Größen"}'.encode("utf-8-sig"), "application/json"), "Drei Größen"),
        (typed("Drei Größen".encode("latin-1"), "text/plain; charset=iso-8859-1"), "Drei Größen"),
        (typed("Drei Größen".encode(), "text/plain; charset=no-such"), "Drei Größen"),
        (typed(b'{"answer": "A\\u0000\\ud83dB", "score": NaN}', ""), "AB"),
    ],
)
def test_streams_and_texts_are_collected(tmp_path: Path, reply: Response, answer: str) -> None:
    with RagServer(lambda _: reply) as server:
        row = told(tmp_path, server)
    assert row.answer == answer


def test_a_chat_endpoint(tmp_path: Path) -> None:
    def answer(request: Any) -> Any:
        context = [{"id": "a", "content": "the pump has 3 marks and the pump is checked each year.", "score": 1}]
        message = {"role": "assistant", "content": "Three marks.", "context": {"citations": context}}
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        return {"model": "served-2026-01-01", "choices": [{"message": message}], "usage": usage}

    with RagServer(answer) as server:
        name = f"chat:{server.host}/v1/chat/completions"
        world = TargetWorld(tmp_path, {"name": name, "model": "my-rag"}, cases=1)
        price = {"prompt_price": 2.0, "completion_price": 10.0}
        world.set({"name": name, "model": "my-rag"}, models={"my-rag": price})
        world.go()
    row = world.rows()[0]
    question = "How many marks has the pump of manual-0, variant 0?"
    assert server.requests[0].body == {"model": "my-rag", "messages": [{"role": "user", "content": question}]}
    assert row.llm == "my-rag" and row.answer == "Three marks." and row.trace
    assert row.trace.gold_ids == row.trace.context_ids
    call = row.call
    assert call and (call.served_model, call.prompt_tokens, call.completion_tokens) == ("served-2026-01-01", 100, 20)
    # 100 tokens at 2 and 20 at 10 dollars a million.
    assert call.cost == pytest.approx(100 * 2e-6 + 20 * 10e-6)


def test_a_chat_endpoint_that_streams(tmp_path: Path) -> None:
    deltas = [{"role": "assistant"}, {"content": "Three"}, {"content": " marks."}]
    pieces = [json.dumps({"model": "m-2026-01-01", "choices": [{"delta": one}]}).encode() for one in deltas]
    body = b"".join(EVENT % one for one in [*pieces, b"[DONE]"])
    with RagServer(lambda _: typed(body, "text/event-stream")) as server:
        world = TargetWorld(tmp_path, {"name": f"chat:{server.host}/v1"}, cases=1)
        world.go()
    assert world.rows()[0].answer == "Three marks."


def test_no_more_at_once_than_allowed(tmp_path: Path) -> None:
    with RagServer(latency=0.02) as server:
        target = {"name": f"{server.host}/ask"}
        world = TargetWorld(tmp_path, target, documents=3)
        world.set(target, providers={"target": {"concurrency": 2}})
        world.go()
    assert len(server.requests) == 12 and server.most_running <= 2


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"name": "ftp://x/y"}, "is no target; write"),
        ({"name": "http:"}, "is no target; write"),
        ({"name": "http:somewhere"}, "a URL is wanted, as in http:http://127.0.0.1:8000/ask"),
        ({"name": "chat:http://h:99999/"}, "a URL is wanted"),
        ({"name": "http://user:secret@host/ask"}, "name holds a key or password"),
        ({"name": "http://host/ask?api_key=1"}, "name holds a key or password"),
        ({"name": "http://host/", "request": '{"api_key": "1", "q": {{question}}}'}, "request holds a key or password"),
        ({"name": "http://host/", "headers": {"X Y": "V"}}, "'X Y' is no name of an HTTP header"),
        ({"name": "http://host/", "headers": {"X": "Bearer abc"}}, "write the name of the environment variable"),
        ({"name": "http://host/", "chunk": "hits"}, "chunk"),
    ],
)
def test_settings_that_cannot_work(target: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_settings({"target": target}, "test")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"request": '{"q": {{question}'}, "target.request: no JSON"),
        ({"request": '{"q": {{question}}, "x": {{user}}}'}, "{{user}} is no slot; there are {{question}}"),
        ({"request": '{"q": "what?"}'}, "it has no {{question}}"),
        ({"method": "GET", "request": '{"q": {"text": {{question}}}}'}, "a query parameter cannot be nested"),
        ({"method": "GET", "request": "[{{question}}]"}, "an object of query parameters"),
    ],
)
def test_templates_that_cannot_work_are_refused_before_anything_runs(
    tmp_path: Path, target: dict[str, Any], message: str
) -> None:
    world = TargetWorld(tmp_path, {"name": "http://127.0.0.1:1/", **target})
    with pytest.raises(UsageError) as caught:
        world.go()
    assert message in str(caught.value) and not world.folder.exists()
