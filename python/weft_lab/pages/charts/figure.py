# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A figure: a Vega-Lite specification that names its data, the data, and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft_lab.pages.table import Table

Rows = list[dict[str, Any]]
Spec = dict[str, Any]
CASE_PARAM = "selected_case"
STATIC_WIDTH_PX = 720


@dataclass(frozen=True)
class Figure:
    """A figure for the page and for files.

    `spec` shows one case at a time when `cases` is not empty; `overview` then shows all of them.
    Both refer to `datasets` by name, so that the page holds each only once.
    """

    name: str
    title: str
    short_title: str
    caption: str
    spec: Spec
    datasets: Mapping[str, Rows]
    table: Table
    command: str
    cases: tuple[str, ...] = ()
    overview: Spec | None = None

    @property
    def first_stem(self) -> str:
        """The file that represents the whole figure."""
        if not self.cases or self.overview:
            return self.name
        return f"{self.name}-{file_stem(self.cases[0])}"

    def static_specs(self) -> dict[str, Spec]:
        """Self-contained specifications by file stem: the overview, and one per case."""
        if not self.cases:
            return {self.name: self._with_data(self.spec)}
        specs = {self.name: self._with_data(self.overview)} if self.overview else {}
        for case in self.cases:
            specs[f"{self.name}-{file_stem(case)}"] = self._with_data(
                _select(self.spec, case), case
            )
        return specs

    def _with_data(self, spec: Spec, case: str | None = None) -> Spec:
        datasets = {
            name: [row for row in rows if case is None or row.get("case", case) == case]
            for name, rows in self.datasets.items()
        }
        width = {"width": STATIC_WIDTH_PX} if spec.get("width") == "container" else {}
        # Labels of every single mark would make the files several times larger.
        return {**spec, **width, "datasets": datasets, "config": {**spec["config"], "aria": False}}


def file_stem(case: str) -> str:
    """`for_each k_it=1000` as part of a file name."""
    return "".join(c if c.isalnum() or c == "_" else "-" for c in case).strip("-")


def _select(spec: Spec, case: str) -> Spec:
    params = [
        {**p, "value": case} if p.get("name") == CASE_PARAM else p for p in spec.get("params", [])
    ]
    return {**spec, "params": params, "title": {"text": case, **_subtitle(spec)}}


def _subtitle(spec: Spec) -> Spec:
    title = spec.get("title")
    return {"subtitle": title} if isinstance(title, str) else {}
