// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scheduler that the whole program shares: weft's workers, or those that the program chose.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/parallel_scheduler_replacement.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"

namespace weft::execution {

namespace detail {

struct parallel_sender;

/// Where work of the parallel scheduler goes: to weft's workers, without a virtual call, or to the
/// backend that the program put in their place.
struct parallel_place {
  tasks::scheduler* workers = nullptr;
  std::shared_ptr<parallel_scheduler_replacement::parallel_scheduler_backend> backend;

  friend bool operator==(const parallel_place&, const parallel_place&) noexcept = default;
};

/// One `schedule` that a backend does.
template <class Receiver>
struct replaced_operation final
    : receiver_proxy_of<Receiver, parallel_scheduler_replacement::receiver_proxy> {
  using base = receiver_proxy_of<Receiver, parallel_scheduler_replacement::receiver_proxy>;
  replaced_operation(const parallel_place& there, Receiver&& end) noexcept
      : base(static_cast<Receiver&&>(end)), backend(there.backend) {}
  void start() noexcept {
    this->follow();
    backend->schedule(*this, std::span(storage));
  }

  std::shared_ptr<parallel_scheduler_replacement::parallel_scheduler_backend> backend;
  alignas(std::max_align_t) std::array<std::byte, backend_storage_bytes> storage;
};

template <class Receiver>
class parallel_operation {
 public:
  using operation_state_concept = operation_state_tag;
  parallel_operation(const parallel_place& where, Receiver&& end) noexcept
      : is_wefts_(where.workers != nullptr) {
    if (is_wefts_) {
      room_.emplace_from([&] { return own(*where.workers, static_cast<Receiver&&>(end)); });
    } else {
      room_.emplace_from([&] { return replaced(where, static_cast<Receiver&&>(end)); });
    }
  }
  parallel_operation(const parallel_operation&) = delete;
  parallel_operation& operator=(const parallel_operation&) = delete;
  ~parallel_operation() = default;
  void start() noexcept {
    if (is_wefts_) {
      room_.template get<own>().start();
    } else {
      room_.template get<replaced>().start();
    }
  }

 private:
  using own = runtime_operation<Receiver>;
  using replaced = replaced_operation<Receiver>;

  bool is_wefts_;
  one_of<own, replaced> room_;
};

}  // namespace detail

/// The scheduler that the whole program shares: that of `default_runtime()`, or a backend that the
/// program put in its place (`parallel_scheduler_replacement`).
///
/// Cost:    on weft's workers as `runtime_scheduler`; else a virtual call.
/// Errors:  a backend may fail: `schedule` sends what it fails with as std::exception_ptr.
/// Threads: any.
/// Source:  C++26 working draft, [exec.par.scheduler]
/// Example: tests/execution/schedulers_test.cpp: the_parallel_scheduler_is_the_default_runtimes.
class parallel_scheduler {
 public:
  using scheduler_concept = scheduler_tag;
  explicit parallel_scheduler(detail::parallel_place where) noexcept : where_(std::move(where)) {}

  [[nodiscard]] detail::parallel_sender schedule() const noexcept;
  [[nodiscard]] static constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::parallel;
  }
  /// Where its work goes.
  [[nodiscard]] const detail::parallel_place& place() const noexcept { return where_; }
  friend bool operator==(const parallel_scheduler&, const parallel_scheduler&) noexcept = default;

 private:
  detail::parallel_place where_;
};

namespace detail {

struct [[nodiscard]] parallel_sender {
  using sender_concept = sender_tag;
  using completion_signatures = execution::
      completion_signatures<set_value_t(), set_error_t(std::exception_ptr), set_stopped_t()>;
  template <class Receiver>
  auto connect(Receiver to) const noexcept {
    return parallel_operation<Receiver>(where.place(), static_cast<Receiver&&>(to));
  }
  [[nodiscard]] completes_on<parallel_scheduler> get_env() const noexcept { return {where}; }

  [[no_unique_address]] schedule_t tag;
  parallel_scheduler where;
};

}  // namespace detail

inline detail::parallel_sender parallel_scheduler::schedule() const noexcept { return {{}, *this}; }

/// The program's parallel scheduler: that of `query_parallel_scheduler_backend()`.
/// Errors:  ends the process by std::terminate if the program's function returns nothing.
[[nodiscard]] parallel_scheduler get_parallel_scheduler();

}  // namespace weft::execution
