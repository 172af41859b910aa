// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an algorithm may run: in sequence, vectorised, in parallel, on which workers, in which
// chunks.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/tasks/future.hpp"

// What libstdc++'s <algorithm> includes anyway: <execution> itself would want TBB.
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a header takes none
#define WEFT_LIGHT_STD_POLICIES <pstl/execution_defs.h>
#if __has_include(WEFT_LIGHT_STD_POLICIES)
#include WEFT_LIGHT_STD_POLICIES
#define WEFT_KNOWS_STD_POLICIES 1
#else
#define WEFT_KNOWS_STD_POLICIES 0
#endif

namespace weft {

namespace execution {
template <class... Values>
class any_sender;
}

namespace algorithms {

/// Which of the six policies a policy is.
enum class execution_kind : unsigned char { seq, unseq, par, par_unseq, simd, par_simd };

/// A property of an execution policy: it has a category and can be copied into a policy.
template <class P>
concept property = std::copy_constructible<P> && requires { typename P::category; };

/// An argument of `policy.with`: those of parameters.hpp.
template <class P>
concept policy_property = requires { typename P::category; };

/// A parameter that is given by reference, since it keeps something.
template <class P>
struct kept {
  using category = typename P::category;
  const P* object;
};

namespace detail {

template <class Category, class Property>
[[nodiscard]] constexpr auto unless_of(const Property& p) {
  if constexpr (std::same_as<Category, typename Property::category>) {
    return std::tuple<>();
  } else {
    return std::tuple<Property>(p);
  }
}

/// `properties` with `added` in the place of those of its category.
template <class Added, class... Properties>
[[nodiscard]] constexpr auto with_property(const std::tuple<Properties...>& properties,
                                           const Added& added) {
  using category = typename Added::category;
  return std::tuple_cat(unless_of<category>(std::get<Properties>(properties))...,
                        std::tuple<Added>(added));
}

[[nodiscard]] inline runtime_executor stored_executor(runtime& home) noexcept {
  return runtime_executor(home);
}
template <class Executor>
[[nodiscard]] constexpr const Executor& stored_executor(const Executor& executor) noexcept {
  return executor;  // NOLINT(bugprone-return-const-ref-from-parameter): copied at once
}

[[nodiscard]] inline kept<persistent_auto_chunk_size> stored_property(
    const persistent_auto_chunk_size& p) noexcept {
  return {&p};
}
template <property P>
[[nodiscard]] constexpr const P& stored_property(const P& p) noexcept {
  return p;  // NOLINT(bugprone-return-const-ref-from-parameter): copied at once
}

}  // namespace detail
}  // namespace algorithms

/// How an algorithm runs. The objects below are the six kinds; members give changed copies.
///
/// Example: tests/algorithms/policy_test.cpp: properties_of_a_category_replace_each_other.
template <algorithms::execution_kind which_kind,
          class Executor = algorithms::default_executor,
          class... Properties>
class execution_policy_of {
 public:
  using executor_type = Executor;
  static constexpr algorithms::execution_kind kind = which_kind;
  static constexpr bool is_parallel = kind == algorithms::execution_kind::par ||
                                      kind == algorithms::execution_kind::par_unseq ||
                                      kind == algorithms::execution_kind::par_simd;
  static constexpr bool is_simd =
      kind == algorithms::execution_kind::simd || kind == algorithms::execution_kind::par_simd;
  static constexpr bool is_vectorized = is_simd || kind == algorithms::execution_kind::unseq ||
                                        kind == algorithms::execution_kind::par_unseq;
  /// Whether a property of this type was given.
  template <class P>
  static constexpr bool has = (std::same_as<P, Properties> || ...);
  static constexpr bool is_deterministic = has<deterministic_t>;
  static constexpr bool is_in_place = has<in_place_t>;
  static constexpr bool is_future = has<as_future_t>;
  static constexpr bool is_sender = has<as_sender_t>;
  /// Calls return before they are done: they own copies of their arguments.
  static constexpr bool is_later = is_future || is_sender;

  constexpr execution_policy_of() = default;
  constexpr execution_policy_of(const Executor& executor, const std::tuple<Properties...>& all)
      : executor_(executor), properties_(all) {}

  /// The same on the workers of `executor`, a runtime or what models `algorithm_executor`.
  template <algorithm_executor E>
  [[nodiscard]] constexpr auto on(E&& executor) const {
    using stored = std::remove_cvref_t<decltype(algorithms::detail::stored_executor(executor))>;
    return execution_policy_of<kind, stored, Properties...>(
        algorithms::detail::stored_executor(executor), properties_);
  }

