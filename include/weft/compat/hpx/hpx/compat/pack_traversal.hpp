// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks through arguments, and what is in containers and tuples among them.
#pragma once

#include <array>
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

#include "weft/tasks/when_all.hpp"

namespace hpx {

namespace traits {

/// Makes an empty container like `from`, for elements of another type; to be specialized for
/// containers that cannot be made so.
template <class New, class Container>
struct pack_traversal_rebind_container {
  /// A vector: the container has no other type of elements.
  static std::vector<New> call(const Container& /*from*/) { return {}; }
};
template <class New, template <class, class> class Container, class Old, class Allocator>
struct pack_traversal_rebind_container<New, Container<Old, Allocator>> {
  using allocator_type = typename std::allocator_traits<Allocator>::template rebind_alloc<New>;
  static Container<New, allocator_type> call(const Container<Old, Allocator>& from) {
    if constexpr (requires { from.get_allocator(); }) {
      return Container<New, allocator_type>(allocator_type(from.get_allocator()));
    } else {
      return {};
    }
  }
};

}  // namespace traits

namespace util {

namespace detail {

/// Several things in the place of one.
template <class... Ts>
struct spread_box {
  std::tuple<Ts...> values;
};
template <class... Ts>
spread_box<Ts...> spread_box_of(std::tuple<Ts...> values) {
  return spread_box<Ts...>{std::move(values)};
}
template <class T>
inline constexpr bool is_spread = false;
template <class... Ts>
inline constexpr bool is_spread<spread_box<Ts...>> = true;

namespace container_remapping {
template <class Container, class Element>
    struct has_push_back : std::bool_constant < requires(Container& c, Element e) {
  c.push_back(std::move(e));
}>{};
}  // namespace container_remapping

template <class T>
concept tuple_like = requires { std::tuple_size<std::remove_cvref_t<T>>::value; };
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t size>
inline constexpr bool is_std_array<std::array<T, size>> = true;
/// Strings and arrays are values.
template <class T>
concept container =
    !tuple_like<T> && !weft::any_future<T> && std::ranges::input_range<T> &&
    std::copyable<std::ranges::iterator_t<T>> && !std::is_array_v<std::remove_cvref_t<T>> &&
    !requires { typename std::remove_cvref_t<T>::traits_type; };
template <class T>
concept reference_wrapper = weft::tasks::detail::is_reference_to_futures<std::remove_cvref_t<T>>;

/// An element of a container, as an rvalue if the container is one that owns its elements.
template <class Container>
using element_of = std::conditional_t<std::is_lvalue_reference_v<Container> ||
                                          std::ranges::view<std::remove_cvref_t<Container>>,
                                      std::ranges::range_reference_t<Container>,
                                      std::ranges::range_rvalue_reference_t<Container>>;

/// Whether `Mapper` takes a T, or something in it.
template <class Mapper, class T>
constexpr bool reaches() noexcept {
  if constexpr (reference_wrapper<T>) {
    return reaches<Mapper, typename std::remove_cvref_t<T>::type&>();
  } else if constexpr (tuple_like<T>) {
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return (reaches<Mapper, decltype(std::get<i>(std::declval<T>()))>() || ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<T>>>());
  } else if constexpr (container<T>) {
    return reaches<Mapper, element_of<T>>();
  } else {
    return std::is_invocable_v<Mapper&, T>;
  }
}

/// The stored form of a mapped T: a tuple of results keeps references, a container cannot.
template <class... Parts>
struct one_or_tuple {
  using type = std::tuple<Parts...>;
};
template <class Part>
struct one_or_tuple<Part> {
  using type = std::decay_t<Part>;
};

template <class Mapper, class T>
auto map_one(Mapper& mapper, T&& thing);

template <class Mapper>
std::tuple<> map_all(Mapper& /*mapper*/) {
  return {};
}
/// The results for all things, in this order, in one tuple.
template <class Mapper, class First, class... Rest>
auto map_all(Mapper& mapper, First&& first, Rest&&... rest) {
  auto head = map_one(mapper, std::forward<First>(first));
  return std::tuple_cat(std::move(head), map_all(mapper, std::forward<Rest>(rest)...));
}

template <class Mapper, class Container>
auto map_container(Mapper& mapper, Container&& from) {
  using element = element_of<Container>;
  using mapped = decltype(map_one(mapper, std::declval<element>()));
  if constexpr (std::tuple_size_v<mapped> == 0) {
    for (auto&& each : from) {
      map_one(mapper, static_cast<element>(each));
    }
    return std::tuple<>();
  } else {
    using value = decltype([]<class... Parts>(std::tuple<Parts...>) {
      return std::type_identity<typename one_or_tuple<Parts...>::type>();
    }(std::declval<mapped>()))::type;
    using rebound = traits::pack_traversal_rebind_container<value, std::remove_cvref_t<Container>>;
    auto to = rebound::call(from);
    for (auto&& each : from) {
      auto results = map_one(mapper, static_cast<element>(each));
      if constexpr (std::tuple_size_v<mapped> == 1) {
        to.insert(to.end(), std::get<0>(std::move(results)));
      } else {
        to.insert(to.end(), std::move(results));
      }
    }
    return std::tuple<decltype(to)>(std::move(to));
  }
}

template <class Mapper, class Tuple>
auto map_tuple(Mapper& mapper, Tuple&& from) {
  using source = std::remove_cvref_t<Tuple>;
  auto results = std::apply(
      [&mapper](auto&&... each) { return map_all(mapper, std::forward<decltype(each)>(each)...); },
      std::forward<Tuple>(from));
  constexpr std::size_t size = std::tuple_size_v<decltype(results)>;
  if constexpr (size == 0 && std::tuple_size_v<source> != 0) {
    return std::tuple<>();
  } else if constexpr (is_std_array<source> && size != 0) {
    return std::apply(
        [](auto&&... each) {
          using value = std::common_type_t<std::decay_t<decltype(each)>...>;
          return std::tuple<std::array<value, size>>(
              std::array<value, size>{std::forward<decltype(each)>(each)...});
        },
        std::move(results));
  } else {
    return std::tuple<decltype(results)>(std::move(results));
  }
}

/// The mapper's result for `thing`, or for its elements: a tuple of none, one, or several results.
template <class Mapper, class T>
auto map_one(Mapper& mapper, T&& thing) {
  if constexpr (!reaches<Mapper, T>()) {
    return std::tuple<std::decay_t<T>>(std::forward<T>(thing));
  } else if constexpr (reference_wrapper<T>) {
    return map_one(mapper, thing.get());
  } else if constexpr (tuple_like<T>) {
    return map_tuple(mapper, std::forward<T>(thing));
  } else if constexpr (container<T>) {
    return map_container(mapper, std::forward<T>(thing));
  } else {
    using result = std::invoke_result_t<Mapper&, T>;
    if constexpr (std::is_void_v<result>) {
      std::invoke(mapper, std::forward<T>(thing));
      return std::tuple<>();
    } else if constexpr (is_spread<std::remove_cvref_t<result>>) {
      return std::invoke(mapper, std::forward<T>(thing)).values;
    } else {
      return std::tuple<result>(std::invoke(mapper, std::forward<T>(thing)));
    }
  }
}

/// Calls the mapper, and drops what it returns.
template <class Mapper, class T>
void visit_one(Mapper& mapper, T&& thing) {
  if constexpr (!reaches<Mapper, T>()) {
    return;
  } else if constexpr (reference_wrapper<T>) {
    visit_one(mapper, thing.get());
  } else if constexpr (tuple_like<T>) {
    std::apply(
        [&mapper](auto&&... each) { (visit_one(mapper, std::forward<decltype(each)>(each)), ...); },
        std::forward<T>(thing));
  } else if constexpr (container<T>) {
    for (auto&& each : thing) {
      visit_one(mapper, static_cast<element_of<T>>(each));
    }
  } else {
    static_cast<void>(std::invoke(mapper, std::forward<T>(thing)));
  }
}

/// A tuple of several results; one as it is; none as void.
template <class... Results>
decltype(auto) unpack(std::tuple<Results...> results) {
  if constexpr (sizeof...(Results) == 1) {
    using only = std::tuple_element_t<0, std::tuple<Results...>>;
    return static_cast<only>(std::get<0>(std::move(results)));
  } else if constexpr (sizeof...(Results) > 1) {
    return std::tuple<Results...>(std::move(results));
  }
}

}  // namespace detail

/// For a mapper to return several things, or none, in the place of one.
template <class... Ts>
auto spread_this(Ts&&... things) {
  return detail::spread_box<std::decay_t<Ts>...>{
      std::tuple<std::decay_t<Ts>...>(std::forward<Ts>(things)...)};
}

/// The arguments with `mapper(x)` in place of every x that the mapper accepts, also in containers
/// and tuples, whose types change accordingly. One result is returned as it is, several as a tuple.
/// Arguments that the mapper does not accept stay as they are.
template <class Mapper, class... Ts>
decltype(auto) map_pack(Mapper&& mapper, Ts&&... things) {
  return detail::unpack(detail::map_all(mapper, std::forward<Ts>(things)...));
}

/// Calls `mapper(x)` for every x that the mapper takes, in order.
template <class Mapper, class... Ts>
void traverse_pack(Mapper&& mapper, Ts&&... things) {
  (detail::visit_one(mapper, std::forward<Ts>(things)), ...);
}

}  // namespace util

namespace compat {

/// Takes futures, and gives what is in them, `depth` futures deep.
template <std::size_t depth>
struct unwrap_futures {
  template <weft::any_future Future>
    requires requires(Future&& ready) { ready.get(); }
  auto operator()(Future&& ready) const {
    using value_type = typename std::remove_cvref_t<Future>::value_type;
    if constexpr (std::is_void_v<value_type>) {
      ready.get();
      return util::spread_this();
    } else {
      decltype(auto) value = ready.get();
      if constexpr (std::is_reference_v<value_type>) {
        return util::detail::spread_box<value_type>{std::tuple<value_type>(value)};
      } else if constexpr (std::is_lvalue_reference_v<decltype(value)> &&
                           !std::copy_constructible<value_type>) {  // of a shared future
        return util::detail::spread_box<const value_type&>{std::tuple<const value_type&>(value)};
      } else if constexpr (depth > 1) {
        const unwrap_futures<depth - 1> next;
        using owned = std::remove_cvref_t<decltype(value)>;
        return util::detail::spread_box_of(util::detail::map_all(next, owned(std::move(value))));
      } else {
        return util::detail::spread_box<value_type>{std::tuple<value_type>(std::move(value))};
      }
    }
  }
};

template <class F, class Tuple>
inline constexpr bool can_apply = false;
template <class F, class... Values>
inline constexpr bool can_apply<F, std::tuple<Values...>> = std::is_invocable_v<F, Values...>;

inline constexpr std::size_t any_depth = 64;  // no program nests futures so deep

template <std::size_t depth, class F>
class unwrapping_call {
 public:
  template <class G>
    requires(!std::same_as<std::remove_cvref_t<G>, unwrapping_call>)
  explicit unwrapping_call(G&& f) : call_(std::forward<G>(f)) {}

