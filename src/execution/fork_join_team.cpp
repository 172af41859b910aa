// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the members of a team wait, and how the parts of a call are distributed among them.
#include "weft/execution/detail/fork_join_team.hpp"

#include <algorithm>
#include <atomic>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "weft/execution/detail/start_on.hpp"
#include "weft/execution/fork_join_executor.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution {

namespace detail {

using tasks::waiter;
using clock = std::chrono::steady_clock;
constexpr std::size_t largest_team = 2048;

/// Has its own cache lines, so that no other thread writes to them while the member waits.
struct alignas(128) fork_join_team::member : tasks::work_item {
  member() noexcept : tasks::work_item(run_member) {}

  static waiter* run_member(task& t) noexcept;
  void stay() noexcept;
  [[nodiscard]] bool leave() noexcept;
  /// Assigns `job` to this member. Returns false if the member has a job already.
  [[nodiscard]] bool give(team_job& job) noexcept {
    team_job* nobody = nullptr;
    // seq_cst: the place is written before `is_here` is read; see leave()
    return place.compare_exchange_strong(nobody, &job, std::memory_order_seq_cst);
  }
  /// Takes `job` back. Returns true if the member had not taken it.
  [[nodiscard]] bool take_back(team_job& job) noexcept {
    team_job* there = &job;
    return place.compare_exchange_strong(there, nullptr, std::memory_order_acquire);
  }

  std::atomic<team_job*> place{nullptr};
  std::atomic<bool> is_here{false};  // its task is queued or runs
  std::shared_ptr<members> keep;     // from its start to its end, keeps the team's members alive
  std::size_t share = 0;
};

struct fork_join_team::members : std::enable_shared_from_this<fork_join_team::members> {
  members(tasks::scheduler& where, std::size_t count, std::chrono::nanoseconds delay)
      : home(where), yield_delay(delay), all(count) {
    for (std::size_t i = 0; i < count; ++i) {
      all[i].share = i + 1;
    }
  }

  /// Starts the task of a member whose task has ended.
  void call(member& who) noexcept {
    // seq_cst: after the place was written; see leave()
    if (!who.is_here.load(std::memory_order_seq_cst) &&
        !who.is_here.exchange(true, std::memory_order_seq_cst)) {
      who.keep = shared_from_this();
      tasks::start_surely(&home, who);
    }
  }

  tasks::scheduler& home;
  const std::chrono::nanoseconds yield_delay;
  std::atomic<bool> is_closed{false};
  std::atomic<std::size_t> next{0};  // the first member that a call looks at
  std::vector<member> all;
};

waiter* fork_join_team::member::run_member(task& t) noexcept {
  auto& me = static_cast<member&>(t);
  const std::shared_ptr<members> alive = me.keep;
  me.stay();
  return nullptr;
}

/// Runs jobs until none has come for a while.
void fork_join_team::member::stay() noexcept {
  constexpr int looks_per_time = 64;
  const std::chrono::nanoseconds patience = keep->yield_delay;
  clock::time_point idle_since = clock::now();
  for (int looks = 0;; ++looks) {
    if (place.load(std::memory_order_relaxed) != nullptr) {
      // acquire: pairs with give()
      if (team_job* const job = place.exchange(nullptr, std::memory_order_acquire)) {
        job->run(*job, share);
        idle_since = clock::now();
        looks = 0;
        continue;
      }
    }
    tasks::spin_pause();
    if (looks % looks_per_time == 0 && (keep->is_closed.load(std::memory_order_relaxed) ||
                                        clock::now() - idle_since >= patience)) {
      if (leave()) {
        return;
      }
      idle_since = clock::now();
    }
  }
}

/// Ends the member's task. Returns false if a job has just come.
bool fork_join_team::member::leave() noexcept {
  // moved before another thread can start this task again
  std::shared_ptr<members> mine = std::move(keep);
  // seq_cst: either this thread sees the new place below, or the thread that wrote it sees that
  // `is_here` is false
  is_here.store(false, std::memory_order_seq_cst);
  if (place.load(std::memory_order_seq_cst) == nullptr ||
      is_here.exchange(true, std::memory_order_seq_cst)) {
    return true;
  }
  keep = std::move(mine);
  return false;
}

/// One call of `run`, in the frame of the calling thread.
struct fork_join_team::region : team_job {
  region(const bulk_range& whole, std::size_t shares, bool dynamic) noexcept
      : team_job{run_share},
        range(whole),
        num_shares(shares),
        piece(dynamic ? std::max<std::size_t>(1, whole.size / (shares * pieces_per_share)) : 0) {}

