// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs several senders and sends all that they send.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/into_variant.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"

namespace weft::execution {

struct when_all_t;
namespace detail {

template <class Env>
using when_all_env = stoppable_env<inplace_stop_token, choiceless<Env>>;

struct request_stop_of {
  void operator()() const noexcept { source->request_stop(); }
  inplace_stop_source* source;
};

/// The shared state of several children of one operation: the number that still run, and the
/// outcome.
template <class Receiver, class Errors, bool may_stop>
struct joint_state {
  enum class ending : std::uint8_t { values, stopped, error };
  using parent_token = stop_token_of_t<env_of_t<Receiver>>;
  using parent_callback = stop_callback_for_t<parent_token, request_stop_of>;
  using environment = when_all_env<env_of_t<Receiver>>;

  joint_state(std::size_t num_children, Receiver&& end) noexcept
      : to(static_cast<Receiver&&>(end)), num_running(num_children) {}

  /// From here on a request to stop reaches the children; one that came before, too.
  void begin() noexcept {
    on_stop.emplace(get_stop_token(execution::get_env(to)), request_stop_of{&source});
  }
  [[nodiscard]] environment get_env() const noexcept {
    return {source.get_token(), without_choice(execution::get_env(to))};
  }
  template <class Error>
  void fail(Error&& error) noexcept {
    if (!end_as(ending::error)) {
      return;
    }
    if constexpr (nothrow_decay_copy<Error>) {
      keep(static_cast<Error&&>(error));
    } else {
      try {
        keep(static_cast<Error&&>(error));
      } catch (...) {
        keep(std::current_exception());
      }
    }
  }
  /// True if it now ends so: an error wins over a stop, and the first error over others.
  bool end_as(ending what) noexcept {
    // acq_rel: num_running passes the winner's error to the completing thread
    ending before = how.load(std::memory_order_relaxed);
    while (before < what) {
      if (how.compare_exchange_weak(before, what, std::memory_order_acq_rel)) {
        source.request_stop();
        return true;
      }
    }
    return false;
  }
  template <class Error>
  void keep(Error&& error) {
    errors.keep(set_error_t(), static_cast<Error&&>(error));
    send_error = [](joint_state& me) noexcept {
      me.errors.template send<decayed<set_error_t, Error>>(static_cast<Receiver&&>(me.to));
    };
  }
  /// True for the last child.
  bool arrive() noexcept {
    // acq_rel: the last one sees what all others wrote
    return num_running.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Completes if not with values. True: it is to be completed with values.
  bool is_completed_without_values() noexcept {
    on_stop.reset();
    switch (how.load(std::memory_order_relaxed)) {
      case ending::values:
        return false;
      case ending::error:
        send_error(*this);
        return true;
      case ending::stopped:
        if constexpr (may_stop) {
          static_cast<Receiver&&>(to).set_stopped();
        }
        return true;
    }
    return false;
  }

  [[no_unique_address]] Receiver to;
  std::atomic<std::size_t> num_running;
  std::atomic<ending> how{ending::values};
  inplace_stop_source source;
  std::optional<parent_callback> on_stop;
  kept_completion<Errors> errors;
  void (*send_error)(joint_state& me) noexcept = nullptr;
};

/// The only kind of values of a child of `when_all`, decayed; `void` if it sends none.
template <class List>
struct sole_values {
  static_assert(num_signatures<List> <= 1,
                "weft::execution::when_all: a sender may complete with several kinds of values "
                "(set_value_t); use when_all_with_variant, or into_variant before it");
};
template <>
struct sole_values<completion_signatures<>> : identity<void> {};
template <class... Values>
struct sole_values<completion_signatures<set_value_t(Values...)>>
    : identity<std::tuple<std::decay_t<Values>...>> {};

template <class Child, class... Env>
using when_all_values = typename sole_values<
    signatures_of_tag<set_value_t, completion_signatures_of_t<Child, Env...>>>::type;

template <class... Tuples>
struct sent_together : identity<completion_signatures<>> {};
template <class... Tuples>
  requires(!std::is_void_v<Tuples> && ...)
struct sent_together<Tuples...> {
  template <class List>
  struct as_signature;
  template <class... Values>
  struct as_signature<std::tuple<Values...>>
      : identity<completion_signatures<set_value_t(Values...)>> {};
  using type = typename as_signature<decltype(std::tuple_cat(std::declval<Tuples>()...))>::type;
};

/// Only the errors, copied.
struct by_kept_errors {
  template <class...>
  using value = completion_signatures<>;
  template <class Error>
  using error = typename by_copy::template error<Error>;
  using stopped = completion_signatures<>;
  using added = completion_signatures<>;
};
struct by_throwing_copies : by_kept_errors {
  template <class... Values>
  using value = exception_if<!nothrow_decay_copy<Values...>>;
};

/// The errors of one child.
template <class Child, class... Env>
using when_all_errors =
    typename transformed<completion_signatures_of_t<Child, Env...>, by_throwing_copies>::type;
/// Nothing, or `set_stopped_t()` if the child may be stopped.
template <class Child, class... Env>
using when_all_stops = signatures_of_tag<set_stopped_t, completion_signatures_of_t<Child, Env...>>;
template <class Env, class... Children>
inline constexpr bool any_may_stop = ((num_signatures<when_all_stops<Children, Env>> != 0) || ...);
template <class Env, class... Children>
using all_errors = joined_signatures<when_all_errors<Children, Env>...>;

/// What `when_all` of these children may complete with; with no environment if none depends on it.
template <class List, class... Env>
struct when_all_signatures;
template <class... Children, class... Env>
struct when_all_signatures<type_list<Children...>, Env...>
    : identity<joined_signatures<typename sent_together<when_all_values<Children, Env...>...>::type,
                                 when_all_errors<Children, Env...>...,
                                 when_all_stops<Children, Env...>...>> {};

template <class State, class Stored, class Env>
struct when_all_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    if constexpr (!std::is_void_v<Stored>) {
      if constexpr (nothrow_decay_copy<Values...>) {
        stored->emplace(static_cast<Values&&>(values)...);
      } else {
        try {
          stored->emplace(static_cast<Values&&>(values)...);
        } catch (...) {
          state->fail(std::current_exception());
        }
      }
    }
    state->child_ended();
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    state->fail(static_cast<Error&&>(error));
    state->child_ended();
  }
  void set_stopped() noexcept {
    state->end_as(State::ending::stopped);
    state->child_ended();
  }
  [[nodiscard]] Env get_env() const noexcept { return state->get_env(); }

