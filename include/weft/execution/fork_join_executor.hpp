// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The executor for parallel regions that follow each other closely: its workers stay awake between
// them.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/execution/detail/fork_join_team.hpp"
#include "weft/execution/detail/start_on.hpp"
#include "weft/execution/executor.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/runtime.hpp"

namespace weft::execution {

/// How `bulk_sync_execute` shares its indices.
enum class loop_schedule : std::uint8_t {
  // NOLINTNEXTLINE(readability-identifier-naming): HPX's name, for want of the keyword
  static_,  // each worker has an equal part in a row, always the same one
  dynamic   // pieces, each taken by whoever is free
};

/// How regions are shared out, and how long workers stay awake after one.
struct fork_join_options {
  loop_schedule schedule = loop_schedule::static_;
  /// How long workers stay awake after the last region; then they do other tasks until the next.
  std::chrono::nanoseconds yield_delay = std::chrono::microseconds(300);
};

/// Runs bulk calls on all workers of a runtime, the caller's thread in the place of one of them.
/// While it lives and has been used within `yield_delay`, those workers only wait for its next
/// call, which therefore begins without waking, queueing or allocating.
///
/// The caller runs parts that no worker has started, so calls always end; they may be nested and
/// made from several threads. `async_execute` and `post` start ordinary tasks. Copies share the
/// workers. An executor must not outlive its runtime.
/// Threads: any.
/// Errors:  of `bulk_sync_execute`: the exception of the part with the least index; other parts go
///          on, but each ends at its first exception.
/// Example: tests/execution/fork_join_executor_test.cpp: every_worker_has_its_part.
class fork_join_executor {
 public:
  explicit fork_join_executor(const fork_join_options& options = {})
      : fork_join_executor(nullptr, options) {}
  explicit fork_join_executor(runtime& home, const fork_join_options& options = {})
      : fork_join_executor(&home, options) {}

  friend bool operator==(const fork_join_executor& a, const fork_join_executor& b) noexcept {
    return a.team_ == b.team_;
  }

  /// The caller among them.
  [[nodiscard]] std::size_t num_workers() const noexcept { return team_->num_shares(); }

  template <std::invocable F>
  void execute(F&& f) const {
    detail::post_on(home_, std::forward<F>(f));
  }
  /// Has a worker that waits call `f`; nothing if none does. What `f` throws ends the process.
  template <std::invocable F>
  bool try_execute(F&& f) const {
    using call_type = detail::team_call<std::decay_t<F>>;
    auto call = std::make_unique<call_type>(std::forward<F>(f));
    if (!team_->try_give(*call)) {
      return false;
    }
    static_cast<void>(call.release());  // it deletes itself
    return true;
  }
  template <class F, class... Args>
  decltype(auto) sync_execute(F&& f, Args&&... args) const {
    return std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  auto async_execute(F&& f, Args&&... args) const {
    return home_ == nullptr || detail::is_at(home_)
               ? async(std::forward<F>(f), std::forward<Args>(args)...)
               : detail::async_on(*home_, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, bulk_shape Shape, class... Args>
  auto bulk_sync_execute(F&& f, const Shape& shape, Args&&... args) const {
    using result = detail::result_of<F, detail::element_of<Shape>, std::decay_t<Args>&...>;
    const detail::shape_elements<Shape> elements(shape);
    const auto run = [this](std::size_t n, auto& body) { this->run_bulk(n, body); };
    return detail::collect<result>(
        detail::size_of(shape), run, detail::numbered_call(f, elements, args...));
  }

 private:
  fork_join_executor(runtime* home, const fork_join_options& options);

  template <class Body>
  void run_bulk(std::size_t n, Body& body) const {
    const detail::bulk_range call{
        .call =
            [](void* context, std::size_t first, std::size_t last) {
              Body& each = *static_cast<Body*>(context);
              for (; first != last; ++first) {
                static_cast<void>(each(first));
              }
            },
        .context = const_cast<void*>(static_cast<const void*>(std::addressof(body))),
        .size = n};
    team_->run(call, schedule_ == loop_schedule::dynamic);
  }

  runtime* home_;
  loop_schedule schedule_;
  std::shared_ptr<detail::fork_join_team> team_;  // closed by its last owner
};

}  // namespace weft::execution
