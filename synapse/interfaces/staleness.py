"""What every front end says of answers that may be older than the notes."""

from __future__ import annotations

from typing import Any

JsonMap = dict[str, Any]


def stale_notices(status: JsonMap, *, remark: str) -> list[JsonMap]:
    """A notice, ending in `remark`, when notes changed after they were last read, else nothing."""
    pending = status["pending"]
    if not pending:
        return []
    since = status.get("last_sync", "never")
    notes = "1 note looks" if pending == 1 else f"{pending:,} notes look"
    message = f"{notes} changed since the memory last read them ({since}); {remark}"
    return [{"code": "stale", "message": message}]