  State* state;
  std::optional<std::conditional_t<std::is_void_v<Stored>, std::tuple<>, Stored>>* stored;
};

template <std::size_t, class Operation>
struct indexed_operation {
  Operation operation;
};

template <class Receiver, class... Children>
using when_all_state = joint_state<Receiver,
                                   all_errors<when_all_env<env_of_t<Receiver>>, Children...>,
                                   any_may_stop<when_all_env<env_of_t<Receiver>>, Children...>>;

template <class Receiver, class... Children>
struct when_all_operation : when_all_state<Receiver, Children...> {
  using operation_state_concept = operation_state_tag;
  using state = when_all_state<Receiver, Children...>;
  using environment = typename state::environment;
  template <class Child>
  using stored_of = when_all_values<Child, environment>;
  template <class Child>
  using receiver_of = when_all_receiver<when_all_operation, stored_of<Child>, environment>;
  template <class Stored>
  using room_of = std::optional<std::conditional_t<std::is_void_v<Stored>, std::tuple<>, Stored>>;

  template <class Indices>
  struct operations;
  template <std::size_t... i>
  struct operations<std::index_sequence<i...>>
      : indexed_operation<i, connect_result_t<Children, receiver_of<Children>>>... {
    operations(when_all_operation& me, std::tuple<Children&&...>&& children)
        : indexed_operation<i, connect_result_t<Children, receiver_of<Children>>>{
              connect(static_cast<Children&&>(std::get<i>(children)),
                      receiver_of<Children>{&me, &std::get<i>(me.values)})}... {}
    void start() noexcept {
      (static_cast<indexed_operation<i, connect_result_t<Children, receiver_of<Children>>>&>(*this)
           .operation.start(),
       ...);
    }
  };

