"""Data in the page: JSON, gzipped, in base64 (which holds no markup), one block for what is opened together."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

LEVEL = 9


def pack(data: Any) -> str:
    """JSON → gzip → base64, the same bytes every time. Halves of surrogate pairs travel as JSON escapes."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), LEVEL, mtime=0)).decode("ascii")


def unpack(text: str) -> Any:
    """The data of `pack`."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def island(id_: str, packed: str) -> str:
    """An element that browsers keep and do not run. `id_` is ours, `packed` is base64."""
    return f'<script type="text/plain" id="{id_}">{packed}</script>'
