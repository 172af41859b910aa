// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs several senders and completes as the first of them does.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/when_all.hpp"

namespace weft::execution {
namespace detail {

/// The environment of a child: asked to stop once another is first.
template <class Env>
struct when_any_env {
  using forwards_all = void;
  [[nodiscard]] inplace_stop_token query(get_stop_token_t /*key*/) const noexcept { return token; }
  [[nodiscard]] const choice* query(get_choice_t /*key*/) const noexcept { return mine; }
  template <forwarded_query Query, class... Args>
    requires(!std::same_as<Query, get_stop_token_t> && !std::same_as<Query, get_choice_t> &&
             answers<Env, Query, Args...>)
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  inplace_stop_token token;
  const choice* mine;
  [[no_unique_address]] Env base;
};

template <class List, class... Env>
struct when_any_signatures;
template <class... Children, class... Env>
struct when_any_signatures<type_list<Children...>, Env...>
    : identity<joined_signatures<
          typename transformed<completion_signatures_of_t<Children, Env...>, by_copy>::type...,
          completion_signatures<set_stopped_t()>>> {};

template <class Receiver, class... Children>
struct when_any_operation {
  using operation_state_concept = operation_state_tag;
  using environment = when_any_env<env_of_t<Receiver>>;
  using stop_callback = stop_callback_for_t<stop_token_of_t<env_of_t<Receiver>>, request_stop_of>;

  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      owner->child_ended(*mine, set_value_t(), static_cast<Values&&>(values)...);
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      owner->child_ended(*mine, set_error_t(), static_cast<Error&&>(error));
    }
    void set_stopped() noexcept { owner->child_ended(*mine, set_stopped_t()); }
    [[nodiscard]] environment get_env() const noexcept {
      return {owner->source.get_token(), mine, execution::get_env(owner->to)};
    }
    when_any_operation* owner;
    const choice* mine;
  };

  template <class Indices>
  struct operations;
  template <std::size_t... i>
  struct operations<std::index_sequence<i...>>
      : indexed_operation<i, connect_result_t<Children, receiver>>... {
    operations(when_any_operation& me, std::tuple<Children&&...>&& children)
        : indexed_operation<i, connect_result_t<Children, receiver>>{connect(
              static_cast<Children&&>(std::get<i>(children)), receiver{&me, &me.choices[i]})}... {}
    void start() noexcept {
      (static_cast<indexed_operation<i, connect_result_t<Children, receiver>>&>(*this)
           .operation.start(),
       ...);
    }
  };

  when_any_operation(Receiver&& end, std::tuple<Children&&...>&& children)
      : to(static_cast<Receiver&&>(end)), inner((prepare(), *this), std::move(children)) {}
  when_any_operation(const when_any_operation&) = delete;
  when_any_operation& operator=(const when_any_operation&) = delete;
  ~when_any_operation() = default;

  void start() noexcept {
    on_stop.emplace(get_stop_token(execution::get_env(to)), request_stop_of{&source});
    if (source.stop_requested()) {
      on_stop.reset();
      static_cast<Receiver&&>(to).set_stopped();
      return;
    }
    inner.start();
  }

  /// Before the children ask for their environments.
  void prepare() noexcept {
    const choice* outer = nullptr;
    if constexpr (answers<std::remove_cvref_t<env_of_t<Receiver>>, get_choice_t>) {
      outer = execution::get_env(to).query(get_choice_t());
    }
    for (choice& each : choices) {
      each = {&winner, outer};
    }
  }

  template <class Tag, class... Args>
  void child_ended(const choice& of, Tag tag, Args&&... args) noexcept {
    if constexpr (std::is_same_v<Tag, set_stopped_t>) {
      // It says only that others were faster, unless it had claimed to be the first.
      if (winner.load(std::memory_order_relaxed) == &of) {
        source.request_stop();
      }
    } else if (of.claim_here()) {
      keep(tag, static_cast<Args&&>(args)...);
      source.request_stop();
    }
    // acq_rel: the last one sees the result
    if (num_running.fetch_sub(1, std::memory_order_acq_rel) != 1) {
      return;
    }
    on_stop.reset();
    if (send != nullptr) {
      send(*this);
    } else {
      static_cast<Receiver&&>(to).set_stopped();
    }
  }
  template <class Tag, class... Args>
  void keep(Tag tag, Args&&... args) noexcept {
    if constexpr (nothrow_decay_copy<Args...>) {
      keep_as(tag, static_cast<Args&&>(args)...);
    } else {
      try {
        keep_as(tag, static_cast<Args&&>(args)...);
      } catch (...) {
        keep_as(set_error_t(), std::current_exception());
      }
    }
  }
  template <class Tag, class... Args>
  void keep_as(Tag tag, Args&&... args) {
    result.keep(tag, static_cast<Args&&>(args)...);
    send = [](when_any_operation& me) noexcept {
      me.result.template send<decayed<Tag, Args...>>(static_cast<Receiver&&>(me.to));
    };
  }

  [[no_unique_address]] Receiver to;
  inplace_stop_source source;
  std::optional<stop_callback> on_stop;
  std::atomic<std::size_t> num_running{sizeof...(Children)};
  std::atomic<const choice*> winner{nullptr};
  std::array<choice, sizeof...(Children)> choices;
  kept_completion<typename when_any_signatures<type_list<Children...>, environment>::type> result;
  void (*send)(when_any_operation& me) noexcept = nullptr;
  operations<std::index_sequence_for<Children...>> inner;
};

template <class... Children>
struct [[nodiscard]] when_any_sender : connects_as_it_is<when_any_sender<Children...>> {
  using sender_concept = sender_tag;
  template <class Self, class... Env>
    requires(sender_in<member_of<Self, Children>, when_any_env<Env>...> && ...)
  static consteval auto get_completion_signatures() {
    return typename when_any_signatures<type_list<member_of<Self, Children>...>,
                                        when_any_env<Env>...>::type();
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return std::apply(
        [&](auto&&... child) {
          return when_any_operation<Receiver, member_of<Self, Children>...>(
              static_cast<Receiver&&>(to),
              std::tuple<member_of<Self, Children>&&...>(static_cast<decltype(child)>(child)...));
        },
        static_cast<Self&&>(self).children);
  }

  [[no_unique_address]] std::tuple<Children...> children;
};

}  // namespace detail

/// Completes with the first value or error of the senders. It requests the others to stop, and
/// completes after they have ended. It completes as stopped if all are stopped. Of several that
/// complete at once, the first listed one wins.
///
/// A sender of a channel (weft/execution/channel.hpp) that loses has neither taken nor sent a
/// message. So has one behind adaptors that pass its completion on, such as `then`. It does not
/// hold for what is a part of other work: behind `let_value`, in `when_all`, in a coroutine.
/// Example: tests/execution/joint_test.cpp: the_first_value_wins.
struct when_any_t {
  template <sender... Senders>
    requires(sizeof...(Senders) != 0)
  constexpr auto operator()(Senders&&... senders) const {
    return detail::when_any_sender<std::decay_t<Senders>...>{{},
                                                             {static_cast<Senders&&>(senders)...}};
  }
};
inline constexpr when_any_t when_any{};

}  // namespace weft::execution
