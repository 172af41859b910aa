// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that wait for parts of calls, each at its own place.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/runtime_types.hpp"

namespace weft::execution::detail {

/// `call(context, first, last)` for parts of [0, size).
struct bulk_range {
  void (*call)(void* context, std::size_t first, std::size_t last);
  void* context;
  std::size_t size;
};

/// The job of a member. Each member that takes it calls `run` once.
struct team_job {
  void (*run)(team_job& me, std::size_t share) noexcept;
};

/// A callable that the caller gave away.
template <class F>
struct team_call : team_job {
  template <class G>
    requires(!std::same_as<std::remove_cvref_t<G>, team_call>)
  explicit team_call(G&& call) : team_job{run_it}, f(std::forward<G>(call)) {}
  static void run_it(team_job& job, std::size_t /*share*/) noexcept {
    const std::unique_ptr<team_call> me(static_cast<team_call*>(&job));
    me->f();
  }
  F f;
};

/// The members of a team are tasks that stay on their workers and look for a job at their own
/// place. A member that finds none for a while ends; the thread that brings the next job starts it
/// again.
///
/// Threads: any.
class fork_join_team {
 public:
  fork_join_team(tasks::scheduler& home,
                 std::size_t num_members,
                 std::chrono::nanoseconds yield_delay);
  fork_join_team(const fork_join_team&) = delete;
  fork_join_team& operator=(const fork_join_team&) = delete;
  /// Jobs that were given away have been, or will be, run.
  ~fork_join_team();

  /// The members and the caller of `run`.
  [[nodiscard]] std::size_t num_shares() const noexcept { return num_members_ + 1; }

  /// Calls all parts of `range` and returns when they have ended.
  /// Errors: the exception of the part with the least index.
  void run(const bulk_range& range, bool is_dynamic);

  /// Gives `job` to a member that waits. False: none does.
  [[nodiscard]] bool try_give(team_job& job) noexcept;

 private:
  struct members;
  struct member;
  struct region;

  void share_out(region& all);

  std::size_t num_members_;
  std::shared_ptr<members> members_;  // also kept by each of them that runs
};

}  // namespace weft::execution::detail
