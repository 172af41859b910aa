// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders, receivers and operations: what they are, and how they are put together.
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/awaitable.hpp"
#include "weft/execution/domain.hpp"
#include "weft/execution/queries.hpp"

namespace weft::execution {

/// A type that receives the completion of work.
template <class Receiver>
concept receiver =
    requires {
      requires std::derived_from<typename std::remove_cvref_t<Receiver>::receiver_concept,
                                 receiver_tag>;
    } && std::is_nothrow_move_constructible_v<std::remove_cvref_t<Receiver>> &&
    std::move_constructible<std::remove_cvref_t<Receiver>> &&
    std::constructible_from<std::remove_cvref_t<Receiver>, Receiver> &&
    !std::is_final_v<std::remove_cvref_t<Receiver>>;

/// A receiver that can be made anew from the operation of the child that it was connected to.
template <class Receiver, class ChildOperation>
concept inlinable_receiver = receiver<Receiver> && requires(ChildOperation* child) {
  {
    std::remove_cvref_t<Receiver>::make_receiver_for(child)
  } noexcept -> std::same_as<std::remove_cvref_t<Receiver>>;
};

/// Work with its receiver, ready to be started. It stays where it is until it has completed.
template <class Operation>
concept operation_state =
    std::derived_from<typename Operation::operation_state_concept, operation_state_tag> &&
    requires(Operation& operation) { operation.start(); };

/// Begins an operation. It may complete before this returns.
struct start_t {
  template <class Operation>
    requires requires(Operation& operation) { operation.start(); }
  constexpr void operator()(Operation& operation) const noexcept {
    static_assert(noexcept(operation.start()),
                  "weft::execution::start: start of an operation must be noexcept");
    static_assert(std::is_void_v<decltype(operation.start())>,
                  "weft::execution::start: start of an operation must return void");
    operation.start();
  }
  /// An operation state never moves, so `start` takes no rvalue.
  template <class Operation>
  void operator()(const Operation&& operation) const = delete;
};
inline constexpr start_t start{};

namespace detail {

template <class Sender>
concept declared_sender = requires {
  requires std::derived_from<typename std::remove_cvref_t<Sender>::sender_concept, sender_tag>;
};

template <class Sender, class... Env>
consteval auto find_signatures() {
  using plain = std::remove_reference_t<Sender>;
  if constexpr ((sizeof...(Env) == 1) && (replaced_by_domain<Sender, Env> && ...)) {
    return find_signatures<typename transformed_sender<Sender, Env...>::type, Env...>();
  } else if constexpr (requires { plain::template get_completion_signatures<Sender, Env...>(); }) {
    return plain::template get_completion_signatures<Sender, Env...>();
  } else if constexpr (requires { plain::template get_completion_signatures<Sender>(); }) {
    return plain::template get_completion_signatures<Sender>();
  } else if constexpr (requires { typename plain::completion_signatures; }) {
    return typename plain::completion_signatures();
  } else if constexpr (sizeof...(Env) != 0 && awaitable_anywhere<Sender>) {
    return awaitable_signatures<Sender>();
  }
}

}  // namespace detail

/// Whether a type is meant to be a sender: programs may specialise it for their own types.
template <class Sender>
inline constexpr bool enable_sender =
    detail::declared_sender<Sender> || detail::awaitable_anywhere<Sender>;

/// Descriptions of work that ends in one of some known ways once it is connected and started.
/// Whatever a coroutine can await is one, too.
template <class Sender>
concept sender = enable_sender<std::remove_cvref_t<Sender>> &&
                 std::move_constructible<std::remove_cvref_t<Sender>> &&
                 std::constructible_from<std::remove_cvref_t<Sender>, Sender>;

/// The completions of a sender, in an environment if they depend on it.
template <class Sender, class... Env>
  requires(detail::is_signature_list<decltype(detail::find_signatures<Sender, Env...>())>)
consteval auto get_completion_signatures() {
  return detail::find_signatures<Sender, Env...>();
}
/// The type of the completions of a sender.
template <class Sender, class... Env>
  requires(detail::is_signature_list<decltype(detail::find_signatures<Sender, Env...>())>)
using completion_signatures_of_t = decltype(detail::find_signatures<Sender, Env...>());

/// A sender whose completions are known, in this environment if one is given.
template <class Sender, class... Env>
concept sender_in = sender<Sender> && sizeof...(Env) <= 1 &&
                    requires { typename completion_signatures_of_t<Sender, Env...>; };

/// Thrown by the `get_completion_signatures` of a sender that knows them only in an environment.
/// C++20 cannot throw while it compiles: a function that would is as good as one without a list.
class dependent_sender_error : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "weft: the completions of this sender depend on an environment";
  }
};

