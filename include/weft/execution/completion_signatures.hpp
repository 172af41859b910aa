// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The three ways in which asynchronous work ends, and lists of those that a sender may take.
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::execution {

/// The tags that a type's member `sender_concept`, `receiver_concept` and so on may derive from.
struct sender_tag {};
/// The tag that `receiver_concept` of a receiver names.
struct receiver_tag {};
/// The tag that `operation_state_concept` of an operation state names.
struct operation_state_tag {};
/// The tag that `scheduler_concept` of a scheduler names.
struct scheduler_tag {};

/// Ends work with values.
struct set_value_t {
  template <class Receiver, class... Values>
    requires(!std::is_lvalue_reference_v<Receiver> && !std::is_const_v<Receiver> &&
             requires(Receiver&& r, Values&&... values) {
               static_cast<Receiver&&>(r).set_value(static_cast<Values&&>(values)...);
             })
  constexpr void operator()(Receiver&& receiver, Values&&... values) const noexcept {
    static_assert(
        noexcept(static_cast<Receiver&&>(receiver).set_value(static_cast<Values&&>(values)...)),
        "weft::execution::set_value: set_value of a receiver must be noexcept");
    static_cast<Receiver&&>(receiver).set_value(static_cast<Values&&>(values)...);
  }
};

/// Ends work with an error.
struct set_error_t {
  template <class Receiver, class Error>
    requires(!std::is_lvalue_reference_v<Receiver> && !std::is_const_v<Receiver> &&
             requires(Receiver&& r, Error&& error) {
               static_cast<Receiver&&>(r).set_error(static_cast<Error&&>(error));
             })
  constexpr void operator()(Receiver&& receiver, Error&& error) const noexcept {
    static_assert(
        noexcept(static_cast<Receiver&&>(receiver).set_error(static_cast<Error&&>(error))),
        "weft::execution::set_error: set_error of a receiver must be noexcept");
    static_cast<Receiver&&>(receiver).set_error(static_cast<Error&&>(error));
  }
};

/// Ends work that was requested to stop, or whose result is not needed.
struct set_stopped_t {
  template <class Receiver>
    requires(!std::is_lvalue_reference_v<Receiver> && !std::is_const_v<Receiver> &&
             requires(Receiver&& r) { static_cast<Receiver&&>(r).set_stopped(); })
  constexpr void operator()(Receiver&& receiver) const noexcept {
    static_assert(noexcept(static_cast<Receiver&&>(receiver).set_stopped()),
                  "weft::execution::set_stopped: set_stopped of a receiver must be noexcept");
    static_cast<Receiver&&>(receiver).set_stopped();
  }
};

inline constexpr set_value_t set_value{};
inline constexpr set_error_t set_error{};
inline constexpr set_stopped_t set_stopped{};

namespace detail {

template <class Signature>
inline constexpr bool is_signature = false;
template <class... Values>
inline constexpr bool is_signature<set_value_t(Values...)> = true;
template <class Error>
inline constexpr bool is_signature<set_error_t(Error)> = true;
template <>
inline constexpr bool is_signature<set_stopped_t()> = true;

}  // namespace detail

/// The completions that a sender may have: function types such as `set_value_t(int)`.
template <class... Signatures>
struct completion_signatures {
  static_assert((detail::is_signature<Signatures> && ...),
                "weft::execution::completion_signatures: each one is set_value_t(Values...), "
                "set_error_t(Error) or set_stopped_t()");
};

namespace detail {

template <class T>
inline constexpr bool is_signature_list = false;
template <class... Signatures>
inline constexpr bool is_signature_list<completion_signatures<Signatures...>> = true;

/// A list of types, where a value of it is never needed.
template <class...>
struct type_list {};

template <class T>
struct identity {
  using type = T;
};

template <class List, class Signature>
struct added_to;
template <class... Have, class Signature>
struct added_to<completion_signatures<Have...>, Signature>
    : std::conditional<(std::is_same_v<Have, Signature> || ...),
                       completion_signatures<Have...>,
                       completion_signatures<Have..., Signature>> {};

/// All signatures of several lists, each once.
template <class... Lists>
struct joined;
template <>
struct joined<> : identity<completion_signatures<>> {};
template <class List>
struct joined<List> : identity<List> {};
template <class List, class... Others>
struct joined<List, completion_signatures<>, Others...> : joined<List, Others...> {};
template <class List, class First, class... Rest, class... Others>
struct joined<List, completion_signatures<First, Rest...>, Others...>
    : joined<typename added_to<List, First>::type, completion_signatures<Rest...>, Others...> {};

template <class... Lists>
using joined_signatures = typename joined<completion_signatures<>, Lists...>::type;

/// What becomes of a list when each of its signatures is replaced by the list that `By` has for it:
/// `By::value<Values...>`, `By::error<Error>`, `By::stopped`.
template <class By, class Signature>
struct replaced;
template <class By, class... Values>
struct replaced<By, set_value_t(Values...)> {
  using type = typename By::template value<Values...>;
};
template <class By, class Error>
struct replaced<By, set_error_t(Error)> {
  using type = typename By::template error<Error>;
};
template <class By>
struct replaced<By, set_stopped_t()> {
  using type = typename By::stopped;
};

template <class List, class By>
struct transformed;
template <class... Signatures, class By>
struct transformed<completion_signatures<Signatures...>, By> {
  using type = joined_signatures<typename replaced<By, Signatures>::type...>;
};

/// A list with every signature replaced; what `By` adds (`By::added`) stands at its end.
template <class List, class By>
using transformed_signatures =
    joined_signatures<typename transformed<List, By>::type, typename By::added>;

/// The base of a `By`: changes nothing.
struct unchanged {
  template <class... Values>
  using value = completion_signatures<set_value_t(Values...)>;
  template <class Error>
  using error = completion_signatures<set_error_t(Error)>;
  using stopped = completion_signatures<set_stopped_t()>;
  using added = completion_signatures<>;
};

using exception_signature = completion_signatures<set_error_t(std::exception_ptr)>;

template <bool may_throw>
using exception_if = std::conditional_t<may_throw, exception_signature, completion_signatures<>>;

/// Keeps the signatures of one tag.
template <class Tag, class Signature>
struct only : identity<completion_signatures<>> {};
template <class Tag, class... Args>
struct only<Tag, Tag(Args...)> : identity<completion_signatures<Tag(Args...)>> {};

template <class Tag, class List>
struct of_tag;
template <class Tag, class... Signatures>
struct of_tag<Tag, completion_signatures<Signatures...>>
    : identity<joined_signatures<typename only<Tag, Signatures>::type...>> {};

/// The signatures of `List` that complete with `Tag`.
template <class Tag, class List>
using signatures_of_tag = typename of_tag<Tag, List>::type;

/// `Variant<Tuple<Args...>...>` over a list.
template <class List, template <class...> class Tuple, template <class...> class Variant>
struct gathered;
template <template <class...> class Tuple, class Signature>
struct tuple_of_arguments;
template <template <class...> class Tuple, class Tag, class... Args>
struct tuple_of_arguments<Tuple, Tag(Args...)> {
  using type = Tuple<Args...>;
};
template <class... Signatures, template <class...> class Tuple, template <class...> class Variant>
struct gathered<completion_signatures<Signatures...>, Tuple, Variant> {
  using type = Variant<typename tuple_of_arguments<Tuple, Signatures>::type...>;
};

template <class Tag, class List, template <class...> class Tuple, template <class...> class Variant>
using gathered_signatures = typename gathered<signatures_of_tag<Tag, List>, Tuple, Variant>::type;

template <class List>
inline constexpr int num_signatures = 0;
template <class... Signatures>
inline constexpr int num_signatures<completion_signatures<Signatures...>> = sizeof...(Signatures);

/// The only argument of the only signature.
template <class List>
struct sole_argument;
template <class Tag, class Argument>
struct sole_argument<completion_signatures<Tag(Argument)>> : identity<Argument> {};

template <class Receiver, class Signature>
inline constexpr bool receives = false;
template <class Receiver, class Tag, class... Args>
inline constexpr bool receives<Receiver, Tag(Args...)> =
    std::is_invocable_v<Tag, Receiver, Args...>;

}  // namespace detail
}  // namespace weft::execution