  when_all_operation(Receiver&& end, std::tuple<Children&&...>&& children)
      : state(sizeof...(Children), static_cast<Receiver&&>(end)),
        inner(*this, std::move(children)) {}
  when_all_operation(const when_all_operation&) = delete;
  when_all_operation& operator=(const when_all_operation&) = delete;
  ~when_all_operation() = default;

  void start() noexcept {
    this->begin();
    inner.start();
  }
  void child_ended() noexcept {
    if (this->arrive()) {
      complete();
    }
  }
  void complete() noexcept {
    if (this->is_completed_without_values()) {
      return;
    }
    if constexpr ((!std::is_void_v<stored_of<Children>> && ...)) {
      std::apply(
          [this](auto&... rooms) noexcept {
            // NOLINTNEXTLINE(bugprone-unchecked-optional-access): all children have sent
            auto all = std::tuple_cat(refer_to(*rooms)...);
            std::apply(
                [this](auto&&... sent) noexcept {
                  static_cast<Receiver&&>(this->to).set_value(static_cast<decltype(sent)>(sent)...);
                },
                std::move(all));
          },
          values);
    }
  }
  template <class... Values>
  static std::tuple<Values&&...> refer_to(std::tuple<Values...>& sent) noexcept {
    return std::apply(
        [](Values&... each) { return std::tuple<Values&&...>(static_cast<Values&&>(each)...); },
        sent);
  }

  std::tuple<room_of<stored_of<Children>>...> values;
  operations<std::index_sequence_for<Children...>> inner;
};

template <class... Children>
struct [[nodiscard]] when_all_sender : connects_as_it_is<when_all_sender<Children...>> {
  using tag_type = when_all_t;
  using sender_concept = sender_tag;

  template <class Self, class... Env>
    requires(sender_in<member_of<Self, Children>, when_all_env<Env>...> && ...)
  static consteval auto get_completion_signatures() {
    return typename when_all_signatures<type_list<member_of<Self, Children>...>,
                                        when_all_env<Env>...>::type();
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return std::apply(
        [&](auto&&... child) {
          return when_all_operation<Receiver, member_of<Self, Children>...>(
              static_cast<Receiver&&>(to),
              std::tuple<member_of<Self, Children>&&...>(static_cast<decltype(child)>(child)...));
        },
        static_cast<Self&&>(self).children);
  }
  [[nodiscard]] static constexpr completes_with_last<Children...> get_env() noexcept { return {}; }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::apply([](auto&... child) { return std::tie(no_data, child...); }, self.children);
  }

  [[no_unique_address]] std::tuple<Children...> children;
};

}  // namespace detail

/// Runs all these senders and sends what they send, one after the other, once all have completed.
/// When one fails or is stopped, the others are asked to stop, and the first error is sent. A
/// request to stop from outside reaches them; if they complete with values all the same, so does
/// `when_all`.
/// Example: tests/execution/joint_test.cpp: sends_all_values_in_order.
struct when_all_t {
  template <sender... Senders>
    requires(sizeof...(Senders) != 0)
  constexpr auto operator()(Senders&&... senders) const {
    return detail::when_all_sender<std::decay_t<Senders>...>{{},
                                                             {static_cast<Senders&&>(senders)...}};
  }
  /// Of a range of senders; see when_all_range.hpp.
  template <class Range>
    requires(!sender<Range>)
  constexpr auto operator()(Range&& senders) const;
};
inline constexpr when_all_t when_all{};

/// As `when_all` for senders of several kinds of values: sends a std::variant for each sender.
struct when_all_with_variant_t {
  template <sender... Senders>
    requires(sizeof...(Senders) != 0)
  constexpr auto operator()(Senders&&... senders) const {
    return when_all(into_variant(static_cast<Senders&&>(senders))...);
  }
};
inline constexpr when_all_with_variant_t when_all_with_variant{};

}  // namespace weft::execution
