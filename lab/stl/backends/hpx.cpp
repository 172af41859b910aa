// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend hpx: HPX's parallel algorithms with hpx::execution::par.
#include <array>
#include <cstddef>
#include <string>

#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <hpx/init.hpp>
#include <hpx/numeric.hpp>
#include <hpx/runtime.hpp>
#include <hpx/version.hpp>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

template <class T>
operations<T> offered() {
  using hpx::execution::par;
  using in = const T*;
  return {
      .touch = [](T* first, T* last) { hpx::for_each(par, first, last, kernels::first_write{}); },
      .find = [](in first, in last, T value) { return hpx::find(par, first, last, value); },
      .for_each =
          [](T* first, T* last, std::size_t k_it) {
            const kernels::store_count kernel{k_it};
            hpx::for_each(par, first, last, kernel);
          },
      .inclusive_scan =
          [](in first, in last, T* out) { return hpx::inclusive_scan(par, first, last, out); },
      .reduce = [](in first, in last) { return hpx::reduce(par, first, last, T{}); },
      .sort = [](T* first, T* last) { hpx::sort(par, first, last); },
      .copy = [](in first, in last, T* out) { return hpx::copy(par, first, last, out); },
      .copy_if = [](in first,
                    in last,
                    T* out) { return hpx::copy_if(par, first, last, out, kernels::is_selected{}); },
      .transform = [](in first,
                      in last,
                      T* out) { return hpx::transform(par, first, last, out, kernels::scale{}); },
      .merge =
          [](in left, in left_last, in right, in right_last, T* out) {
            return hpx::merge(par, left, left_last, right, right_last, out);
          }};
}

/// Starts HPX with `threads` workers, runs `body` as one of its threads, and stops it.
///
/// The body verifies, samples and writes records, so its thread gets a stack of ordinary size.
void with_hpx_threads(int threads, void (*body)(void* context), void* context) {
  hpx::init_params options;
  options.cfg = {"hpx.os_threads=" + std::to_string(threads),
                 "hpx.force_min_os_threads!=" + std::to_string(threads),
                 "hpx.stacks.small_size=0x100000",
                 "hpx.commandline.allow_unknown=1"};
  std::array<char, 5> program{"weft"};
  std::array<char*, 2> arguments{program.data(), nullptr};
  if (!hpx::start(nullptr, 1, arguments.data(), options)) {
    throw cannot_run({.code = "unsupported",
                      .message = "HPX did not start with " + std::to_string(threads) +
                                 " threads; it refuses more than there are processing units",
                      .remedy = "ask for no more threads than CPUs"});
  }
  hpx::run_as_hpx_thread([=] { body(context); });
  hpx::post([] { hpx::finalize(); });
  hpx::stop();
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_backend{
      .name = "hpx",
      .scratch = {.sort = 1.0, .copy_if = 0.5, .others = 0.5},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{{"HPX", hpx::full_version_as_string()}}; },
      .with_threads = with_hpx_threads};
  return hpx_backend;
}

}  // namespace weft::lab::stl
