"""synapse: memory you can prove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synapse.memory import Memory, MemoryOptions

__all__ = ["Memory", "MemoryOptions"]


def __getattr__(name: str) -> Any:
    """The public names, imported when first used: `synapse --help` needs neither numpy nor the store."""
    if name in __all__:
        from synapse import memory  # noqa: PLC0415

        return getattr(memory, name)
    raise AttributeError(f"module 'synapse' has no attribute {name!r}")
