# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages and comments are in plain English."""

from __future__ import annotations

from pathlib import Path

import pytest
from weft_lab.checks import comments, prose

ROOT = Path(__file__).resolve().parents[2]
LONG = "A sentence of words" + " and words" * 14


def test_pages_are_in_plain_english() -> None:
    assert prose.violations(ROOT) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG}.",
        f"- {LONG}: `a b c`, [x](y).",
        f"| a | {LONG} |",
        "A thread that is no worker sleeps.",
        "It ends. Whoever waits goes on.",
        "Who joins while it holds a mutex waits.",
        "What is measured depends on the machine.",
        "To take them again: `./weft report`.",
    ],
)
def test_a_planted_sentence_is_found(text: str) -> None:
    assert len(prose.complaints(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{LONG} and more.\n```",
        "## What is measured",
        "Who waits? A task waits.",
        "A worker steals a task. `f` of weft's calls it, e.g. at once.",
        "One `" + "word " * 40 + "` of code.",
        f"- {LONG[:60]}\n- {LONG[:60]}\n- {LONG[:60]}",
    ],
)
def test_plain_text_is_accepted(text: str) -> None:
    assert prose.complaints(text) == []


def test_sentences_end_at_full_stops() -> None:
    text = "One (see [two](docs/two.md)). `Three` is code.\nweft is four! Of 1.5 s\n\n5. Five.\n"

    assert prose.sentences(text) == [
        "One (see two).",
        "§ is code.",
        "weft is four!",
        "Of 1.5 s",
        "Five.",
    ]


def test_a_planted_sentence_on_a_page_names_the_page(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Whoever waits goes on.\n")

    assert [message.split(":")[0] for message in prose.violations(tmp_path)] == ["README.md"]


def test_comments_are_in_plain_english() -> None:
    assert comments.violations(ROOT) == []


def test_paragraphs_of_comments_are_found() -> None:
    text = """// SPDX-License-Identifier: none
// What a file is
// for.
#include "a//b.hpp"

/// One sentence.
///
/// Cost: one step.
/// Source: somebody's paper
///         with a long name.
/// - An item,
///   continued.
int f();  // behind code
int g();  // another
const char* url = "http://x";  // NOLINT(a)
// NOLINTNEXTLINE(b)
// Last.
"""

    assert comments.comments(text) == [
        (2, "What a file is for."),
        (6, "One sentence."),
        (8, "Cost: one step."),
        (11, "- An item, continued."),
        (13, "behind code"),
        (14, "another"),
        (17, "Last."),
    ]


def test_a_planted_comment_is_found(tmp_path: Path) -> None:
    source = tmp_path / "src/tasks/scheduler/park.cpp"
    source.parent.mkdir(parents=True)
    source.write_text("// Sleeps.\nint x;  // Whoever waits.\n")

    assert comments.violations(tmp_path, "src/tasks") == [
        "src/tasks/scheduler/park.cpp:2: 'Whoever', better "
        "'name the subject: the caller, a worker, a user': Whoever waits.",
    ]
    assert comments.violations(tmp_path, "src/halo") == []
