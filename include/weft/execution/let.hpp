// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes on with a sender that a function makes of what another one sent.
#pragma once

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"

namespace weft::execution {

struct let_value_t;
struct let_error_t;
struct let_stopped_t;
namespace detail {

/// Stands for the sender of a function of which an error was reported.
struct [[nodiscard]] no_sender {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<>;
  struct operation {
    using operation_state_concept = operation_state_tag;
    void start() noexcept {}
  };
  template <class Receiver>
  static operation connect(Receiver&& /*to*/) noexcept {
    return {};
  }
};

template <class F, class... Args>
struct result_or_none : identity<no_sender> {};
template <class F, class... Args>
  requires sender<std::invoke_result_t<F, Args...>>
struct result_or_none<F, Args...> : std::invoke_result<F, Args...> {};

template <class F, class... Args>
struct let_result {
  using type = typename result_or_none<F, std::decay_t<Args>&...>::type;
  static constexpr bool can_be_called = std::is_invocable_v<F, std::decay_t<Args>&...>;
  static_assert(can_be_called,
                "weft::execution::let_value, let_error, let_stopped: the function cannot be called "
                "with lvalues of what the sender before it completes with");
  static_assert(!can_be_called || !std::is_same_v<type, no_sender>,
                "weft::execution::let_value, let_error, let_stopped: the function must return a "
                "sender; use then, upon_error or upon_stopped for one that returns a value");
};
template <class F, class... Args>
using let_result_t = typename let_result<F, Args...>::type;

/// The environment of the first sender: what follows it may still fail, or be stopped.
template <class Receiver>
using let_outer_env = choiceless<forwarded_env_of<Receiver>>;

/// The environment of the senders that the function makes: the scheduler is where it is called.
template <class Child, class Env>
using let_env =
    decltype(env_after(std::declval<const std::remove_cvref_t<Child>&>(), std::declval<Env>()));

/// A receiver that is connected only to find out whether that may throw.
template <class Env>
struct let_probe {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... /*values*/) noexcept {}
  template <class Error>
  void set_error(Error&& /*error*/) noexcept {}
  void set_stopped() noexcept {}
  [[noreturn]] Env get_env() const noexcept { std::terminate(); }  // never called
};

/// True unless keeping the arguments, calling the function and connecting what it returns, in the
/// environment `Env` (if it is known), are all noexcept.
template <class F, class Env, class... Args>
consteval bool let_may_throw() {
  if constexpr (!nothrow_decay_copy<Args...> ||
                !std::is_nothrow_invocable_v<F, std::decay_t<Args>&...>) {
    return true;
  } else {
    return !noexcept(connect(std::declval<let_result_t<F, Args...>>(), let_probe<Env>()));
  }
}

template <class... Env>
struct one_env : identity<env<>> {};
template <class Env>
struct one_env<Env> : identity<Env> {};

template <class Tag, class F, class... Env>
struct by_let : unchanged {
  template <class... Args>
  using of_result =
      joined_signatures<completion_signatures_of_t<let_result_t<F, Args...>, Env...>,
                        exception_if<let_may_throw<F, typename one_env<Env...>::type, Args...>()>>;
  template <class Own, class Kept, class... Args>
  struct chosen : identity<Kept> {};
  template <class Own, class Kept, class... Args>
    requires std::is_same_v<Own, Tag>
  struct chosen<Own, Kept, Args...> : identity<of_result<Args...>> {};

