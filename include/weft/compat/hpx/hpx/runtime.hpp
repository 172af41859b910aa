// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs ask the runtime.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include <hpx/compat/launch.hpp>
#include <hpx/config.hpp>

#include "weft/tasks/promise.hpp"
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
/// The number of this process in its job, and how many there are: 0 of 1 without
/// weft::hpx_distributed.
[[nodiscard]] std::uint32_t get_locality_id() noexcept;
[[nodiscard]] std::uint32_t get_num_localities(launch::sync_policy how) noexcept;
[[nodiscard]] std::uint32_t get_initial_num_localities() noexcept;
[[nodiscard]] inline weft::future<std::uint32_t> get_num_localities() {
  return weft::make_ready_future(get_num_localities(launch::sync));
}
[[nodiscard]] std::string get_locality_name();
[[nodiscard]] bool is_running() noexcept;

/// Runs `f` on each locality before the program's function runs on any, or when this has ended.
void register_startup_function(std::function<void()> f);
void register_shutdown_function(std::function<void()> f);
[[noreturn]] inline void terminate() { std::terminate(); }

#if defined(WEFT_HAS_LOCALITIES)
namespace compat {
/// Lets the program join the other localities of its job.
bool join_localities() noexcept;
inline const bool joins_localities = join_localities();
}  // namespace compat
#else
template <class T = void>
int find_here() {
  static_assert(compat::is_missing<T>,
                "hpx::find_here: weft::hpx_compat runs in one process, without localities: link "
                "weft::hpx_distributed");
  return 0;
}
#endif

namespace resource {
[[nodiscard]] inline std::size_t get_num_threads() { return get_os_thread_count(); }
}  // namespace resource

}  // namespace hpx
