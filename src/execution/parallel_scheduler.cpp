// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes weft's workers the backend of its own parallel scheduler, unless the program replaces it.
#include "weft/execution/parallel_scheduler.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "weft/execution/detail/workers_backend.hpp"
#include "weft/execution/parallel_scheduler_replacement.hpp"
#include "weft/execution/runtime_scheduler.hpp"

namespace weft::execution {
namespace {

using parallel_scheduler_replacement::bulk_item_receiver_proxy;
using parallel_scheduler_replacement::parallel_scheduler_backend;
using parallel_scheduler_replacement::receiver_proxy;

struct own_interface {
  using backend = parallel_scheduler_backend;
  using receiver = receiver_proxy;
  using bulk_receiver = bulk_item_receiver_proxy;
  using storage = std::span<std::byte>;
};

/// The workers of the default runtime. Each call looks the runtime up, because it may have been
/// recreated.
class own_backend final : public parallel_scheduler_backend {
 public:
  void schedule(receiver_proxy& to, std::span<std::byte> storage) noexcept override {
    with_workers(to, [&](auto& workers) { workers.schedule(to, storage); });
  }
  void schedule_bulk_chunked(std::size_t n,
                             bulk_item_receiver_proxy& to,
                             std::span<std::byte> storage) noexcept override {
    with_workers(to, [&](auto& workers) { workers.schedule_bulk_chunked(n, to, storage); });
  }
  void schedule_bulk_unchunked(std::size_t n,
                               bulk_item_receiver_proxy& to,
                               std::span<std::byte> storage) noexcept override {
    with_workers(to, [&](auto& workers) { workers.schedule_bulk_unchunked(n, to, storage); });
  }

 private:
  template <class F>
  static void with_workers(receiver_proxy& to, F f) noexcept {
    try {
      detail::workers_backend<own_interface> workers(detail::default_scheduler());
      f(workers);
    } catch (...) {
      to.set_error(std::current_exception());
    }
  }
};

own_backend& only_own_backend() noexcept {
  static own_backend only;
  return only;
}

}  // namespace

// A program's own definition of this function replaces this one.
[[gnu::weak]] std::shared_ptr<parallel_scheduler_backend>
parallel_scheduler_replacement::query_parallel_scheduler_backend() {
  return {std::shared_ptr<void>(), &only_own_backend()};  // static: the shared pointer owns nothing
}

parallel_scheduler get_parallel_scheduler() {
  std::shared_ptr<parallel_scheduler_backend> backend =
      parallel_scheduler_replacement::query_parallel_scheduler_backend();
  if (backend == nullptr) {
    std::terminate();
  }
  if (backend.get() == &only_own_backend()) {
    return parallel_scheduler({.workers = &detail::default_scheduler(), .backend = nullptr});
  }
  return parallel_scheduler({.workers = nullptr, .backend = std::move(backend)});
}

}  // namespace weft::execution