  template <class... Args>
    requires can_apply<F&,
                       decltype(util::detail::map_all(std::declval<const unwrap_futures<depth>&>(),
                                                      std::declval<Args>()...))>
  decltype(auto) operator()(Args&&... args) {
    const unwrap_futures<depth> mapper;
    return std::apply(call_, util::detail::map_all(mapper, std::forward<Args>(args)...));
  }

 private:
  F call_;
};

}  // namespace compat

/// The values of ready or not yet ready futures, also in containers and tuples; of several
/// arguments, a tuple. `unwrap` takes one future away, `unwrap_n` the given number of nested ones,
/// `unwrap_all` all of them.
template <class... Args>
decltype(auto) unwrap(Args&&... args) {
  return util::map_pack(compat::unwrap_futures<1>(), std::forward<Args>(args)...);
}
template <std::size_t depth, class... Args>
decltype(auto) unwrap_n(Args&&... args) {
  return util::map_pack(compat::unwrap_futures<depth>(), std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) unwrap_all(Args&&... args) {
  return util::map_pack(compat::unwrap_futures<compat::any_depth>(), std::forward<Args>(args)...);
}

/// A function that takes futures and calls `f` with what these give.
template <class F>
auto unwrapping(F&& f) {
  return compat::unwrapping_call<1, std::decay_t<F>>(std::forward<F>(f));
}
template <std::size_t depth, class F>
auto unwrapping_n(F&& f) {
  return compat::unwrapping_call<depth, std::decay_t<F>>(std::forward<F>(f));
}
template <class F>
auto unwrapping_all(F&& f) {
  return compat::unwrapping_call<compat::any_depth, std::decay_t<F>>(std::forward<F>(f));
}

}  // namespace hpx
