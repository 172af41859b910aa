// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms on partitioned vectors: each locality works on its parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/algorithm.hpp>
#include <hpx/future.hpp>
#include <hpx/partitioned_vector.hpp>

#include "weft/algorithms.hpp"
#include "weft/distributed/async.hpp"
#include "weft/tasks/async.hpp"

namespace hpx {

namespace compat {

template <class It>
inline constexpr bool is_partitioned = false;
template <class T>
inline constexpr bool is_partitioned<partitioned_iterator<T>> = true;
template <class It>
concept segmented_iterator = is_partitioned<It>;

/// A function without data, which need not be sent.
template <class F>
struct function_by_type {
  template <class... Args>
  decltype(auto) operator()(Args&&... args) const {
    return F()(std::forward<Args>(args)...);
  }
};
/// A function as it is sent: serialised, if it has data.
template <class F>
auto sent(const F& f) {
  if constexpr (weft::distributed::detail::captureless<F>) {
    return function_by_type<F>();
  } else {
    return f;
  }
}

// Functions with data, as algorithms send them to the parts of a vector.
template <class T>
struct equals {
  T value;
  bool operator()(const T& each) const { return each == value; }
};
template <class T>
struct assign {
  T value;
  void operator()(T& each) const { each = value; }
};
template <class F>
struct assign_result {
  F f;
  template <class T>
  void operator()(T& each) {
    each = f();
  }
};
template <class F>
struct negated {
  F f;
  template <class T>
  bool operator()(const T& each) const {
    return !f(each);
  }
};
template <class F>
struct flipped {
  F f;
  template <class T>
  bool operator()(const T& one, const T& other) const {
    return f(other, one);
  }
};

/// The policy for the elements of a part.
template <class Policy>
constexpr auto part_policy() {
  if constexpr (std::remove_cvref_t<Policy>::is_parallel) {
    return weft::par;
  } else {
    return weft::seq;
  }
}

/// What `finish` makes of the results of all parts; a future for it if the policy asks for one.
template <class Policy, class R, class Finish>
auto joined(std::vector<future<R>> calls, Finish finish) {
  auto end = [calls = std::move(calls), finish]() mutable {
    if constexpr (std::is_void_v<R>) {
      for (future<R>& each : calls) {
        each.get();
      }
      return finish();
    } else {
      std::vector<R> results;
      for (future<R>& each : calls) {
        results.push_back(each.get());
      }
      return finish(std::move(results));
    }
  };
  if constexpr (std::remove_cvref_t<Policy>::is_future) {
    return weft::async(std::move(end));
  } else {
    return end();
  }
}

/// Calls `f` for the parts of [first, last).
template <class It, class F, class... Args>
auto on_parts(It first, It last, F f, const Args&... args) {
  return first.vector().call_parts(first.index(), last.index(), f, args...);
}

/// The first position for which a part gave an offset.
template <class It>
It first_found(It first, It last, const std::vector<std::optional<std::size_t>>& offsets) {
  std::size_t part = 0;
  std::optional<std::size_t> found;
  first.vector().for_each_part(
      first.index(), last.index(), [&](const auto& /*part*/, std::size_t from, std::size_t to) {
        if (!found && offsets[part]) {
          found = offsets[part];
        }
        if (!found) {
          first += static_cast<std::ptrdiff_t>(to - from);
        }
        ++part;
      });
  return found ? first + static_cast<std::ptrdiff_t>(*found) : last;
}

}  // namespace compat

// Functions must be serialisable if they have data. Iterators must be of one vector, which lives
// until the end of the call, also of one that returns a future.

template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto for_each(P&& /*policy*/, It first, It last, const F& f) {
  const auto call_all = [](auto from, auto to, auto call) {
    weft::for_each(compat::part_policy<P>(), from, to, call);
  };
  return compat::joined<P>(compat::on_parts(first, last, call_all, compat::sent(f)),
                           [last] { return last; });
}
template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto generate(P&& policy, It first, It last, const F& f) {
  return hpx::for_each(policy, first, last, compat::assign_result{compat::sent(f)});
}
template <weft::execution_policy P, compat::segmented_iterator It, class T>
auto fill(P&& policy, It first, It last, const T& value) {
  using element = typename It::value_type;
  return hpx::for_each(policy, first, last, compat::assign<element>{element(value)});
}

/// Writes `f(element)` to the vector of `out`, which may have another layout.
template <weft::execution_policy P,
          compat::segmented_iterator It,
          compat::segmented_iterator Out,
          class F>
auto transform(P&& /*policy*/, It first, It last, Out out, const F& f) {
  using target = typename Out::vector_type;
  std::size_t next = out.index();
  std::vector<future<void>> calls;
  first.vector().for_each_part(
      first.index(), last.index(), [&](const auto& part, std::size_t from, std::size_t to) {
        const auto transform_part =
            [](auto begin, auto end, auto call, const target& to_all, auto at) {
              std::vector<typename target::value_type> results(
                  static_cast<std::size_t>(end - begin));
              weft::transform(compat::part_policy<P>(), begin, end, results.begin(), call);
              to_all.set_range(at, results);
            };
        using call = compat::part_call<typename It::value_type,
                                       std::remove_const_t<decltype(transform_part)>>;
        calls.push_back(part.async(call(), from, to, compat::sent(f), out.vector(), next));
        next += to - from;
      });
  return compat::joined<P>(std::move(calls), [end = out + (last - first)] { return end; });
}
template <weft::execution_policy P, compat::segmented_iterator It, compat::segmented_iterator Out>
auto copy(P&& policy, It first, It last, Out out) {
  return hpx::transform(policy, first, last, out, std::identity());
}

template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto count_if(P&& /*policy*/, It first, It last, const F& f) {
  const auto count_part = [](auto from, auto to, auto test) {
    return weft::count_if(compat::part_policy<P>(), from, to, test);
  };
  return compat::joined<P>(compat::on_parts(first, last, count_part, compat::sent(f)),
                           [](const std::vector<std::ptrdiff_t>& counts) {
                             return std::accumulate(
                                 counts.begin(), counts.end(), std::ptrdiff_t{0});
                           });
}
template <weft::execution_policy P, compat::segmented_iterator It, class T>
auto count(P&& policy, It first, It last, const T& value) {
  using element = typename It::value_type;
  return hpx::count_if(policy, first, last, compat::equals<element>{element(value)});
}

template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto find_if(P&& /*policy*/, It first, It last, const F& f) {
  const auto find_in_part = [](auto from, auto to, auto test) {
    const auto found = weft::find_if(compat::part_policy<P>(), from, to, test);
    return found == to ? std::optional<std::size_t>()
                       : std::optional(static_cast<std::size_t>(found - from));
  };
  return compat::joined<P>(compat::on_parts(first, last, find_in_part, compat::sent(f)),
                           [=](const std::vector<std::optional<std::size_t>>& offsets) {
                             return compat::first_found(first, last, offsets);
                           });
}
template <weft::execution_policy P, compat::segmented_iterator It, class T>
auto find(P&& policy, It first, It last, const T& value) {
  using element = typename It::value_type;
  return hpx::find_if(policy, first, last, compat::equals<element>{element(value)});
}
template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto any_of(P&& /*policy*/, It first, It last, const F& f) {
  const auto test_part = [](auto from, auto to, auto test) {
    return weft::any_of(compat::part_policy<P>(), from, to, test);
  };
  return compat::joined<P>(
      compat::on_parts(first, last, test_part, compat::sent(f)),
      [](const std::vector<bool>& all) { return std::ranges::find(all, true) != all.end(); });
}
template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto all_of(P&& /*policy*/, It first, It last, const F& f) {
  const auto test_part = [](auto from, auto to, auto test) {
    return weft::all_of(compat::part_policy<P>(), from, to, test);
  };
  return compat::joined<P>(
      compat::on_parts(first, last, test_part, compat::sent(f)),
      [](const std::vector<bool>& all) { return std::ranges::find(all, false) == all.end(); });
}
template <weft::execution_policy P, compat::segmented_iterator It, class F>
auto none_of(P&& policy, It first, It last, const F& f) {
  return hpx::all_of(policy, first, last, compat::negated{compat::sent(f)});
}

template <weft::execution_policy P,
          compat::segmented_iterator It,
          class T,
          class Reduce,
          class Transform>
auto transform_reduce(
    P&& /*policy*/, It first, It last, T init, const Reduce& reduce, const Transform& transform) {
  const auto reduce_part = [](auto from, auto to, auto reduced, auto transformed) {
    const T begin(transformed(*from));
    return weft::transform_reduce(
        compat::part_policy<P>(), from + 1, to, begin, reduced, transformed);
  };
  return compat::joined<P>(
      compat::on_parts(first, last, reduce_part, compat::sent(reduce), compat::sent(transform)),
      [init = std::move(init), reduce](const std::vector<T>& parts) {
        return std::accumulate(parts.begin(), parts.end(), init, reduce);
      });
}
template <weft::execution_policy P, compat::segmented_iterator It, class T, class Reduce>
auto reduce(P&& policy, It first, It last, T init, const Reduce& reduce) {
  return hpx::transform_reduce(policy, first, last, std::move(init), reduce, std::identity());
}
template <weft::execution_policy P, compat::segmented_iterator It, class T>
auto reduce(P&& policy, It first, It last, T init) {
  return hpx::reduce(policy, first, last, std::move(init), std::plus<>());
}
template <weft::execution_policy P, compat::segmented_iterator It>
auto reduce(P&& policy, It first, It last) {
  return hpx::reduce(policy, first, last, typename It::value_type());
}

template <weft::execution_policy P, compat::segmented_iterator It, class Less = std::less<>>
auto min_element(P&& /*policy*/, It first, It last, const Less& less = {}) {
  using element = std::pair<std::size_t, typename It::value_type>;
  const auto least_of_part = [](auto from, auto to, auto call) {
    const auto least = weft::min_element(compat::part_policy<P>(), from, to, call);
    return element(static_cast<std::size_t>(least - from), *least);
  };
  return compat::joined<P>(
      compat::on_parts(first, last, least_of_part, compat::sent(less)),
      [first, last, less](const std::vector<element>& parts) {
        const auto least = std::ranges::min_element(parts, less, &element::second);
        std::vector<std::optional<std::size_t>> offsets(parts.size());
        if (least != parts.end()) {
          offsets[static_cast<std::size_t>(least - parts.begin())] = least->first;
        }
        return compat::first_found(first, last, offsets);
      });
}
template <weft::execution_policy P, compat::segmented_iterator It, class Less = std::less<>>
auto max_element(P&& policy, It first, It last, const Less& less = {}) {
  return hpx::min_element(policy, first, last, compat::flipped{compat::sent(less)});
}

// Without a policy: one part after the other has no advantage, so these are the same as with seq.
template <compat::segmented_iterator It, class F>
auto for_each(It first, It last, F f) {
  return hpx::for_each(weft::seq, first, last, f);
}
template <compat::segmented_iterator It, class T>
void fill(It first, It last, const T& value) {
  static_cast<void>(hpx::fill(weft::seq, first, last, value));
}
template <compat::segmented_iterator It, class T>
auto count(It first, It last, const T& value) {
  return hpx::count(weft::seq, first, last, value);
}
template <compat::segmented_iterator It, class F>
auto count_if(It first, It last, F f) {
  return hpx::count_if(weft::seq, first, last, f);
}
template <compat::segmented_iterator It, class T, class Reduce>
auto reduce(It first, It last, T init, Reduce reduce) {
  return hpx::reduce(weft::seq, first, last, std::move(init), reduce);
}

}  // namespace hpx
