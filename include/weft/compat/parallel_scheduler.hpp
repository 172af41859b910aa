// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's workers as the parallel scheduler of another library's `std::execution`.
#pragma once

#include <memory>

#include "weft/execution/detail/workers_backend.hpp"
#include "weft/execution/runtime_scheduler.hpp"

namespace weft::compat {

/// A backend of the parallel scheduler of a library that has the standard's replacement interface:
/// its types are given by `Interface`.
///
/// For stdexec, in one file of the program:
///
///     struct stdexec_interface {
///       using backend = stdexec::parallel_scheduler_replacement::parallel_scheduler_backend;
///       using receiver = stdexec::parallel_scheduler_replacement::receiver_proxy;
///       using bulk_receiver = stdexec::parallel_scheduler_replacement::bulk_item_receiver_proxy;
///       using storage = std::span<std::byte>;
///     };
///     namespace stdexec::parallel_scheduler_replacement {
///     auto query_parallel_scheduler_backend() -> std::shared_ptr<parallel_scheduler_backend> {
///       return weft::compat::make_parallel_scheduler_backend<stdexec_interface>();
///     }
///     }
///
/// Cost:    no allocation if the library's storage has room for a task, about 64 bytes; else one.
/// Threads: any.
/// Source:  C++26 working draft, [exec.parschedrepl]
template <class Interface>
using parallel_scheduler_backend = execution::detail::workers_backend<Interface>;

/// The backend on the workers of the default runtime, which this starts; the same for every call.
template <class Interface>
[[nodiscard]] std::shared_ptr<typename Interface::backend> make_parallel_scheduler_backend() {
  // One for all: schedulers are equal if their backend is the same object.
  static const std::shared_ptr<typename Interface::backend> only =
      std::make_shared<parallel_scheduler_backend<Interface>>(
          execution::detail::default_scheduler());
  return only;
}

}  // namespace weft::compat
