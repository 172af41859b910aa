// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_coroutine: lazy coroutine tasks, forked by co_await.
#include <cstdint>
#include <utility>

#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/lazy_task.hpp"

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"
#include "lab/tasks/bodies/coroutine_bodies.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks {
namespace {

struct weft_coroutine_runtime {
  template <class T>
  using task = weft::lazy_task<T>;

  template <class... T>
  static auto fork(weft::lazy_task<T>&&... tasks) {
    return weft::fork(std::move(tasks)...);
  }

  static auto all(auto& tasks) { return weft::fork_all(std::move(tasks)); }

  template <class T>
  static T result_of(weft::lazy_task<T> root) {
    return workers->run([&root] { return blocking_wait(std::move(root)); });
  }
};

weft::lazy_task<std::uint64_t> async_get(std::uint64_t size, std::uint64_t calls) {
  std::uint64_t sum = 0;
  for (std::uint64_t call = 0; call < calls; ++call) {
    for (std::uint64_t i = 0; i < size; ++i) {
      sum += co_await weft::async([i] { return i; });
    }
  }
  co_return sum;
}

operations offered() {
  operations rows;
  coroutine_bodies::offer_coroutines<weft_coroutine_runtime>(rows);
  rows.async_get = [](const request& what) {
    return weft_coroutine_runtime::result_of(async_get(what.size, what.calls));
  };
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_coroutine{
      .name = "weft_coroutine",
      .offered = offered(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_workers};
  return weft_coroutine;
}

}  // namespace weft::lab::tasks