  /// The same with properties, each in the place of a former one of its category.
  template <algorithms::policy_property First, algorithms::policy_property... Others>
  [[nodiscard]] constexpr auto with(const First& first, const Others&... others) const {
    auto changed = made(
        algorithms::detail::with_property(properties_, algorithms::detail::stored_property(first)));
    if constexpr (sizeof...(Others) == 0) {
      return changed;
    } else {
      return changed.with(others...);
    }
  }

  /// The same, for calls that return at once and give a `weft::future`.
  [[nodiscard]] constexpr auto operator()(as_future_t as) const { return with(as); }
  /// The same, for calls that give a sender; include weft/algorithms/as_sender.hpp.
  [[nodiscard]] constexpr auto operator()(as_sender_t as) const { return with(as); }

  [[nodiscard]] constexpr const Executor& executor() const noexcept { return executor_; }
  /// The property of this type, which was given.
  template <class P>
  [[nodiscard]] constexpr const P& get() const noexcept {
    return std::get<P>(properties_);
  }

 private:
  template <class... Others>
  constexpr auto made(const std::tuple<Others...>& all) const {
    return execution_policy_of<kind, Executor, Others...>(executor_, all);
  }

  [[no_unique_address]] Executor executor_;
  [[no_unique_address]] std::tuple<Properties...> properties_;
};

/// The type of `seq`: on the calling thread, in order.
using sequenced_policy = execution_policy_of<algorithms::execution_kind::seq>;
/// The type of `unseq`: on the calling thread, with vectors.
using unsequenced_policy = execution_policy_of<algorithms::execution_kind::unseq>;
/// The type of `par`: on all workers.
using parallel_policy = execution_policy_of<algorithms::execution_kind::par>;
/// The type of `par_unseq`: on all workers, with vectors.
using parallel_unsequenced_policy = execution_policy_of<algorithms::execution_kind::par_unseq>;
/// The type of `simd`: on the calling thread; functions take packs of elements.
using simd_policy = execution_policy_of<algorithms::execution_kind::simd>;
/// The type of `par_simd`: on all workers; functions take packs of elements.
using parallel_simd_policy = execution_policy_of<algorithms::execution_kind::par_simd>;

inline constexpr sequenced_policy seq{};
inline constexpr unsequenced_policy unseq{};
inline constexpr parallel_policy par{};
inline constexpr parallel_unsequenced_policy par_unseq{};
inline constexpr simd_policy simd{};
inline constexpr parallel_simd_policy par_simd{};

namespace algorithms::detail {

template <class P>
struct policy_traits {
  static constexpr bool is_policy = false;
};

template <execution_kind kind, class Executor, class... Properties>
struct policy_traits<execution_policy_of<kind, Executor, Properties...>> {
  static constexpr bool is_policy = true;
  using policy = execution_policy_of<kind, Executor, Properties...>;
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): used while the call has its policy
  static constexpr const policy& resolve(const policy& given) noexcept { return given; }
};

#if WEFT_KNOWS_STD_POLICIES
template <class Policy>
struct std_policy_traits {
  static constexpr bool is_policy = true;
  using policy = Policy;
  template <class Given>
  static constexpr Policy resolve(const Given& /*given*/) noexcept {
    return {};
  }
};
template <>
struct policy_traits<__pstl::execution::sequenced_policy> : std_policy_traits<sequenced_policy> {};
template <>
struct policy_traits<__pstl::execution::unsequenced_policy>
    : std_policy_traits<unsequenced_policy> {};
template <>
struct policy_traits<__pstl::execution::parallel_policy> : std_policy_traits<parallel_policy> {};
template <>
struct policy_traits<__pstl::execution::parallel_unsequenced_policy>
    : std_policy_traits<parallel_unsequenced_policy> {};
#endif

/// The policy of ours that `P` stands for.
template <class P>
using resolved_policy = typename policy_traits<std::remove_cvref_t<P>>::policy;

}  // namespace algorithms::detail

/// weft's policies, and the standard's.
template <class P>
concept execution_policy = algorithms::detail::policy_traits<std::remove_cvref_t<P>>::is_policy;

namespace algorithms::detail {

template <class R, bool is_future, bool is_sender>
struct result_of_call {
  using type = R;
};
template <class R>
struct result_of_call<R, true, false> {
  using type = future<R>;
};
template <class R>
struct result_of_call<R, false, true> {
  using type = execution::any_sender<R>;
};
template <>
struct result_of_call<void, false, true> {
  using type = execution::any_sender<>;
};

}  // namespace algorithms::detail

/// The return type of an algorithm of result `R`: `R`, `weft::future<R>` for `policy(as_future)`,
/// or an `execution::any_sender` of it for `policy(as_sender)`.
template <class P, class R>
using algorithm_result_t = typename algorithms::detail::result_of_call<
    R,
    algorithms::detail::resolved_policy<P>::is_future,
    algorithms::detail::resolved_policy<P>::is_sender>::type;

}  // namespace weft
