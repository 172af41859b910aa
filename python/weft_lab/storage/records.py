# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of bench programs; each field is defined once: its type, its schema, its meaning.

`python -m weft_lab.checks.records` writes `data/record.schema.json` and the table of fields in
docs/reference/records.md from these definitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from weft_lab.storage.cells import Cell

SCHEMA = 1
Schema = dict[str, Any]
Record = Mapping[str, Any]
STATUSES = ("ok", "wrong", "skipped", "error", "crashed", "hung")
CODES = (
    *("memory", "not_offered", "not_built", "missing_library", "no_smt", "too_few_cores"),
    *("budget", "unsupported"),
)

SHARED: Schema = {
    "seconds": {"type": "number", "minimum": 0},
    "seconds_or_unknown": {"type": ["number", "null"], "minimum": 0},
    "count": {"type": "integer", "minimum": 0},
    "count_or_unknown": {"type": ["integer", "null"], "minimum": 0},
    "text_by_name": {"type": "object", "additionalProperties": {"type": "string"}},
}


def ref(name: str) -> Schema:
    """A reference to another part of the schema."""
    return {"$ref": f"#/$defs/{name}"}


SECONDS, SECONDS_OR_UNKNOWN = ref("seconds"), ref("seconds_or_unknown")
COUNT, COUNT_OR_UNKNOWN = ref("count"), ref("count_or_unknown")
TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1}
TEXT_OR_UNKNOWN: Schema = {"type": ["string", "null"]}
NUMBER_OR_UNKNOWN: Schema = {"type": ["number", "null"]}
INTEGER: Schema = {"type": "integer"}
FROM_ONE: Schema = {"type": "integer", "minimum": 1}
TRUTH: Schema = {"type": "boolean"}
POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0}


KINDS: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "object": dict,
    "array": list,
}


def record_field(
    schema: Schema,
    meaning: str = "",
    *,
    default: Any = None,  # noqa: ANN401 - of the field's type
    may_lack: bool = False,
    row: str = "",
) -> Any:  # noqa: ANN401 - a dataclass field
    """A field of a record.

    `may_lack`: a record of its kind need not have it. `meaning`: its row in the table, whose title
    is `row` or its name. A reader uses `default` for an absent field.
    """
    about = {"schema": schema, "meaning": meaning, "may_lack": may_lack, "row": row}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Counter:
    """One counter of a cell. `value` is None if unavailable, and `reason` says why."""

    name: str = record_field(NAME, default="")
    unit: str = record_field(NAME, default="")
    value: float | None = record_field(
        NUMBER_OR_UNKNOWN,
        "null means unavailable, with `reason`; never 0 for unknown. `scale` > 1: the kernel "
        "multiplexed and the value is an estimate. `per`: `call` (the sum over the timed calls, "
        "shared out over them), `phase` (`run_delay`: the whole sampling phase, pauses included, "
        "not shared out) or `sample`",
        row="`counters[].value`",
    )
    per: str = record_field({"enum": ["call", "phase", "sample"]}, default="call", may_lack=True)
    values: tuple[float, ...] = record_field(
        {"type": "array", "items": {"type": "number"}, "minItems": 1},
        "only with `per: sample`: a number for each of `samples_s`, per call as these are; `value` "
        "is their median. See below",
        default=(),
        may_lack=True,
        row="`counters[].values`",
    )
    reason: str = record_field(TEXT, default="", may_lack=True)

    @classmethod
    def of(cls, row: Record) -> Counter:
        """The counter in the form of a record."""
        return cls(
            str(row["name"]),
            str(row.get("unit", "")),
            row.get("value"),
            str(row.get("per", "call")),
            tuple(row.get("values", ())),
            str(row.get("reason", "")),
        )


@dataclass(frozen=True)
class Parallelism:
    """Whether threads worked at the same time; None if unknown."""

    cpu_over_wall: float | None = record_field(NUMBER_OR_UNKNOWN)
    threads_active: int | None = record_field(COUNT_OR_UNKNOWN)
    sequential: bool | None = record_field({"type": ["boolean", "null"]})


@dataclass(frozen=True)
class Resources:
    """The process's memory. Units: bytes."""

    peak_rss_bytes: int | None = record_field(COUNT_OR_UNKNOWN)
    rss_growth_bytes: int | None = record_field({"type": ["integer", "null"]})


