// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem intersim with futures: one for each active pair.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "lab/inncabs/enclosed_future.hpp"
#include "lab/inncabs/intersim/guarded_net.hpp"
#include "lab/inncabs/intersim/intersim.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/waited_future.hpp"

namespace weft::lab::inncabs::intersim {

/// The result of a task: the number of interactions it waited for, its own included, and the task
/// of the pair that continues it, if any.
///
/// If a task waited for its continuation itself, waits would be nested n * n deep, once per pair of
/// a chain. Instead they are nested only as deep as operations follow each other, about 2 * n. The
/// price is memory: an ended task's result stays until its waiter takes it.
///
/// The task of the next pair is made first. A worker that runs its newest task first then reaches
/// the tasks it waits for, and not the chain that no task waits for yet.
template <futures_runtime Runtime>
struct outcome {
  using task = waited_future<typename Runtime::template future<outcome>>;

  std::uint64_t num_interactions = 1;
  enclosed_future<Runtime::template future, outcome> next;
};

/// Waits for a task and for all its continuations.
template <futures_runtime Runtime>
std::uint64_t interactions_of(typename outcome<Runtime>::task& first) {
  outcome<Runtime> ended = first.get();
  std::uint64_t sum = ended.num_interactions;
  while (ended.next.is_set()) {
    ended = ended.next.get();
    sum += ended.num_interactions;
  }
  return sum;
}

template <futures_runtime Runtime>
outcome<Runtime> reduce_by_futures(guarded_net<Runtime>& cells,
                                   active_pair pair,
                                   typename Runtime::launch how);

template <futures_runtime Runtime>
auto start(guarded_net<Runtime>& cells, active_pair pair, typename Runtime::launch how) {
  return Runtime::async(
      how, [&cells, pair, how] { return reduce_by_futures<Runtime>(cells, pair, how); });
}

template <futures_runtime Runtime>
outcome<Runtime> reduce_by_futures(guarded_net<Runtime>& cells,
                                   active_pair pair,
                                   typename Runtime::launch how) {
  using task = typename outcome<Runtime>::task;
  const active_pairs made = cells.reduce(pair);
  outcome<Runtime> ended;
  if (made.size() == 0) {
    return ended;
  }
  const std::size_t last = made.size() - 1;
  std::array<std::optional<task>, 2> others;
  ended.next.set(start<Runtime>(cells, made[last], how));
  for (std::size_t i = 0; i < last; ++i) {
    others[i].emplace(start<Runtime>(cells, made[i], how));
  }
  for (std::size_t i = 0; i < last; ++i) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): as many were started
    ended.num_interactions += interactions_of<Runtime>(*others[i]);
  }
  return ended;
}

template <futures_runtime Runtime>
result run_futures(const input& from, typename Runtime::launch how) {
  guarded_net<Runtime> cells(from.factor);
  typename outcome<Runtime>::task first(start<Runtime>(cells, cells.first_pair(), how));
  const std::uint64_t interactions = interactions_of<Runtime>(first);
  return {.product = cells.value(), .num_interactions = interactions};
}

}  // namespace weft::lab::inncabs::intersim