/// A sender whose completions depend on the receiver's environment.
template <class Sender>
concept dependent_sender = sender<Sender> && !sender_in<Sender>;

namespace detail {

template <class... Types>
using decayed_tuple = std::tuple<std::decay_t<Types>...>;
template <class... Types>
struct sole_type;
template <class Type>
struct sole_type<Type> : identity<Type> {};
template <class... Types>
using sole_type_t = typename sole_type<Types...>::type;

template <class Variant, class Type>
struct with_alternative;
template <class... Have, class Type>
struct with_alternative<std::variant<Have...>, Type>
    : std::conditional<(std::is_same_v<Have, Type> || ...),
                       std::variant<Have...>,
                       std::variant<Have..., Type>> {};

template <class Variant, class... Types>
struct unique_variant : identity<Variant> {};
template <class Variant, class First, class... Rest>
struct unique_variant<Variant, First, Rest...>
    : unique_variant<typename with_alternative<Variant, First>::type, Rest...> {};

/// Stands for a variant of nothing. There is none.
struct empty_variant {
  empty_variant() = delete;
};

/// std::variant of the decayed types, each once.
template <class... Types>
struct variant_of : unique_variant<std::variant<>, std::decay_t<Types>...> {};
template <>
struct variant_of<> : identity<empty_variant> {};
template <class... Types>
using variant_or_empty = typename variant_of<Types...>::type;

/// The signatures of what is connected to a receiver of this type.
template <class Sender, class Receiver>
using signatures_for = completion_signatures_of_t<Sender, env_of_t<Receiver>>;

template <class Receiver, class Signature>
constexpr bool check_one() {
  static_assert(receives<Receiver, Signature>,
                "weft::execution::connect: the receiver has no member for one of the sender's "
                "completions; check_one<Receiver, Completion> above names both");
  return true;
}
template <class Receiver, class... Signatures>
constexpr bool check_all(completion_signatures<Signatures...> /*list*/) {
  return (check_one<Receiver, Signatures>() && ...);
}

/// For consumers, whose receivers may be of anybody's making.
template <class Sender, class Receiver>
constexpr bool can_receive_all() {
  static_assert(sender_in<Sender, env_of_t<Receiver>>,
                "weft::execution::connect: this is no sender, or its completions are not known in "
                "the receiver's environment");
  return check_all<Receiver>(signatures_for<Sender, Receiver>());
}

}  // namespace detail

/// Puts a sender and a receiver together to an operation. A domain may put another sender in its
/// place, see `transform_sender`.
class connect_t {
  // In front of the call, since nvcc does not find what its noexcept names behind it.
  template <class Sender, class Receiver>
  static constexpr bool has_connect = requires(Sender&& s, Receiver&& r) {
    static_cast<Sender&&>(s).connect(static_cast<Receiver&&>(r));
  };
  template <class Sender, class Receiver>
  static constexpr bool is_nothrow() {
    if constexpr (!detail::replaced_by_domain<Sender, env_of_t<Receiver>> &&
                  has_connect<Sender, Receiver>) {
      return noexcept(std::declval<Sender>().connect(std::declval<Receiver>()));
    } else {
      return false;
    }
  }

