"""Whether documents and cases still carry the tags that today's access rules would give them."""

from __future__ import annotations

from ragtester.access import is_fixture, tags_of, tags_of_user
from ragtester.records import Case, CaseRow, Document
from ragtester.searching.suite import Suite, case_files
from ragtester.settings import AccessSettings
from ragtester.storage import iter_rows

# Their cases have the users that the settings name; cases of others have those of the file they came from.
OWN = ("ragtester", "baseline")
TAGS = "tags of "
"""Begins the name of an input of a run's manifest: the tags of a document, in one text."""


def other_tags(suite: Suite, access: AccessSettings) -> str:
    """A note where `[access]` was changed after the cases were made; empty where it was not."""
    changed = next((one.id for one in suite.documents if _differs(suite, one, access)), "")
    if not changed:
        return ""
    return (
        f"the suite's tags were made with other [access] rules than today's (first: {changed}); "
        "run ragtester cases, which asks no model for that"
    )


def _differs(suite: Suite, document: Document, access: AccessSettings) -> bool:
    if is_fixture(document.tags):
        return False
    tags = tags_of(document.path, access.documents)
    if tags != document.tags:
        return True
    wanted = tags_of_user(document, access.user_tags)
    folders = [folder for folder in suite.folders if folder.name in OWN]
    # The cases of one file were all given their users at once.
    firsts = (
        next((row for row in iter_rows(path, CaseRow) if isinstance(row, Case)), None)
        for path in case_files(folders, document)
    )
    return any(case is not None and case.user_tags != wanted for case in firsts)
