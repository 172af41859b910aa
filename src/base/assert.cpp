// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handler of broken assertions.
#include "weft/base/assert.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace weft {
namespace {

void print_and_abort(const broken_assertion& broken) {
  std::fprintf(stderr,
               "%s:%u: %s: weft: %s (%s does not hold)\n",
               broken.where.file_name(),
               static_cast<unsigned>(broken.where.line()),
               broken.where.function_name(),
               broken.message,
               broken.condition);
  std::abort();
}

constinit std::atomic<assert_handler> current_handler{print_and_abort};

}  // namespace

assert_handler set_assert_handler(assert_handler handler) noexcept {
  return current_handler.exchange(handler != nullptr ? handler : print_and_abort);
}

namespace detail {

void report_broken_assertion(const char* condition,
                             const char* message,
                             const std::source_location& where) {
  current_handler.load()({.condition = condition, .message = message, .where = where});
}

}  // namespace detail
}  // namespace weft