@dataclass(frozen=True)
class Timing:
    """The fields that only a verified and timed cell has. Units: in the names; times and counts per
    call."""

    samples_s: tuple[float, ...] = record_field(
        {"type": "array", "items": POSITIVE, "minItems": 1},
        "seconds per call, all raw samples in order: sample = elapsed / `calls_per_sample`",
        default=(),
    )
    calls_per_sample: int | None = record_field(FROM_ONE)
    phase_s: float | None = record_field(
        SECONDS,
        "from the first sample to the last, preparations and checks between them included: what "
        "`run_delay` is a part of",
        may_lack=True,
    )
    warmup_calls: int | None = record_field(COUNT)
    first_call_s: float | None = record_field(
        SECONDS,
        "the first timed call (the answer was checked by a call before it), never part of the "
        "samples",
    )
    cold_call_s: float | None = record_field(
        SECONDS,
        "suite `stl` only: the process's very first call of this problem and type, timed before "
        "the answer was checked; absent from all later cells of both",
        may_lack=True,
    )
    statistic: str = record_field({"enum": ["median", "mean"]}, default="median")
    statistic_s: float | None = record_field(POSITIVE)
    elements: int | None = record_field(FROM_ONE)
    bytes_min: int | None = record_field(
        COUNT,
        "the least bytes any implementation must move per call (for `find`: averaged over the "
        "searched positions); never traffic measured",
    )
    tasks: int | None = record_field(
        COUNT,
        "suites `tasks`, `inncabs` and `approaches` (units of an API), where the input determines "
        "it: how many tasks one call makes; core seconds per task are `statistic_s` x `threads` / "
        "`tasks`",
        may_lack=True,
    )
    nodes: int | None = record_field(
        COUNT,
        "suite `inncabs`, `floorplan`, `qap` and `uts` only: nodes of the tree that the last timed "
        "call visited; in the first two, which are searches, how many depends on the order of the "
        "tasks",
        may_lack=True,
    )
    scaled: str = record_field(
        TEXT,
        "only where the input is smaller than that of the study it is named after: what of it, and "
        "by how much",
        default="",
        may_lack=True,
    )
    fingerprint: str | None = record_field(
        NAME,
        "`taylor_deterministic` only: all digits of the sum, which no number of threads may change",
        may_lack=True,
    )
    oversubscribed: bool = record_field(TRUTH, default=False)
    parallelism: Parallelism = record_field(  # noqa: RUF009 - frozen
        ref("parallelism"),
        "measured in an untimed pass after the pool fell asleep: process CPU time over wall time, "
        "and how many threads used CPU. `sequential` is true when `threads` > 1 and all other "
        "threads slept through five looks; false when a second one ran for half of a look; null, "
        "with `reason`, when the pass was too short, workers never slept or the machine was too "
        "busy to tell",
        default=Parallelism(),
    )
    counters: tuple[Counter, ...] = record_field(
        {"type": "array", "items": ref("counter")},
        "suite `approaches`, problems about units of an API only: how often one call asked "
        "malloc and similar functions, and for how many bytes, including memory that was freed; "
        "counted in an untimed call "
        "after another, by all threads",
        default=(),
        row="`counters[]` `allocations`, `allocated`",
    )
    resources: Resources = record_field(ref("resources"), default=Resources())  # noqa: RUF009 - frozen
    started_unix_s: float | None = record_field(SECONDS)
    verify_s: float | None = record_field(SECONDS)
    setup_s: float | None = record_field(
        SECONDS,
        "what the cell took beside its samples: making the input, checking the answer, watching "
        "the threads; and all in all",
        row="`setup_s`, `verify_s`, `probe_s`, `wall_s`",
    )
    probe_s: float | None = record_field(SECONDS, may_lack=True)
    wall_s: float | None = record_field(SECONDS)

    @classmethod
    def of(cls, record: Record) -> Timing:
        """The fields in the form of a record."""
        values = {each.name: record[each.name] for each in fields(cls) if each.name in record}
        values["samples_s"] = tuple(values.get("samples_s", ()))
        values["counters"] = tuple(map(Counter.of, record.get("counters") or ()))
        for name, kind in (("parallelism", Parallelism), ("resources", Resources)):
            part = record.get(name) or {}
            values[name] = kind(**{each.name: part.get(each.name) for each in fields(kind)})
        return cls(**values)


