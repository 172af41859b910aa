// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the runtime and of the algorithms whose cache lines are counted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lab/scaling/line_directory.hpp"

namespace weft::lab::scaling {

/// The lines that some operations moved, in all threads together.
struct counted {
  std::uint64_t num_operations = 0;  // 0: the operation did not occur
  line_counts lines;
};

struct operation {
  std::string_view name;
  std::string_view counts;  // what is one operation
  /// Performs the operation on the default runtime, which has the workers to be counted.
  counted (*count)();
};

/// Returns all operations, in the order in which they are counted.
std::span<const operation> operations() noexcept;

}  // namespace weft::lab::scaling
