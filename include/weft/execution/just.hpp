// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders that complete at once: with values, with an error, by a stop.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"

namespace weft::execution {

struct just_t;
struct just_error_t;
struct just_stopped_t;
namespace detail {

/// The attributes of what completes where it is started, if the environment says where that is.
struct completes_where_started {
  using forwards_all = void;
  template <class Tag, class Env>
    requires answers<Env, get_start_scheduler_t>
  [[nodiscard]] constexpr auto query(get_completion_scheduler_t<Tag> /*key*/,
                                     const Env& env) const noexcept {
    return get_start_scheduler(env);
  }
};

template <class Receiver, class Tag, class... Values>
struct just_operation {
  using operation_state_concept = operation_state_tag;

  constexpr just_operation(Receiver&& end, auto&& given)
      : to(static_cast<Receiver&&>(end)),
        values(make_for<std::tuple<Values...>>(to, static_cast<decltype(given)>(given))) {}
  just_operation(const just_operation&) = delete;
  just_operation& operator=(const just_operation&) = delete;
  ~just_operation() = default;
  constexpr void start() noexcept {
    std::apply(
        [this](Values&... value) noexcept {
          Tag()(static_cast<Receiver&&>(to), static_cast<Values&&>(value)...);
        },
        values);
  }

  [[no_unique_address]] Receiver to;
  [[no_unique_address]] std::tuple<Values...> values;
};

template <class Tag, class... Values>
struct [[nodiscard]] just_sender {
  using tag_type = std::conditional_t<
      std::is_same_v<Tag, set_value_t>,
      just_t,
      std::conditional_t<std::is_same_v<Tag, set_error_t>, just_error_t, just_stopped_t>>;
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<Tag(Values...)>;

  template <class Receiver>
  constexpr auto connect(Receiver to) && noexcept(
      noexcept(make_for<std::tuple<Values...>>(to, std::declval<std::tuple<Values...>>()))) {
    return just_operation<Receiver, Tag, Values...>(static_cast<Receiver&&>(to), std::move(values));
  }
  template <class Receiver>
  constexpr auto connect(Receiver to) const& noexcept(
      noexcept(make_for<std::tuple<Values...>>(to, std::declval<const std::tuple<Values...>&>()))) {
    return just_operation<Receiver, Tag, Values...>(static_cast<Receiver&&>(to), values);
  }
  [[nodiscard]] constexpr completes_where_started get_env() const noexcept { return {}; }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.values);
  }

  [[no_unique_address]] std::tuple<Values...> values;
};

}  // namespace detail

/// A sender of copies of these values.
/// Example: tests/execution/adaptors_test.cpp: just_sends_its_values.
struct just_t {
  template <class... Values>
  constexpr auto operator()(Values&&... values) const
      noexcept((std::is_nothrow_constructible_v<std::decay_t<Values>, Values> && ...)) {
    return detail::just_sender<set_value_t, std::decay_t<Values>...>{
        {static_cast<Values&&>(values)...}};
  }
};
inline constexpr just_t just{};

/// A sender of an error.
struct just_error_t {
  template <class Error>
  constexpr auto operator()(Error&& error) const
      noexcept(std::is_nothrow_constructible_v<std::decay_t<Error>, Error>) {
    return detail::just_sender<set_error_t, std::decay_t<Error>>{{static_cast<Error&&>(error)}};
  }
};
inline constexpr just_error_t just_error{};

/// A sender that completes as stopped.
struct just_stopped_t {
  constexpr auto operator()() const noexcept { return detail::just_sender<set_stopped_t>{}; }
};
inline constexpr just_stopped_t just_stopped{};

}  // namespace weft::execution
