// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads cells, field by field, from text and from JSON lines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/harness/experiment.hpp"

namespace weft::lab {

/// Every field of a cell except `params`, under its name in docs/reference/records.md.
[[nodiscard]] std::span<const std::string> cell_field_names();

/// Sets one field from text: `set_field(what, "size", "2^20")`.
///
/// Errors:  `bad_cell` naming the field if it does not exist, or if `text` is not a valid value.
void set_field(cell& what, std::string_view field, std::string_view text);

/// Sets one problem parameter.
///
/// Errors:  `bad_cell("params", ...)` if `text` is not a whole number.
void set_param(cell& what, std::string_view name, std::string_view text);

/// Fills in the default of `threads`: all usable CPUs, or 1 for a serial backend.
[[nodiscard]] cell with_default_threads(cell asked, const suite& what, int cpus_usable);

/// Checks constraints between several fields.
///
/// Errors:  `bad_cell`.
void check_fields(const cell& what);

/// Reads one line of a stream. The fields read before an error are in `what`, so that the answer
/// can repeat them.
///
/// Unknown keys are ignored, as the contract requires, unless one is almost a field's name.
/// Errors:  `bad_cell`; its field is "line" if the line is not a JSON object.
void read_cell(std::string_view line, cell& what);

}  // namespace weft::lab
