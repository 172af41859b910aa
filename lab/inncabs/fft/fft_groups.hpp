// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fft with structured forks: the calling task does one half of each range.
#pragma once

#include "lab/inncabs/fft/fft.hpp"
#include "lab/inncabs/fft/transform.hpp"
#include "lab/inncabs/forks.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::fft {

template <groups_runtime Runtime>
result run_groups(const input& from) {
  return transform(from, loop_by_halves(fork_by_groups<Runtime>())).run();
}

}  // namespace weft::lab::inncabs::fft
