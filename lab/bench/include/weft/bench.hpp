// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel written once and measured with every backend: `./weft bench kernel.cpp`.
//
// The tool compiles the file for each backend. A program that is compiled by hand has the backend
// seq, or what WEFT_BENCH_BACKEND names; --help shows its options.
#pragma once

#include <string_view>
#include <utility>

#include "lab/bench/backends/seq.hpp"  // IWYU pragma: export
#include "lab/bench/experiment.hpp"    // IWYU pragma: export
#include "lab/bench/program.hpp"       // IWYU pragma: export

#if !defined(WEFT_BENCH_BACKEND)
#define WEFT_BENCH_BACKEND seq
#endif
#define WEFT_BENCH_QUOTED_(text) #text
#define WEFT_BENCH_QUOTED(text) WEFT_BENCH_QUOTED_(text)
// clang-format off: spaces would belong to the file's name
#include WEFT_BENCH_QUOTED(lab/bench/backends/WEFT_BENCH_BACKEND.hpp)
// clang-format on

namespace weft::bench {

/// The kernel written by hand, to stand beside the backends. `call(input)` or
/// `call(input, num_threads)` returns what the kernel returns.
template <class Call>
variant_of<Call> variant(std::string_view name, Call call) {
  return {name, std::move(call)};
}

/// In place of the comparison with the sequential answer: `is_right(input, answer)`, where a kernel
/// that returns nothing has the changed input as its answer.
template <class IsRight>
check_of<IsRight> check(IsRight is_right) {
  return {std::move(is_right)};
}

/// The bench program of a kernel: what `main` returns.
///
/// `make(n)` returns the input for size n, by value. `kernel(on, input)` computes the answer with
/// the algorithms, loops and tasks of the backend `on`, and returns it; a kernel that returns
/// nothing has the input as its answer. If it takes the input as `const auto&`, all calls get the
/// same; if as `auto&`, each call gets a copy of its own, made before the clock starts.
/// `extras`, in any order: `settings`, `check(...)`, and any number of `variant(...)`.
///
/// `on` has the standard's parallel algorithms, called with par_unseq; `on.for_loop(n, body)`,
/// `on.reduce(n, init, map, combine)`, `on.fork_join(f, g)` and `on.task_group()`, whose `run(f)`
/// and `wait()` the same task calls. A backend that lacks what the kernel calls is skipped.
/// Errors:  what the kernel throws is the cell's error; a wrong answer is never timed.
/// Example: examples/bench/dot.cpp
template <class Make, class Kernel, class... Extras>
int run(int argc, char** argv, Make make, Kernel kernel, Extras... extras) {
  const problem<Make, Kernel, decltype(detail::check_in(extras...))> what{
      std::move(make),
      std::move(kernel),
      detail::check_in(extras...),
      detail::settings_in(extras...)};
  return detail::run_program<WEFT_BENCH_BACKEND>(argc, argv, what, extras...);
}

}  // namespace weft::bench
