// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of a runtime of which only the number of workers matters.
#pragma once

#include "weft/tasks/runtime_options.hpp"

namespace weft::test {

inline runtime_options with_workers(int count) {
  runtime_options options;
  options.workers = count;
  return options;
}

}  // namespace weft::test
