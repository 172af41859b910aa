// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts names of functions that run tasks to names that the user recognises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::counters::detail {

/// Returns "fib lambda#2" for weft::tasks::detail::forked<fib(int)::{lambda()#2}>::run_stolen(...).
///
/// Shape:   `function` is demangled, from any compiler's mangling.
/// Example: tests/counters/task_names_test.cpp.
[[nodiscard]] std::string task_name(std::string_view function);

/// Returns the task name for a mangled name. It comes from a file that user `named_by` named; none:
/// the calling user.
///
/// A name that cannot be demangled is returned unchanged. So is a name of more than 128 characters
/// from a user other than root and the calling one. Demangled, 200 characters can fill 100 MB.
[[nodiscard]] std::string task_name_of_symbol(const std::string& symbol,
                                              std::optional<std::uint64_t> named_by = std::nullopt);

}  // namespace weft::counters::detail
