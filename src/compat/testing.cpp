// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The failures of a test written for HPX.
#include <array>
#include <atomic>
#include <cstddef>
#include <iostream>
#include <ostream>
#include <source_location>
#include <sstream>
#include <string_view>

#include <hpx/modules/testing.hpp>

namespace hpx::util {

namespace detail {

namespace {
std::array<std::atomic<std::size_t>, 2> failures{};
}

void report_failure(std::ostream& out,
                    counter_type kind,
                    std::string_view what,
                    std::string_view values,
                    const std::source_location& where) {
  ++failures[static_cast<std::size_t>(kind)];
  std::ostringstream line;  // written in one call: several tasks may fail at the same time
  line << where.file_name() << '(' << where.line() << "): " << what << " failed in function '"
       << where.function_name() << '\'' << values << '\n';
  out << line.view() << std::flush;
}

std::size_t num_failures(counter_type kind) noexcept {
  return failures[static_cast<std::size_t>(kind)];
}

}  // namespace detail

int report_errors() { return report_errors(std::cerr); }

int report_errors(std::ostream& out) {
  const std::size_t num_sanity = detail::num_failures(counter_type::sanity);
  const std::size_t num_test = detail::num_failures(counter_type::test);
  if (num_sanity + num_test == 0) {
    return 0;
  }
  out << num_sanity << " sanity checks and " << num_test << " tests failed.\n";
  return 1;
}

}  // namespace hpx::util
