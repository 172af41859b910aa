// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fft with futures: two for each loop range that is divided.
#pragma once

#include "lab/inncabs/fft/fft.hpp"
#include "lab/inncabs/fft/transform.hpp"
#include "lab/inncabs/forks.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::fft {

template <futures_runtime Runtime>
result run_futures(const input& from, typename Runtime::launch how) {
  return transform(from, loop_by_halves(fork_by_futures<Runtime>(how))).run();
}

}  // namespace weft::lab::inncabs::fft
