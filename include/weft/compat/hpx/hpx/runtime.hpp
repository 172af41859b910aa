// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs ask the runtime.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include <hpx/config.hpp>

#include "weft/tasks/runtime.hpp"

namespace hpx {

/// The default one is what programs begin and end.
using runtime = weft::runtime;

/// Runs `f` as a task, and returns what it returns once it has.
template <class F, class... Args>
  requires std::invocable<F&, Args...>
auto run_as_hpx_thread(F&& f, Args&&... args) {
  return weft::default_runtime().run(
      [&]() -> decltype(auto) { return std::invoke(f, std::forward<Args>(args)...); });
}

/// Every thread may use weft, registered or not. False: the calling one was registered before.
bool register_thread(runtime* home, const char* name);
/// False: it was not.
bool unregister_thread(runtime* home);

/// How many workers the caller's runtime has.
[[nodiscard]] std::size_t get_os_thread_count();
[[nodiscard]] std::size_t get_num_worker_threads();
/// The index of the worker that the caller runs on; the largest number on other threads.
[[nodiscard]] std::size_t get_worker_thread_num() noexcept;
[[nodiscard]] inline std::size_t get_local_worker_thread_num() noexcept {
  return get_worker_thread_num();
}
/// There is one process.
[[nodiscard]] inline std::uint32_t get_locality_id() noexcept { return 0; }
[[nodiscard]] inline std::uint32_t get_num_localities() noexcept { return 1; }
[[nodiscard]] inline std::uint32_t get_initial_num_localities() noexcept { return 1; }
[[nodiscard]] std::string get_locality_name();
[[nodiscard]] bool is_running() noexcept;

template <class T = void>
int find_here() {
  static_assert(compat::is_missing<T>,
                "hpx::find_here: weft runs in one process and has no localities");
  return 0;
}

namespace resource {
[[nodiscard]] inline std::size_t get_num_threads() { return get_os_thread_count(); }
}  // namespace resource

}  // namespace hpx
