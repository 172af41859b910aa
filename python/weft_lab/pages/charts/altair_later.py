# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""altair, imported at its first use: verbs that draw nothing start sooner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any member of the package
            import altair

            return getattr(altair, name)

    alt = _Later()

__all__ = ["alt"]
