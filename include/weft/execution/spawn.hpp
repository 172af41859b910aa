// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts work that only its scope waits for.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/counting_scope.hpp"
#include "weft/execution/detail/allocate.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"

namespace weft::execution {
namespace detail {

/// Stands for no scope.
struct no_association {
  explicit operator bool() const noexcept { return true; }
  [[nodiscard]] no_association try_associate() const noexcept { return {}; }
};

/// An operation that owns itself.
template <class Child, class Env, class Association>
struct spawned {
  using allocator = allocator_in<Env>;
  struct receiver {
    using receiver_concept = receiver_tag;
    // What check_spawned() refuses has been reported, and is taken here.
    template <class... Values>
    void set_value(Values&&... /*values*/) noexcept {
      owner->end();
    }
    template <class Error>
    void set_error(Error&& /*error*/) noexcept {
      std::terminate();
    }
    void set_stopped() noexcept { owner->end(); }
    [[nodiscard]] const Env& get_env() const noexcept { return owner->environment; }
    spawned* owner;
  };

  spawned(Child&& child, Env&& env, allocator memory)
      : from(memory),
        environment(static_cast<Env&&>(env)),
        inner(connect(static_cast<Child&&>(child), receiver{this})) {}
  spawned(const spawned&) = delete;
  spawned& operator=(const spawned&) = delete;
  ~spawned() = default;

  void end() noexcept {
    [[maybe_unused]] const Association share = std::move(association);  // given up at the very end
    allocator memory = from;
    free_with(memory, this);
  }

  [[no_unique_address]] allocator from;
  [[no_unique_address]] Env environment;
  Association association;
  connect_result_t<Child, receiver> inner;
};

template <class List>
inline constexpr bool sends_only_nothing = true;
template <class First, class... Rest>
inline constexpr bool sends_only_nothing<completion_signatures<First, Rest...>> =
    std::is_same_v<First, set_value_t()> && sends_only_nothing<completion_signatures<Rest...>>;

template <class Child, class Env, bool errors_end_the_process>
constexpr bool check_spawned() {
  using all = completion_signatures_of_t<Child, Env>;
  static_assert(sends_only_nothing<signatures_of_tag<set_value_t, all>>,
                "weft::execution::spawn: the sender sends a value (set_value_t) that nobody would "
                "see; end it with then([](auto&&...) {}), or use spawn_future");
  static_assert(errors_end_the_process || num_signatures<signatures_of_tag<set_error_t, all>> == 0,
                "weft::execution::spawn: the sender may fail (set_error_t), and nobody would see "
                "it; make noexcept the functions in it that cannot throw, end it with upon_error "
                "and a noexcept function, or use spawn_future");
  return true;
}

/// Errors: what the token throws; `made` is freed then.
template <class Operation, class Token, class Allocator>
void associate_or_free(Operation& made, const Token& token, Allocator& memory) {
  try {
    made.association = token.try_associate();
  } catch (...) {
    free_with(memory, &made);
    throw;
  }
}

template <bool errors_end_the_process, class Sender, class Token, class Env>
void spawn_in(Sender&& sender, const Token& token, Env environment) {
  auto work = token.wrap(static_cast<Sender&&>(sender));
  using association = decltype(token.try_associate());
  using operation = spawned<decltype(work), Env, association>;
  static_assert(check_spawned<decltype(work), Env, errors_end_the_process>());
  auto memory = allocator_of(environment);
  auto* made = make_with<operation>(memory, std::move(work), std::move(environment), memory);
  associate_or_free(*made, token, memory);
  if (made->association) {
    made->inner.start();
  } else {
    free_with(memory, made);
  }
}

struct no_scope_token {
  template <class Sender>
  static std::decay_t<Sender> wrap(Sender&& sender) {
    return static_cast<Sender&&>(sender);
  }
  [[nodiscard]] static no_association try_associate() noexcept { return {}; }
};

}  // namespace detail

/// Starts a sender that sends nothing as work of the token's scope; if the scope is closed, the
/// sender is dropped.
///
/// Cost:    one allocation, from the environment's allocator or the worker's own blocks.
/// Example: tests/execution/scope_test.cpp: join_waits_for_all_work.
struct spawn_t {
  template <sender Sender, scope_token Token, class Env = env<>>
  void operator()(Sender&& sender, Token token, Env environment = {}) const {
    detail::spawn_in<false>(static_cast<Sender&&>(sender), token, std::move(environment));
  }
};
inline constexpr spawn_t spawn{};

/// Starts a sender that sends nothing and has no waiter. Prefer `spawn`.
/// Errors:  an error of the sender ends the process by std::terminate.
struct start_detached_t {
  template <sender Sender, class Env = env<>>
  void operator()(Sender&& sender, Env environment = {}) const {
    detail::spawn_in<true>(
        static_cast<Sender&&>(sender), detail::no_scope_token(), std::move(environment));
  }
};
inline constexpr start_detached_t start_detached{};

}  // namespace weft::execution
