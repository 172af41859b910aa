// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the instruction set of kernels, both Highway's and hand-written ones, by common names.
#include "algorithms/kernel_choice.hpp"

#include <atomic>
#include <string>
#include <vector>

#if defined(WEFT_HAS_HIGHWAY)
#include <cstdint>

#include <hwy/targets.h>
#endif

namespace weft::algorithms::detail {

constinit std::atomic<compress_kernel> chosen_compress_kernel{compress_kernel::unknown};

namespace {

/// By Highway's names: its AVX3 is AVX-512.
compress_kernel compress_kernel_of(const std::string& name) noexcept {
  if (name.starts_with("AVX3")) {
    return compress_kernel::avx512;
  }
  return name == "AVX2" ? compress_kernel::avx2 : compress_kernel::plain;
}

}  // namespace

#if defined(WEFT_HAS_HIGHWAY)

std::vector<std::string> kernel_targets() {
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

void use_kernel_target(const std::string& name) {
  std::int64_t wanted = 0;  // none: no test has chosen; all targets are allowed
  hwy::SetSupportedTargetsForTest(0);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) {
      wanted = target;
    }
  }
  hwy::SetSupportedTargetsForTest(wanted);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  chosen_compress_kernel.store(name.empty() ? best_compress_kernel() : compress_kernel_of(name),
                               std::memory_order_relaxed);
}

#else

std::vector<std::string> kernel_targets() {
  switch (best_compress_kernel()) {
    case compress_kernel::avx512:
      return {"AVX3", "AVX2", "plain"};
    case compress_kernel::avx2:
      return {"AVX2", "plain"};
    case compress_kernel::plain:
    case compress_kernel::unknown:
      break;
  }
  return {"plain"};
}

void use_kernel_target(const std::string& name) {
  chosen_compress_kernel.store(name.empty() ? best_compress_kernel() : compress_kernel_of(name),
                               std::memory_order_relaxed);
}

#endif

}  // namespace weft::algorithms::detail
