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

/// What a task leaves to whoever waits for it: how many interactions it waited for, its own
/// included, and with what its chain goes on, if it does: the task of the next pair, or that pair.
///
/// Were that one waited for by the task that made it, waits would be nested as deep as one pair
/// follows from another, n * n times. So they are only as deep as operations follow each other,
/// some 2 * n times. The price is memory: what ended stays until its waiter comes for it. The task
/// of the next pair is made first, so that who runs its newest task first comes to those others
/// for which it waits, and not along the chain for which nobody waits yet.
template <futures_runtime Runtime>
struct outcome {
  using task = waited_future<typename Runtime::template future<outcome>>;

  std::uint64_t num_interactions = 1;
  enclosed_future<Runtime::template future, outcome> next;
  std::optional<active_pair> postponed = {};
};

/// Reduces a net. Of a chain, at most `most_unwaited` tasks run before their waiter comes, which
/// bounds what they leave; the pair after them waits for him.
template <futures_runtime Runtime, std::uint32_t most_unwaited>
class reduction {
 public:
  reduction(guarded_net<Runtime>& cells, typename Runtime::launch how) : cells_(cells), how_(how) {}

  /// Reduces `first` and all that follows from it; returns how many interactions that took.
  std::uint64_t run(active_pair first) const {
    task begun(start({.pair = first}));
    return interactions_of(begun);
  }

 private:
  using task = typename outcome<Runtime>::task;

  struct step {
    active_pair pair;
    std::uint32_t num_unwaited = 1;  // tasks of the chain since its waiter came, this one included
  };

  typename Runtime::template future<outcome<Runtime>> start(step what) const {
    return Runtime::async(how_, [this, what] { return reduce(what); });
  }

  outcome<Runtime> reduce(step what) const {
    const active_pairs made = cells_.reduce(what.pair);
    outcome<Runtime> ended;
    if (made.size() == 0) {
      return ended;
    }
    const std::size_t last = made.size() - 1;
    std::array<std::optional<task>, 2> others;
    if (what.num_unwaited < most_unwaited) {
      ended.next.set(start({.pair = made[last], .num_unwaited = what.num_unwaited + 1}));
    } else {
      ended.postponed = made[last];
    }
    for (std::size_t i = 0; i < last; ++i) {
      others[i].emplace(start({.pair = made[i]}));
    }
    for (std::size_t i = 0; i < last; ++i) {
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): as many were started
      ended.num_interactions += interactions_of(*others[i]);
    }
    return ended;
  }

  /// Waits for a task and for those with which it goes on.
  std::uint64_t interactions_of(task& first) const {
    outcome<Runtime> ended = first.get();
    std::uint64_t sum = ended.num_interactions;
    while (ended.next.is_set() || ended.postponed.has_value()) {
      if (ended.postponed.has_value()) {
        task next(start({.pair = *ended.postponed}));
        ended = next.get();
      } else {
        ended = ended.next.get();
      }
      sum += ended.num_interactions;
    }
    return sum;
  }

  guarded_net<Runtime>& cells_;
  typename Runtime::launch how_;
};

template <futures_runtime Runtime, std::uint32_t most_unwaited = 8192>
result run_futures(const input& from, typename Runtime::launch how) {
  guarded_net<Runtime> cells(from.factor);
  const std::uint64_t interactions =
      reduction<Runtime, most_unwaited>(cells, how).run(cells.first_pair());
  return {.product = cells.value(), .num_interactions = interactions};
}

}  // namespace weft::lab::inncabs::intersim
