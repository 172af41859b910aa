// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs ask the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hpx/config.hpp>

namespace hpx {

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