  [[gnu::no_sanitize_address]] static void run_share(team_job& job, std::size_t share) noexcept {
    auto& me = static_cast<region&>(job);
    {
      const tasks::task_scope scope(static_cast<const void*>(&job));
      me.do_share(share);
    }
    // acq_rel: releases the share's writes; the last share acquires the writes of the others
    if (me.balance_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      // the calling thread waits for this event: the object may be destroyed afterwards
      me.all_ended_.set();
    }
  }

  void do_share(std::size_t share) noexcept {
    if (piece == 0) {
      call_part(part(share), part(share + 1));
      return;
    }
    for (;;) {
      const std::size_t first = next_index_.fetch_add(piece, std::memory_order_relaxed);
      if (first >= range.size) {
        return;
      }
      call_part(first, std::min(first + piece, range.size));
    }
  }

  /// Returns when the `num_taken` shares that members took have ended.
  void wait_for(std::size_t num_taken) {
    const auto due = static_cast<std::int64_t>(num_taken);
    constexpr int patience = 2'000;  // takes about as long as suspending and resuming
    for (int i = 0; i < patience && balance_.load(std::memory_order_acquire) != -due; ++i) {
      tasks::spin_pause();
    }
    // acq_rel: acquires the writes of the shares
    if (balance_.fetch_add(due, std::memory_order_acq_rel) + due == 0) {
      return;
    }
    try {
      all_ended_.wait();
      // no stack to wait on; members use this frame, so it must stay
    } catch (const std::exception&) {
      while (!all_ended_.occurred()) {
        std::this_thread::yield();
      }
    }
  }

  bulk_range range;
  std::size_t num_shares;
  std::size_t piece;  // 0: each share is one part
  std::exception_ptr raised;

 private:
  static constexpr std::size_t pieces_per_share = 8;

  [[nodiscard]] std::size_t part(std::size_t share) const noexcept {
    const std::size_t each = range.size / num_shares;
    return share * each + std::min(share, range.size % num_shares);
  }
  void call_part(std::size_t first, std::size_t last) noexcept {
    if (first == last) {
      return;
    }
    try {
      range.call(range.context, first, last);
    } catch (...) {
      const std::lock_guard guard(error_lock_);
      if (first < raised_at_) {
        raised_at_ = first;
        raised = std::current_exception();
      }
    }
  }

  tasks::spin_lock error_lock_;
  std::size_t raised_at_ = std::numeric_limits<std::size_t>::max();
  alignas(128) std::atomic<std::size_t> next_index_{0};
  // Minus one for each share that a member ended. When the number of shares that members took is
  // known, it is added.
  alignas(128) std::atomic<std::int64_t> balance_{0};
  event all_ended_;
};

fork_join_team::fork_join_team(tasks::scheduler& home,
                               std::size_t num_members,
                               std::chrono::nanoseconds yield_delay)
    : num_members_(num_members),
      members_(std::make_shared<members>(home, num_members, yield_delay)) {
  for (member& each : members_->all) {
    members_->call(each);
  }
}

fork_join_team::~fork_join_team() { members_->is_closed.store(true, std::memory_order_relaxed); }

void fork_join_team::run(const bulk_range& range, bool is_dynamic) {
  region all(range, num_shares(), is_dynamic);
  share_out(all);
  if (all.raised != nullptr) {
    std::rethrow_exception(std::move(all.raised));
  }
}

void fork_join_team::share_out(region& all) {
  const std::size_t useful = std::min(num_members_, all.range.size == 0 ? 0 : all.range.size - 1);
  std::vector<member>& team = members_->all;
  std::bitset<largest_team> is_given;
  for (std::size_t i = 0; i < useful; ++i) {
    if (team[i].give(all)) {
      is_given.set(i);
      members_->call(team[i]);
    }
  }
  all.do_share(0);
  std::size_t num_taken = 0;
  for (std::size_t i = 0; i < num_members_; ++i) {
    if (is_given[i] && !team[i].take_back(all)) {
      ++num_taken;
    } else {
      all.do_share(i + 1);
    }
  }
  all.wait_for(num_taken);
}

bool fork_join_team::try_give(team_job& job) noexcept {
  const std::size_t first = members_->next.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < num_members_; ++i) {
    member& candidate = members_->all[(first + i) % num_members_];
    if (candidate.give(job)) {
      members_->call(candidate);
      return true;
    }
  }
  return false;
}

}  // namespace detail

fork_join_executor::fork_join_executor(runtime* home, const fork_join_options& options)
    : home_(home), schedule_(options.schedule) {
  tasks::scheduler& scheduler = detail::scheduler_of(home);
  const std::size_t num_workers = tasks::num_workers(scheduler);
  team_ = std::make_shared<detail::fork_join_team>(
      scheduler,
      std::min(detail::largest_team, num_workers > 0 ? num_workers - 1 : 0),
      options.yield_delay);
}

}  // namespace weft::execution