@dataclass(frozen=True)
class Result:
    """The answer to one cell.

    The lab adds `launch`, `round`, `variant`, `suite`, `run_id` and `took_s`; `timing` is None
    unless the cell was timed. `code`, `remedy`: of a skipped cell.
    """

    cell: Cell
    timing: Timing | None = None
    backend: str = record_field(TEXT, default="")
    toolchain: str = record_field(TEXT, default="")
    status: str = record_field(
        {"enum": list(STATUSES)},
        "`ok`: verified and timed. `wrong`: the answer was wrong, `samples_s` is empty and "
        "`message` says where. `skipped`: not run, `code`, `message`, `remedy`. `error`: the cell "
        "itself is bad, `field`, `message`. The runner adds `crashed` and `hung`",
        default="ok",
    )
    message: str = record_field(TEXT, default="", may_lack=True)
    launch: int = record_field(FROM_ONE, default=0, may_lack=True)
    round: int = record_field(FROM_ONE, default=0, may_lack=True)
    variant: str = record_field(
        {"type": "string", "pattern": "^[^@]+@[^@#]+(#control)?$"}, default="", may_lack=True
    )
    suite: str = record_field(TEXT, default="stl", may_lack=True)
    run_id: str = record_field(TEXT, default="", may_lack=True)
    took_s: float = record_field(SECONDS, default=0.0, may_lack=True)
    code: str = ""
    remedy: str = ""
    oversubscribed: bool = False

    @classmethod
    def of(cls, record: Record) -> Result:
        """The record as the lab stored it; absent fields take their default."""
        suite = str(record.get("suite", "stl"))
        is_timed = record["status"] == "ok" and bool(record.get("samples_s"))
        return cls(
            Cell.from_dict(record["cell"], suite),
            Timing.of(record) if is_timed else None,
            backend=str(record.get("backend", "")),
            toolchain=str(record.get("toolchain", "")),
            status=str(record["status"]),
            message=str(record.get("message", "")),
            launch=int(record.get("launch", 0)),
            round=int(record.get("round", 0)),
            variant=str(record.get("variant", "")),
            suite=suite,
            run_id=str(record.get("run_id", "")),
            took_s=float(record.get("took_s", 0.0)),
            code=str(record.get("code", "")),
            remedy=str(record.get("remedy", "")),
            oversubscribed=bool(record.get("oversubscribed", False)),
        )


# The launches of `./weft bench`, whose programs are not bench programs.
COMMAND: Schema = {"const": "command"}
PROGRAM: Schema = {
    "program": NAME,
    "suite": NAME,
    "backend": NAME,
    "toolchain": NAME,
    "compiler": TEXT,
    "flags": TEXT,
    "libraries": ref("text_by_name"),
    "weft_version": TEXT,
    "git_commit": TEXT_OR_UNKNOWN,
    "executable_bytes": COUNT_OR_UNKNOWN,
    "pid": INTEGER,
    "cpus_usable": FROM_ONE,
    "cpus_source": TEXT,
    "timer_cost_s": SECONDS,
    "timer_resolution_s": SECONDS,
    "call_overhead_s": SECONDS_OR_UNKNOWN,
    "environment": {"type": "object", "additionalProperties": TEXT_OR_UNKNOWN},
    "problems": {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True},
}
CELL: Schema = {
    **{name: TEXT for name in ("id", "problem", "type")},
    **{name: INTEGER for name in ("size", "threads")},
    **{name: TEXT for name in ("allocator", "placement", "smt")},
    "params": {"type": "object", "additionalProperties": INTEGER},
    "seed": INTEGER,
    "protocol": TEXT,
}
TOOL_LAUNCH: Schema = {
    "run_id": NAME,
    "round": FROM_ONE,
    "problem": NAME,
    "runtime": NAME,
    "condition": NAME,
    "status": {
        "enum": [
            *("ok", "crashed", "failed", "wrong", "timeout", "memory", "threads", "disk"),
            "no_output",
        ]
    },
    "word": TEXT,
    "how": TEXT,
    "samples_s": {"type": "array", "items": SECONDS},
    "statistic_s": SECONDS_OR_UNKNOWN,
    "tasks": COUNT_OR_UNKNOWN,
    "tasks_started": COUNT_OR_UNKNOWN,
    "scaled": TEXT_OR_UNKNOWN,
    "command_s": SECONDS,
    "peak_rss_bytes": COUNT_OR_UNKNOWN,
    "output_bytes": COUNT,
    "last_lines": {"type": "array", "items": TEXT},
}


def schema() -> Schema:
    """The contract of a line, as JSON schema."""
    kinds = ("program", "result", "tool_launch")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        "title": "One line of a bench program, or of samples.jsonl (docs/reference/records.md)",
        "type": "object",
        "required": ["schema", "record"],
        "properties": {"schema": {"const": SCHEMA}, "record": {"enum": list(kinds)}},
        "oneOf": [ref(kind) for kind in kinds],
        "$defs": {
            **SHARED,
            "program": _kind("program", PROGRAM),
            "cell": {"type": "object", "required": ["problem"], "properties": CELL},
            "counter": {"type": "object", **_shape(Counter), **_of_counters()},
            "parallelism": {"type": "object", **_shape(Parallelism)},
            "resources": {"type": "object", **_shape(Resources)},
            "result": _result(),
            "timed": _shape(Timing),
            "command_timed": _command_timed(),
            "tool_launch": _kind("tool_launch", TOOL_LAUNCH),
        },
    }


