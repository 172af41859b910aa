// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of all counters.
#pragma once

#include <string>

#include "weft/counters/registry.hpp"

#include "counters/print/counter_options.hpp"

namespace weft::counters::detail {

/// Returns one name per line: each counter, or with `*` in place of the numbers of localities and
/// workers.
///
/// Example: tests/counters/list_text_test.cpp: a_short_list_has_stars_for_numbers.
[[nodiscard]] std::string list_text(const registry& from, list_extent extent);

/// Returns a paragraph per counter: name, meaning, kind and unit. Each counter without a value now
/// also has the reason.
[[nodiscard]] std::string list_infos_text(const registry& from, list_extent extent);

/// Returns the lists of this process's counters that `plan` asks for; empty: none.
[[nodiscard]] std::string lists_text(const counter_plan& plan);

}  // namespace weft::counters::detail
