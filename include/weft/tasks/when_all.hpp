// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future for several: ready when all of them are.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/gate.hpp"  // IWYU pragma: export

namespace weft {

namespace tasks::detail {

/// The result of `when_all_ready`, the futures themselves, in the place where it will be taken from.
template <class Inputs>
struct when_all_block final : result_state<Inputs>, dependent, gate<count_of_futures<Inputs>()> {
  explicit when_all_block(Inputs&& inputs)
      : result_state<Inputs>(nullptr, calls), dependent(&all_are_ready) {
    this->emplace(std::move(inputs));
    try {
      this->reserve(this->value);
    } catch (...) {
      std::destroy_at(std::addressof(this->value));
      throw;
    }
  }

 private:
  static void all_are_ready(dependent& me, completions& all) noexcept {
    all.finish(static_cast<when_all_block&>(me), task::finished);
  }
  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<when_all_block&>(state);
    me.destroy_result();
    destroy_block(me);
    return nullptr;
  }
  static constexpr typename result_state<Inputs>::typed_operations calls{{drop}, nullptr};
};

template <class Inputs>
future<Inputs> when_all_of(Inputs inputs) {
  require_all_valid(inputs);
  auto* block = make_block<when_all_block<Inputs>>(self(), std::move(inputs));
  future<Inputs> result = future_access::make<Inputs>(block);
  if (block->open(block->value, *block)) {
    finish_and_resume(*block, task::finished);
  }
  return result;
}

}  // namespace tasks::detail

/// A future for the tuple of all these futures, ready when they all are. It never fails: look into
/// each. Futures are moved in, lvalues too; shared futures are copied.
///
/// Cost:    one block with one node for each future; no task.
/// Errors:  `future_error` (no_state) if one is not valid.
/// Example: tests/tasks/when_all_test.cpp: gives_all_futures_in_order.
template <any_future... Futures>
future<std::tuple<std::decay_t<Futures>...>> when_all_ready(Futures&&... futures) {
  return tasks::detail::when_all_of(
      std::tuple<std::decay_t<Futures>...>(tasks::detail::own_future(futures)...));
}

/// The same for a container of futures, which keeps its type, or another range (std::vector). A
/// named container keeps its size, and its futures are no longer valid.
/// Cost:    as above, and one array of nodes.
template <tasks::detail::owned_range_of_futures Range>
auto when_all_ready(Range&& futures) {
  return tasks::detail::when_all_of(tasks::detail::own_futures(std::forward<Range>(futures)));
}
template <std::input_iterator Iterator, std::sentinel_for<Iterator> Sentinel>
  requires any_future<std::iter_value_t<Iterator>>
auto when_all_ready(Iterator first, Sentinel last) {
  return tasks::detail::when_all_of(
      tasks::detail::collect_futures(std::move(first), std::move(last)));
}

}  // namespace weft
