// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session asks the machine: tests plant another one.
#pragma once

#include <filesystem>

#include "counters/perf_kernel.hpp"

namespace weft::counters::detail {

struct environment {
  std::filesystem::path root = "/";  // folder that holds proc/ and sys/
  perf_kernel* kernel = &running_kernel();
};

}  // namespace weft::counters::detail
