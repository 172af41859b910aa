// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notifies once, when several futures are ready.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/future.hpp"

namespace weft::tasks::detail {

template <class T>
concept tuple_of_futures =
    requires { std::tuple_size<std::remove_cvref_t<T>>::value; } && !any_future<T>;
template <class T>
concept range_of_futures = requires(std::remove_cvref_t<T>& r) {
  std::begin(r);
  requires any_future<decltype(*std::begin(r))>;
};

template <class T>
inline constexpr bool is_reference_to_futures = false;
template <class T>
inline constexpr bool is_reference_to_futures<std::reference_wrapper<T>> = true;

/// Calls `visit(future)` for each future in `futures`: a single one, a range or tuple of them, or a
/// std::reference_wrapper of one of these.
template <class Futures, class Visit>
void for_each_future(Futures& futures, Visit& visit) {
  if constexpr (any_future<Futures>) {
    visit(futures);
  } else if constexpr (is_reference_to_futures<std::remove_const_t<Futures>>) {
    for_each_future(futures.get(), visit);
  } else if constexpr (range_of_futures<Futures>) {
    for (auto& each : futures) {
      visit(each);
    }
  } else if constexpr (tuple_of_futures<Futures>) {
    std::apply([&](auto&... each) { (for_each_future(each, visit), ...); }, futures);
  }
}

inline constexpr std::size_t is_dynamic = ~std::size_t{0};

constexpr std::size_t add_counts(std::size_t a, std::size_t b) noexcept {
  return a == is_dynamic || b == is_dynamic ? is_dynamic : a + b;
}

/// The number of futures in an object of this type; `is_dynamic` if the type does not say.
template <class Futures>
constexpr std::size_t count_of_futures() noexcept {
  if constexpr (any_future<Futures>) {
    return 1;
  } else if constexpr (is_reference_to_futures<Futures>) {
    return count_of_futures<std::remove_const_t<typename Futures::type>>();
  } else if constexpr (tuple_of_futures<Futures>) {
    return []<std::size_t... i>(std::index_sequence<i...>) {
      std::size_t sum = 0;
      ((sum = add_counts(sum, count_of_futures<std::tuple_element_t<i, Futures>>())), ...);
      return sum;
    }(std::make_index_sequence<std::tuple_size_v<Futures>>());
  } else {
    return range_of_futures<Futures> ? is_dynamic : 0;
  }
}

/// Counts notifications, and forwards the last one.
class gate_base {
 public:
  gate_base() = default;
  gate_base(const gate_base&) = delete;
  gate_base& operator=(const gate_base&) = delete;

 protected:
  struct node : dependent {
    node() noexcept : dependent(&gate_base::count) {}
    gate_base* owner = nullptr;
  };

  /// True if all futures in `inputs` are ready. Otherwise `target` is notified when they are; it
  /// may already have run and no longer exist.
  template <class Inputs>
  [[nodiscard]] bool attach_to_all(Inputs& inputs,
                                   dependent& target,
                                   node* nodes,
                                   std::size_t num_futures) noexcept {
    target_ = &target;
    num_missing_.store(num_futures + 1, std::memory_order_relaxed);
    std::size_t num_counted = 1;
    auto attach_one = [&](auto& each) {
      future_state& state = *future_access::state_of(each);
      start_unstarted(state);
      nodes->owner = this;
      num_counted += attach(state, *nodes) ? std::size_t{0} : std::size_t{1};
      ++nodes;
    };
    for_each_future(inputs, attach_one);
    // acq_rel: the last one sees what all others wrote
    return num_missing_.fetch_sub(num_counted, std::memory_order_acq_rel) == num_counted;
  }

 private:
  static void count(dependent& d, completions& all) noexcept {
    gate_base& me = *static_cast<node&>(d).owner;
    if (me.num_missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      me.target_->notify(*me.target_, all);
    }
  }

  dependent* target_ = nullptr;
  std::atomic<std::size_t> num_missing_{0};
};

/// A gate with room for `num_nodes` futures.
template <std::size_t num_nodes>
struct gate : gate_base {
  template <class Inputs>
  void reserve(Inputs& /*inputs*/) noexcept {}
  template <class Inputs>
  [[nodiscard]] bool open(Inputs& inputs, dependent& target) noexcept {
    return attach_to_all(inputs, target, nodes_.data(), num_nodes);
  }

 private:
  std::array<node, num_nodes> nodes_;
};

template <>
struct gate<is_dynamic> : gate_base {
  /// Errors: std::bad_alloc.
  template <class Inputs>
  void reserve(Inputs& inputs) {
    auto count = [this](auto& /*future*/) { ++num_nodes_; };
    for_each_future(inputs, count);
    nodes_ = std::make_unique<node[]>(num_nodes_);
  }
  template <class Inputs>
  [[nodiscard]] bool open(Inputs& inputs, dependent& target) noexcept {
    return attach_to_all(inputs, target, nodes_.get(), num_nodes_);
  }

 private:
  std::unique_ptr<node[]> nodes_;
  std::size_t num_nodes_ = 0;
};

/// Errors: `future_error` (no_state) if one of the futures in `inputs` is not valid.
template <class Inputs>
void require_all_valid(Inputs& inputs) {
  auto require = [](auto& each) {
    if (!each.valid()) {
      throw_future_error(future_errc::no_state);
    }
  };
  for_each_future(inputs, require);
}

/// Takes ownership of a future: moves it, even from an lvalue, or copies it if it is shared.
template <class Future>
std::remove_const_t<Future> own_future(Future& from) {
  if constexpr (std::copyable<std::remove_const_t<Future>>) {
    return from;
  } else {
    return std::move(from);
  }
}

/// Takes ownership of the futures in a range: moves them out of it, or copies them if they are
/// shared.
template <class Iterator, class Sentinel>
auto collect_futures(Iterator first, Sentinel last) {
  std::vector<std::iter_value_t<Iterator>> collected;
  if constexpr (std::sized_sentinel_for<Sentinel, Iterator>) {
    collected.reserve(static_cast<std::size_t>(last - first));
  }
  for (; first != last; ++first) {
    collected.push_back(own_future(*first));
  }
  return collected;
}

/// Takes ownership of the futures in a container or range. A container keeps its type. A named
/// container also keeps its size, but its futures are no longer valid.
template <class Range>
auto own_futures(Range&& range) {
  using container = std::remove_cvref_t<Range>;
  using moving = std::move_iterator<std::ranges::iterator_t<Range>>;
  if constexpr (std::ranges::view<container> || !std::movable<container>) {
    return collect_futures(std::ranges::begin(range), std::ranges::end(range));
  } else if constexpr (std::is_lvalue_reference_v<Range> &&
                       !std::copyable<std::ranges::range_value_t<container>> &&
                       std::constructible_from<container, moving, moving>) {
    return container(moving(std::ranges::begin(range)), moving(std::ranges::end(range)));
  } else if constexpr (std::copyable<std::ranges::range_value_t<container>>) {
    return container(std::forward<Range>(range));
  } else {
    // An array moves its elements one by one.
    // NOLINTNEXTLINE(bugprone-move-forwarding-reference): futures are taken from lvalues, too
    return container(std::move(range));
  }
}

template <class Range>
concept owned_range_of_futures = std::ranges::input_range<Range> && range_of_futures<Range>;

}  // namespace weft::tasks::detail
