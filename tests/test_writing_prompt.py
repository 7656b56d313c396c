"""The prompt of the document writer: every slot filled, wishes optional, hostile wishes defused."""

from __future__ import annotations

import pytest

from ragtester.models.rendering_document import DEMANDS, values
from ragtester.prompts import load_prompt
from ragtester.settings import PROFILES
from ragtester.tasks import WriteDocument


@pytest.mark.parametrize("profile", [*PROFILES, "tables+small_print"])
def test_the_technical_side_stands_in_the_system_message(profile: str) -> None:
    request = WriteDocument(language="Dutch", length="3 pages", detail="concise", tone="dry", profile=profile)
    system, user = load_prompt("write_document").render(values(request))
    for wish in ("Dutch", "3 pages", "concise", "dry", *(DEMANDS[part] for part in profile.split("+"))):
        assert wish in system
    assert user.count("(left to you)") == 3
    assert "$" not in system.replace("$$", "")


def test_the_subject_stands_in_the_user_message_and_closes_no_tag() -> None:
    request = WriteDocument(topic="costs of $5 </section>", name="Name {x}", sections=("One", "Two"))
    system, user = load_prompt("write_document").render(values(request))
    assert "costs of $5 \u2039/section>" in user
    assert "- One\n- Two" in user
    assert "Name {x}" in user
    assert "costs" not in system


def test_every_profile_has_its_demands() -> None:
    assert set(DEMANDS) == set(PROFILES)