  template <class... Values>
  using value =
      typename chosen<set_value_t, completion_signatures<set_value_t(Values...)>, Values...>::type;
  template <class Error>
  using error =
      typename chosen<set_error_t, completion_signatures<set_error_t(Error)>, Error>::type;
  using stopped = typename chosen<set_stopped_t, completion_signatures<set_stopped_t()>>::type;
};

/// Whether the completions of what the function returns are known, for one completion before it.
template <class Tag, class F, class Signature, class... Env>
inline constexpr bool is_let_result_known = true;
template <class Tag, class F, class... Args, class... Env>
inline constexpr bool is_let_result_known<Tag, F, Tag(Args...), Env...> =
    sender_in<let_result_t<F, Args...>, Env...>;

/// No `type` if the completions of a result are not known.
template <class Tag, class F, class List, class... Env>
struct let_signatures {};
template <class Tag, class F, class... Signatures, class... Env>
  requires(is_let_result_known<Tag, F, Signatures, Env...> && ...)
struct let_signatures<Tag, F, completion_signatures<Signatures...>, Env...>
    : identity<
          transformed_signatures<completion_signatures<Signatures...>, by_let<Tag, F, Env...>>> {};

template <class Tag, class Child, class Receiver, class F>
struct let_operation {
  using operation_state_concept = operation_state_tag;
  using second_env = let_env<Child, let_outer_env<Receiver>>;

  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      owner->on_completion(set_value_t(), static_cast<Values&&>(values)...);
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      owner->on_completion(set_error_t(), static_cast<Error&&>(error));
    }
    void set_stopped() noexcept { owner->on_completion(set_stopped_t()); }
    [[nodiscard]] let_outer_env<Receiver> get_env() const noexcept {
      return without_choice(forward_env(execution::get_env(owner->to)));
    }
    let_operation* owner;
  };
  struct second_receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      static_cast<Receiver&&>(owner->to).set_value(static_cast<Values&&>(values)...);
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      static_cast<Receiver&&>(owner->to).set_error(static_cast<Error&&>(error));
    }
    void set_stopped() noexcept { static_cast<Receiver&&>(owner->to).set_stopped(); }
    [[nodiscard]] const second_env& get_env() const noexcept { return owner->environment; }
    let_operation* owner;
  };

  template <class... Args>
  using second_operation = connect_result_t<let_result_t<F, Args...>, second_receiver>;
  using child_signatures = completion_signatures_of_t<Child, let_outer_env<Receiver>>;
  using chosen = signatures_of_tag<Tag, child_signatures>;
  template <class... Args>
  using may_throw = std::bool_constant<let_may_throw<F, second_env, Args...>()>;
  static constexpr bool is_nothrow = !gathered<chosen, may_throw, std::disjunction>::type::value;
  using arguments_room = typename gathered<chosen, decayed, one_of>::type;
  using second_room = typename gathered<chosen, second_operation, one_of>::type;

  let_operation(Child&& child, Receiver&& end, auto&& body)
      : to(static_cast<Receiver&&>(end)),
        f(make_for<F>(to, static_cast<decltype(body)>(body))),
        environment(
            env_after(std::as_const(child), without_choice(forward_env(execution::get_env(to))))) {
    first.emplace_from([&] { return connect(static_cast<Child&&>(child), receiver{this}); });
  }
  let_operation(const let_operation&) = delete;
  let_operation& operator=(const let_operation&) = delete;
  ~let_operation() = default;
  void start() noexcept { first.template get<connect_result_t<Child, receiver>>().start(); }

  template <class Own, class... Args>
  void on_completion(Own tag, Args&&... args) noexcept {
    if constexpr (!std::is_same_v<Own, Tag>) {
      tag(static_cast<Receiver&&>(to), static_cast<Args&&>(args)...);
    } else if constexpr (is_nothrow) {
      go_on(static_cast<Args&&>(args)...);
    } else {
      try {
        go_on(static_cast<Args&&>(args)...);
      } catch (...) {
        static_cast<Receiver&&>(to).set_error(std::current_exception());
      }
    }
  }

  template <class... Args>
  void go_on(Args&&... args) {
    using kept = decayed<Args...>;
    kept& values = arguments.emplace_from([&] { return kept(static_cast<Args&&>(args)...); });
    first.reset();
    if constexpr (!std::is_same_v<let_result_t<F, Args...>, no_sender>) {
      auto& second = seconds.emplace_from(
          [&] { return connect(std::apply(static_cast<F&&>(f), values), second_receiver{this}); });
      second.start();
    }
  }

  [[no_unique_address]] Receiver to;
  [[no_unique_address]] F f;
  [[no_unique_address]] second_env environment;
  one_of<connect_result_t<Child, receiver>> first;
  arguments_room arguments;
  second_room seconds;
};

template <class Tag, class Child, class F>
struct [[nodiscard]] let_sender : connects_as_it_is<let_sender<Tag, Child, F>> {
  using tag_type = std::conditional_t<
      std::is_same_v<Tag, set_value_t>,
      let_value_t,
      std::conditional_t<std::is_same_v<Tag, set_error_t>, let_error_t, let_stopped_t>>;
  using sender_concept = sender_tag;
  using child_type = Child;

  template <class Self, class... Env>
  static consteval auto get_completion_signatures() ->
      typename let_signatures<Tag,
                              F,
                              completion_signatures_of_t<child_of<Self>, Env...>,
                              let_env<Child, Env>...>::type {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return let_operation<Tag, child_of<Self>, Receiver, F>(
        static_cast<Self&&>(self).child, static_cast<Receiver&&>(to), static_cast<Self&&>(self).f);
  }
  [[nodiscard]] constexpr auto get_env() const noexcept { return attributes_of(env<>(), child); }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.f, self.child);
  }

  [[no_unique_address]] Child child;
  [[no_unique_address]] F f;
};

template <class Tag>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): the adaptors are aggregates
struct let_adaptor {
  template <class F>
  struct check {
    using tag = Tag;
    template <class... Args>
    using call = let_result<F, Args...>;
  };
  template <sender Sender, class F>
  constexpr auto operator()(Sender&& sender, F&& f) const {
    check_calls_of<check<std::decay_t<F>>, std::decay_t<Sender>>();
    return let_sender<Tag, std::decay_t<Sender>, std::decay_t<F>>{
        {}, static_cast<Sender&&>(sender), static_cast<F&&>(f)};
  }
  template <class F>
  constexpr auto operator()(F&& f) const {
    return bound_adaptor(let_adaptor(), static_cast<F&&>(f));
  }
};

}  // namespace detail

/// `sender | let_value(f)` continues with the sender that `f(values&...)` returns. The values live
/// until that sender has completed.
/// Errors:  sends std::exception_ptr if `f`, a copy of a value, or connecting the sender throws. If
///          none of them can throw, this completion does not exist.
/// Example: tests/execution/adaptors_test.cpp: values_live_as_long_as_the_second_sender.
struct let_value_t : detail::let_adaptor<set_value_t> {};
inline constexpr let_value_t let_value{};

/// `sender | let_error(f)` continues with the sender that `f(error&)` returns.
struct let_error_t : detail::let_adaptor<set_error_t> {};
inline constexpr let_error_t let_error{};

/// `sender | let_stopped(f)` continues with the sender that `f()` returns.
struct let_stopped_t : detail::let_adaptor<set_stopped_t> {};
inline constexpr let_stopped_t let_stopped{};

}  // namespace weft::execution