 public:
  template <class Sender, class Receiver>
  constexpr auto operator()(Sender&& sender, Receiver&& to) const
      noexcept(is_nothrow<Sender, Receiver>()) {
    if constexpr (detail::replaced_by_domain<Sender, env_of_t<Receiver>>) {
      return (*this)(transform_sender(static_cast<Sender&&>(sender), get_env(to)),
                     static_cast<Receiver&&>(to));
    } else if constexpr (has_connect<Sender, Receiver>) {
      return static_cast<Sender&&>(sender).connect(static_cast<Receiver&&>(to));
    } else {
      static_assert(detail::awaitable_anywhere<Sender>,
                    "weft::execution::connect: this is neither a sender that can be connected (is "
                    "it an lvalue of one that can only be moved?) nor an awaitable");
      return detail::connect_awaitable(static_cast<Sender&&>(sender), static_cast<Receiver&&>(to));
    }
  }
};
inline constexpr connect_t connect{};

/// The operation that a sender and a receiver make.
template <class Sender, class Receiver>
using connect_result_t = decltype(connect(std::declval<Sender>(), std::declval<Receiver>()));

/// The values that a sender may send: `Variant<Tuple<Values...>...>`, each kind of values once.
/// Source:  C++26 working draft, [exec.getcomplsigs]
template <class Sender,
          class Env = env<>,
          template <class...> class Tuple = detail::decayed_tuple,
          template <class...> class Variant = detail::variant_or_empty>
  requires sender_in<Sender, Env>
using value_types_of_t = detail::
    gathered_signatures<set_value_t, completion_signatures_of_t<Sender, Env>, Tuple, Variant>;

/// The errors that a sender may send: `Variant<Errors...>`.
template <class Sender,
          class Env = env<>,
          template <class...> class Variant = detail::variant_or_empty>
  requires sender_in<Sender, Env>
using error_types_of_t = detail::gathered_signatures<set_error_t,
                                                     completion_signatures_of_t<Sender, Env>,
                                                     detail::sole_type_t,
                                                     Variant>;

/// Whether it may be stopped.
template <class Sender, class Env = env<>>
  requires sender_in<Sender, Env>
inline constexpr bool sends_stopped =
    detail::num_signatures<
        detail::signatures_of_tag<set_stopped_t, completion_signatures_of_t<Sender, Env>>> != 0;

