// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads that copy: a loop of any library that runs on several threads.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::halo {

/// The function that an executor calls, once for each index, from any of its threads.
class loop_body {
 public:
  using function = void (*)(const void* context, std::size_t index);

  loop_body(function call, const void* context) noexcept : call_(call), context_(context) {}
  void operator()(std::size_t index) const { call_(context_, index); }

 private:
  function call_;
  const void* context_;
};

/// A callable `run(count, body)` that calls `body(i)` once for each i below `count`, on any number
/// of threads, and returns when all calls have ended. By default none: the exchanging thread copies
/// alone.
///
/// Cost:    an exchange cuts its copies into at most `num_threads` parts of at least 64 KiB each.
///          Fewer than two parts do not use the executor. Only the calling thread calls MPI.
/// Errors:  none reach the caller. If the callable throws or omits calls, the calling thread makes
///          the copies of that call alone, from the beginning, and continues. `report()` and the
///          counter `/halo/count/executor-throws` show this.
/// Hazard:  it returns or throws only after all calls that it began have ended, and makes all of
///          them before it returns.
/// Example: tests/halo/executor_test.cpp: any_callable_that_loops_will_do.
class executor {
 public:
  executor() = default;
  template <class Run>
    requires std::invocable<const Run&, std::size_t, const loop_body&>
  executor(std::size_t num_threads, Run run)
      : run_(std::make_shared<const std::function<void(std::size_t, const loop_body&)>>(
            std::move(run))),
        num_threads_(std::max<std::size_t>(num_threads, 1)) {}

  [[nodiscard]] std::size_t num_threads() const noexcept { return num_threads_; }
  void operator()(std::size_t count, const loop_body& body) const { (*run_)(count, body); }

  bool operator==(const executor&) const = default;

 private:
  std::shared_ptr<const std::function<void(std::size_t, const loop_body&)>> run_;
  std::size_t num_threads_ = 1;
};

}  // namespace weft::halo
