// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of NVIDIA GPUs: /cuda.
#pragma once

#include <string>
#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Loads `library`, NVML, when one of the counters is first listed or made.
///
/// NVML sorts GPUs by PCI bus and ignores CUDA_VISIBLE_DEVICES, so `device#1` may be another GPU
/// than CUDA's device 1. The values include the work of all programs on a GPU.
/// Cost:    one call of NVML per reading; loading starts NVML, which can take a second if no other
///          process uses the driver.
/// Threads: any; the first callers wait until NVML is loaded.
/// Errors:  `weft::error` by a counter's `make` if its name has parameters. Without a driver or a
///          GPU, `device#0` is listed and unavailable with the reason, until the process ends.
/// Source:  NVML API reference, docs.nvidia.com/deploy/nvml-api.
/// Example: tests/counters/nvml_families_test.cpp
[[nodiscard]] std::vector<counter_family> nvml_families(const std::string& library);

}  // namespace weft::counters::detail