namespace detail {

/// `forward_env(get_env(r))` of what a member named `next` points to.
template <class T>
using decay_copy_t = std::decay_t<T>;

/// A member of a sender, as a connection of `Self` takes it: moved out of an rvalue, else the
/// lvalue that it is in there.
template <class Self, class Member>
using member_of =
    std::conditional_t<std::is_const_v<std::remove_reference_t<Self>>,
                       const Member&,
                       std::conditional_t<std::is_lvalue_reference_v<Self>, Member&, Member>>;

/// The child that a `Self` connects.
template <class Self>
using child_of = member_of<Self, typename std::remove_cvref_t<Self>::child_type>;

template <class T, class Receiver>
constexpr bool is_made_with_allocator() {
  if constexpr (answers<std::remove_cvref_t<env_of_t<Receiver>>, get_allocator_t>) {
    using allocator = decltype(get_allocator(std::declval<env_of_t<Receiver>>()));
    return std::uses_allocator_v<T, std::remove_cvref_t<allocator>>;
  } else {
    return false;
  }
}

/// A value that an operation keeps for a sender. It is made with the allocator of the receiver's
/// environment, if there is one and T takes it.
template <class T, class Receiver, class Given>
constexpr T make_for(const Receiver& to,
                     Given&& given) noexcept(!is_made_with_allocator<T, Receiver>() &&
                                             std::is_nothrow_constructible_v<T, Given>) {
  if constexpr (is_made_with_allocator<T, Receiver>()) {
    return std::make_obj_using_allocator<T>(get_allocator(execution::get_env(to)),
                                            static_cast<Given&&>(given));
  } else {
    return T(static_cast<Given&&>(given));
  }
}

/// Instantiates `Check::call<Args...>` for each completion of `Sender` with `Check::tag`. Called by
/// the function that the user calls, because compilers report later mistakes only after many lines.
template <class Check, class Tag, class... Args>
constexpr void check_call(Tag (* /*signature*/)(Args...)) noexcept {
  if constexpr (std::is_same_v<Tag, typename Check::tag>) {
    [[maybe_unused]] const typename Check::template call<Args...> checked{};
  }
}
template <class Check, class... Signatures>
constexpr void check_calls(completion_signatures<Signatures...> /*list*/) noexcept {
  (check_call<Check>(static_cast<Signatures*>(nullptr)), ...);
}
template <class Check, class Sender>
constexpr void check_calls_of() noexcept {
  if constexpr (sender_in<Sender>) {
    check_calls<Check>(completion_signatures_of_t<Sender>());
  }
}

/// The base of a sender with a static `connect_self(self, receiver)`. `self` is an rvalue, an
/// lvalue or a const lvalue, as the sender is, and its children are connected in the same way.
template <class Derived>
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): the adaptors are aggregates
struct connects_as_it_is {
  template <class Receiver>
  constexpr auto connect(Receiver to) && noexcept(
      noexcept(Derived::connect_self(std::declval<Derived>(), static_cast<Receiver&&>(to)))) {
    return Derived::connect_self(static_cast<Derived&&>(*this), static_cast<Receiver&&>(to));
  }
  template <class Receiver>
    requires std::copy_constructible<Derived>
  constexpr auto connect(Receiver to) & noexcept(
      noexcept(Derived::connect_self(std::declval<Derived&>(), static_cast<Receiver&&>(to)))) {
    return Derived::connect_self(static_cast<Derived&>(*this), static_cast<Receiver&&>(to));
  }
  template <class Receiver>
    requires std::copy_constructible<Derived>
  constexpr auto connect(Receiver to) const& noexcept(noexcept(
      Derived::connect_self(std::declval<const Derived&>(), static_cast<Receiver&&>(to)))) {
    return Derived::connect_self(static_cast<const Derived&>(*this), static_cast<Receiver&&>(to));
  }
};

template <class F, class... Args>
constexpr decltype(auto) call(F&& f,
                              Args&&... args) noexcept(std::is_nothrow_invocable_v<F, Args...>) {
  if constexpr (requires { static_cast<F&&>(f)(static_cast<Args&&>(args)...); }) {
    return static_cast<F&&>(f)(static_cast<Args&&>(args)...);
  } else {
    return std::apply(static_cast<F&&>(f), std::forward_as_tuple(static_cast<Args&&>(args)...));
  }
}

template <class Result>
struct value_signature : identity<completion_signatures<set_value_t(Result)>> {};
template <>
struct value_signature<void> : identity<completion_signatures<set_value_t()>> {};

/// Completes with what a call returns or throws. A call that cannot be made has been reported.
template <class Receiver, class F, class... Args>
constexpr void set_value_of_call(Receiver&& to, F&& f, Args&&... args) noexcept {
  if constexpr (std::is_invocable_v<F, Args...>) {
    using result = std::invoke_result_t<F, Args...>;
    const auto send = [&]() noexcept(std::is_nothrow_invocable_v<F, Args...>) {
      if constexpr (std::is_void_v<result>) {
        detail::call(static_cast<F&&>(f), static_cast<Args&&>(args)...);
        static_cast<Receiver&&>(to).set_value();
      } else {
        static_cast<Receiver&&>(to).set_value(
            detail::call(static_cast<F&&>(f), static_cast<Args&&>(args)...));
      }
    };
    if constexpr (std::is_nothrow_invocable_v<F, Args...>) {
      send();
    } else {
      try {
        send();
      } catch (...) {
        static_cast<Receiver&&>(to).set_error(std::current_exception());
      }
    }
  }
}

}  // namespace detail
}  // namespace weft::execution
