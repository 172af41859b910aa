// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many workers an executor has, and how a piece of work is shared among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/crew.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/tasks/detail/worker.hpp"

namespace weft::algorithms::detail {

/// Starts the default runtime if the caller is no worker and there is none yet.
[[nodiscard]] std::size_t num_workers(const default_executor& executor);
[[nodiscard]] std::size_t num_workers(const runtime_executor& executor);
template <foreign_executor Executor>
[[nodiscard]] std::size_t num_workers(const Executor& executor) {
  return static_cast<std::size_t>(executor.num_workers());
}

/// Whether somebody other than the caller is awake, who would see an invitation at once.
[[nodiscard]] bool is_anyone_awake(const default_executor& executor);
[[nodiscard]] bool is_anyone_awake(const runtime_executor& executor);
template <foreign_executor Executor>
[[nodiscard]] bool is_anyone_awake(const Executor& executor) {
  if constexpr (runtime_backed_executor<Executor>) {
    return executor.home() == nullptr ? is_anyone_awake(default_executor())
                                      : is_anyone_awake(runtime_executor(*executor.home()));
  } else {
    return true;
  }
}

void invite(crew& all, const default_executor& executor);
void invite(crew& all, const runtime_executor& executor);
template <runtime_backed_executor Executor>
void invite(crew& all, const Executor& executor) {
  if (executor.home() == nullptr) {
    invite(all, default_executor());
  } else {
    invite(all, runtime_executor(*executor.home()));
  }
}
/// By `try_execute` where there is one: it may refuse.
template <foreign_executor Executor>
void invite(crew& all, const Executor& executor) noexcept {
  for (std::size_t i = 1; i <= all.num_guests(); ++i) {
    all.enlist_one();
    guest next(all, i);
    try {
      if constexpr (requires { executor.try_execute(std::move(next)); }) {
        static_cast<void>(executor.try_execute(std::move(next)));
      } else {
        executor.execute(std::move(next));
      }
    } catch (...) {  // an executor that refuses: the caller does without
      return;
    }
  }
}

/// Workers that may take part; 1: only the caller.
template <class How>
[[nodiscard]] std::size_t num_shares(const How& how) {
  if constexpr (!How::is_parallel) {
    return 1;
  } else {
    const std::size_t all = std::max<std::size_t>(num_workers(how.executor()), 1);
    if constexpr (How::template has<num_cores>) {
      const std::size_t limit = how.template get<num_cores>().count;
      return limit == 0 ? all : std::min(all, limit);
    } else {
      return all;
    }
  }
}

/// Calls `share(0)` here and `share(1)`, `share(2)`, ... by whoever comes while it runs; returns
/// when all that began have ended. `facts` is read at the end.
///
/// A share that nobody came for is not called, so shares claim their work from each other.
/// Errors: the first exception that a share throws; the others are counted and dropped.
template <class How, class Share>
void region(const How& how,
            std::size_t max_shares,
            Share&& share,
            const loop_facts* facts = nullptr) {
  const std::size_t shares = max_shares <= 1 ? 1 : std::min(max_shares, num_shares(how));
  using share_type = std::remove_reference_t<Share>;
  const crew_work work{
      .call = [](void* context, std::size_t i) { (*static_cast<share_type*>(context))(i); },
      .context = const_cast<void*>(static_cast<const void*>(std::addressof(share))),
      .facts = facts};
  crew* const all = shares <= 1 ? nullptr : crew::begin(work, shares - 1);
  if (all == nullptr) {
    share(std::size_t{0});
    if (facts != nullptr) {
      counters::process_algorithms().count_alone(facts->num_elements);
    }
    return;
  }
  invite(*all, how.executor());
  all->work_and_finish();
}

}  // namespace weft::algorithms::detail
