// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of preconditions in debug builds, reported to a handler that the program may replace.
#pragma once

#include <source_location>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {

/// A precondition that a caller broke.
struct broken_assertion {
  const char* condition;
  const char* message;  // what, why, and what to do instead
  std::source_location where;
};

/// Called for a failed assertion. It may throw; if it returns, the program continues at its own
/// risk.
using assert_handler = void (*)(const broken_assertion&);

/// Installs `handler` and returns the one before. Null: the default, which prints and aborts.
///
/// Threads: any; affects the whole process.
/// Example: tests/base/assert_test.cpp: a_handler_may_throw.
assert_handler set_assert_handler(assert_handler handler) noexcept;

namespace detail {
[[gnu::cold]] void report_broken_assertion(
    const char* condition,
    const char* message,
    const std::source_location& where = std::source_location::current());
}

}  // namespace weft

// A macro, since a function would evaluate the condition where checks are off.
#if !defined(NDEBUG) || defined(WEFT_ENABLE_ASSERTIONS)
#define WEFT_ASSERTIONS_ENABLED 1
#define WEFT_ASSERT(condition, message)   \
  (static_cast<bool>(condition) ? void(0) \
                                : ::weft::detail::report_broken_assertion(#condition, message))
#else
#define WEFT_ASSERTIONS_ENABLED 0
#define WEFT_ASSERT(condition, message) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
