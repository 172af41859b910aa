// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives a sender its own environment.
#pragma once

#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"

namespace weft::execution {

struct write_env_t;
namespace detail {

/// What `Own` answers, else what `Base` forwards.
template <class Own, class Base>
struct joined_env {
  using forwards_all = void;
  template <class Query, class... Args>
    requires(answers<Own, Query, Args...> ||
             (forwarded_query<Query> && answers<Base, Query, Args...>))
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    if constexpr (answers<Own, Query, Args...>) {
      return own.query(query, static_cast<Args&&>(args)...);
    } else {
      return base.query(query, static_cast<Args&&>(args)...);
    }
  }
  [[no_unique_address]] Own own;
  [[no_unique_address]] Base base;
};

/// Completes as its receiver does, in another environment.
template <class Receiver, class Own>
struct env_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  constexpr void set_value(Values&&... values) noexcept {
    static_cast<Receiver&&>(to).set_value(static_cast<Values&&>(values)...);
  }
  template <class Error>
  constexpr void set_error(Error&& error) noexcept {
    static_cast<Receiver&&>(to).set_error(static_cast<Error&&>(error));
  }
  constexpr void set_stopped() noexcept { static_cast<Receiver&&>(to).set_stopped(); }
  [[nodiscard]] constexpr joined_env<Own, env_of_t<Receiver>> get_env() const noexcept {
    return {own, execution::get_env(to)};
  }
  [[no_unique_address]] Receiver to;
  [[no_unique_address]] Own own;
};

template <class Child, class Own>
struct [[nodiscard]] env_sender : connects_as_it_is<env_sender<Child, Own>> {
  using tag_type = write_env_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> completion_signatures_of_t<child_of<Self>, joined_env<Own, Env>...> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return execution::connect(
        static_cast<Self&&>(self).child,
        env_receiver<Receiver, Own>{static_cast<Receiver&&>(to), static_cast<Self&&>(self).own});
  }
  [[nodiscard]] constexpr auto get_env() const noexcept {
    return forward_env(execution::get_env(child));
  }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.own, self.child);
  }
  [[no_unique_address]] Child child;
  [[no_unique_address]] Own own;
};

}  // namespace detail

/// `sender | write_env(env)`: what `env` answers, it answers to `sender`; all else is as outside.
/// Example: tests/execution/adaptors_test.cpp: write_env_answers_first.
struct write_env_t {
  template <sender Sender, queryable Env>
  constexpr auto operator()(Sender&& sender, Env environment) const {
    return detail::env_sender<std::decay_t<Sender>, Env>{
        {}, static_cast<Sender&&>(sender), static_cast<Env&&>(environment)};
  }
  template <queryable Env>
    requires(!sender<Env>)
  constexpr auto operator()(Env environment) const {
    return detail::bound_adaptor(write_env_t(), static_cast<Env&&>(environment));
  }
};
inline constexpr write_env_t write_env{};

/// `sender | unstoppable()`: `sender` receives no stop request.
struct unstoppable_t {
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const {
    return write_env(static_cast<Sender&&>(sender), prop(get_stop_token, never_stop_token()));
  }
  constexpr auto operator()() const { return detail::bound_adaptor(unstoppable_t()); }
};
inline constexpr unstoppable_t unstoppable{};

}  // namespace weft::execution
