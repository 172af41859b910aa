// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets a sender take part in a scope.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/counting_scope.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"

namespace weft::execution {

struct associate_t;
namespace detail {

/// Passes everything on to `*to`.
template <class Receiver>
struct reference_receiver {
  using receiver_concept = receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    static_cast<Receiver&&>(*to).set_value(static_cast<Values&&>(values)...);
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    static_cast<Receiver&&>(*to).set_error(static_cast<Error&&>(error));
  }
  void set_stopped() noexcept { static_cast<Receiver&&>(*to).set_stopped(); }
  [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
    return forward_env(execution::get_env(*to));
  }
  Receiver* to;
};

template <class Wrapped, class Association, class Receiver>
struct associate_operation {
  using operation_state_concept = operation_state_tag;
  using inner_operation = connect_result_t<Wrapped, reference_receiver<Receiver>>;

  associate_operation(std::optional<Wrapped>&& work, Association&& in, Receiver&& end)
      : association(std::move(in)), to(static_cast<Receiver&&>(end)) {
    if (association) {
      inner.emplace_from([&] {
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): there is work if it is associated
        return connect(*std::move(work), reference_receiver<Receiver>{&to});
      });
    }
  }
  associate_operation(const associate_operation&) = delete;
  associate_operation& operator=(const associate_operation&) = delete;
  ~associate_operation() { inner.reset(); }
  void start() noexcept {
    if (association) {
      inner.template get<inner_operation>().start();
    } else {
      static_cast<Receiver&&>(to).set_stopped();
    }
  }

  Association association;  // given up after the work's operation is gone
  Receiver to;
  one_of<inner_operation> inner;
};

template <class Wrapped, class Association>
struct [[nodiscard]] associate_sender : connects_as_it_is<associate_sender<Wrapped, Association>> {
  using tag_type = associate_t;
  using sender_concept = sender_tag;
  using child_type = Wrapped;

  template <class Token, class Sender>
  associate_sender(const Token& token, Sender&& sender)
      : work(token.wrap(static_cast<Sender&&>(sender))), association(token.try_associate()) {
    if (!association) {
      work.reset();
    }
  }
  associate_sender(const associate_sender& other)
    requires std::copy_constructible<Wrapped>
      : connects_as_it_is<associate_sender>(other),
        association(other.association ? other.association.try_associate() : Association()) {
    if (association) {
      work = other.work;
    }
  }
  associate_sender(associate_sender&& other) noexcept
      : work(std::move(other.work)), association(std::move(other.association)) {}
  associate_sender& operator=(const associate_sender&) = delete;
  ~associate_sender() { work.reset(); }

  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> joined_signatures<completion_signatures_of_t<Wrapped, Env...>,
                           completion_signatures<set_stopped_t()>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    associate_sender taken(static_cast<Self&&>(self));
    return associate_operation<Wrapped, Association, Receiver>(
        std::move(taken.work), std::move(taken.association), static_cast<Receiver&&>(to));
  }

  std::optional<Wrapped> work;
  Association association;
};
template <class Token, class Sender>
associate_sender(const Token&, Sender&&) -> associate_sender<
    std::decay_t<decltype(std::declval<const Token&>().wrap(std::declval<Sender>()))>,
    decltype(std::declval<const Token&>().try_associate())>;

}  // namespace detail

/// `sender | associate(token)` counts as work of the token's scope from now until it is completed
/// or dropped. If the scope is closed, it completes as stopped.
/// Example: tests/execution/scope_test.cpp: a_closed_scope_lets_nobody_in.
struct associate_t {
  template <sender Sender, scope_token Token>
  auto operator()(Sender&& sender, Token token) const {
    return detail::associate_sender(token, static_cast<Sender&&>(sender));
  }
  template <scope_token Token>
  auto operator()(Token token) const {
    return detail::bound_adaptor(associate_t(), token);
  }
};
inline constexpr associate_t associate{};

}  // namespace weft::execution