def kinds(*names: str) -> dict[str, type | tuple[type, ...]]:
    """What Python reads a result's fields as."""
    known = {each.name: each.metadata["schema"] for each in fields(Timing)}
    known |= {each.name: each.metadata["schema"] for each in fields(Result) if each.metadata}
    parts = {f"#/$defs/{name}": part for name, part in SHARED.items()}
    return {
        name: KINDS[parts.get(known[name].get("$ref"), known[name]).get("type", default)]
        for name in names
        for default in ["string" if "enum" in known[name] else "object"]
    }


def _kind(record: str, properties: Schema) -> Schema:
    """A record that must have all its fields."""
    return {
        "required": list(properties),
        "properties": {"record": {"const": record}, **properties},
    }


def _shape(kind: type) -> Schema:
    own = [each for each in fields(kind) if "schema" in each.metadata]
    return {
        "required": [each.name for each in own if not each.metadata["may_lack"]],
        "properties": {each.name: each.metadata["schema"] for each in own},
    }


def _result() -> Schema:
    own = _shape(Result)
    failed = {"message": {"minLength": 1}, "samples_s": {"maxItems": 0}}
    return {
        "required": ["cell", *own["required"]],
        "properties": {
            "record": {"const": "result"},
            "cell": {"type": "object"},
            **own["properties"],
        },
        "allOf": [
            {
                "if": {"properties": {"status": {"const": "ok"}, "toolchain": {"not": COMMAND}}},
                "then": ref("timed"),
            },
            {
                "if": {"properties": {"status": {"const": "ok"}, "toolchain": COMMAND}},
                "then": ref("command_timed"),
            },
            {
                "if": _has("status", {"const": "skipped"}),
                "then": {
                    "required": ["code", "message", "remedy"],
                    "properties": {"code": {"enum": list(CODES)}, "message": {"minLength": 1}},
                },
            },
            {
                "if": _has("status", {"const": "error"}),
                "then": {"required": ["field", "message"]},
                "else": _has("cell", ref("cell")),
            },
            {
                "if": _has("status", {"enum": ["wrong", "crashed", "hung"]}),
                "then": {"required": ["message"], "properties": failed},
            },
        ],
    }


def _command_timed() -> Schema:
    """A launch of a command of the user has no calls, elements or least traffic."""
    whole = _shape(Timing)
    names = ("samples_s", "statistic", "statistic_s", "counters", "resources", "parallelism")
    numbers = {"type": "array", "items": SECONDS}
    own = {
        "floor_s": numbers,
        "metrics": {"type": "array", "items": {"required": ["name", "unit", "value"]}},
        "peak_rss_at_most_bytes": COUNT,
    }
    kept = ("elements", "bytes_min")
    properties = {name: part for name, part in whole["properties"].items() if name not in kept}
    return {"required": [*names, *own], "properties": {**properties, **own}}


def _of_counters() -> Schema:
    """A value, or the reason why there is none; numbers of samples only if there are samples."""
    no_values = _has("values", False)
    return {
        "if": _has("value", {"type": "null"}),
        "then": {
            "required": ["reason"],
            "properties": {"reason": {"minLength": 1}, "values": False},
        },
        "else": {
            "if": {"required": ["per"], **_has("per", {"const": "sample"})},
            "then": {"required": ["values"]},
            "else": no_values,
        },
    }


def _has(name: str, what: Schema | bool) -> Schema:
    return {"properties": {name: what}}


def table() -> list[str]:
    """The rows of the page's table of a result's fields, in the order of the page."""
    first = [each for each in fields(Result) if each.metadata.get("meaning")]
    timed: list[Field[Any]] = []
    for each in fields(Timing):
        counters = {one.name: one for one in fields(Counter)} if each.name == "counters" else {}
        timed += [counters["value"]] if counters else []
        timed += [each] if each.metadata["meaning"] else []
        timed += [counters["values"]] if counters else []
    rows = [
        (each.metadata["row"] or f"`{each.name}`", each.metadata["meaning"])
        for each in (*first, *timed)
    ]
    codes = ", ".join(f"`{code}`" for code in CODES)
    return [f"| {title} | {text} |" for title, text in (*rows, ("`code` of `skipped`", codes))]
