// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes: they count the work that was started in them, so that one can wait for all of it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::execution {

/// A piece of work's share in a scope: true if it has one; gives it up when destroyed.
template <class Association>
concept scope_association =
    std::movable<Association> && std::is_nothrow_move_constructible_v<Association> &&
    std::default_initializable<Association> && requires(const Association association) {
      { static_cast<bool>(association) } noexcept;
      { association.try_associate() } -> std::same_as<Association>;
    };

/// A token that starts work in a scope.
template <class Token>
concept scope_token = std::copyable<Token> && requires(const Token token) {
  { token.try_associate() } -> scope_association;
};

class simple_counting_scope;

namespace detail {

/// A waiter for an empty scope.
struct scope_waiter {
  using notify_function = void (*)(scope_waiter& me) noexcept;
  explicit scope_waiter(notify_function body) noexcept : notify(body) {}
  notify_function notify;
  scope_waiter* next = nullptr;
};

/// A share in a scope.
class counted_association {
 public:
  counted_association() noexcept = default;
  counted_association(counted_association&& other) noexcept
      : scope_(std::exchange(other.scope_, nullptr)) {}
  counted_association& operator=(counted_association other) noexcept {
    std::swap(scope_, other.scope_);
    return *this;
  }
  ~counted_association();
  explicit operator bool() const noexcept { return scope_ != nullptr; }
  [[nodiscard]] counted_association try_associate() const noexcept;

 private:
  friend class weft::execution::simple_counting_scope;
  explicit counted_association(simple_counting_scope* scope) noexcept : scope_(scope) {}
  simple_counting_scope* scope_ = nullptr;
};

template <class Receiver>
struct join_operation;
struct join_sender;

}  // namespace detail

/// Counts the work that is started in it. It must be joined, or never used, before it is destroyed.
///
/// Threads: every member from any.
/// Errors:  the destructor ends the process by std::terminate if there may be work left.
/// Example: tests/execution/scope_test.cpp: join_waits_for_all_work.
class simple_counting_scope {
 public:
  class token {
   public:
    template <sender Sender>
    Sender&& wrap(Sender&& sender) const noexcept {
      return static_cast<Sender&&>(sender);
    }
    [[nodiscard]] detail::counted_association try_associate() const noexcept {
      return scope_->try_associate();
    }

   private:
    friend class simple_counting_scope;
    explicit token(simple_counting_scope* scope) noexcept : scope_(scope) {}
    simple_counting_scope* scope_;
  };

  static constexpr std::size_t max_associations = ~std::size_t{0};

  simple_counting_scope() noexcept = default;
  simple_counting_scope(const simple_counting_scope&) = delete;
  simple_counting_scope& operator=(const simple_counting_scope&) = delete;
  ~simple_counting_scope();

  [[nodiscard]] token get_token() noexcept { return token(this); }
  /// No more work is let in.
  void close() noexcept;
  /// A sender that completes when all work has ended.
  [[nodiscard]] detail::join_sender join() noexcept;

 private:
  friend class detail::counted_association;
  friend class counting_scope;
  template <class>
  friend struct detail::join_operation;
  enum class state : std::uint8_t {
    unused,
    open,
    open_and_joining,
    closed,
    unused_and_closed,
    closed_and_joining,
    joined
  };

  [[nodiscard]] detail::counted_association try_associate() noexcept;
  void give_up_share() noexcept;
  /// True: there is no work, and `waiter` will not be notified.
  [[nodiscard]] bool start_join(detail::scope_waiter& waiter) noexcept;

  tasks::spin_lock lock_;
  state state_ = state::unused;
  std::size_t num_shares_ = 0;
  detail::scope_waiter* waiters_ = nullptr;
};

namespace detail {

template <class Receiver>
struct join_operation : scope_waiter {
  using operation_state_concept = operation_state_tag;
  static_assert(std::is_invocable_v<get_start_scheduler_t, env_of_t<Receiver>>,
                "weft::execution::counting_scope::join: the environment has no scheduler to "
                "complete on (get_start_scheduler)");
  using scheduler_type = decltype(get_start_scheduler(std::declval<env_of_t<Receiver>>()));
  struct receiver {
    using receiver_concept = receiver_tag;
    void set_value() noexcept { static_cast<Receiver&&>(owner->to).set_value(); }
    template <class Error>
    void set_error(Error&& error) noexcept {
      static_cast<Receiver&&>(owner->to).set_error(static_cast<Error&&>(error));
    }
    void set_stopped() noexcept { static_cast<Receiver&&>(owner->to).set_stopped(); }
    [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
      return forward_env(execution::get_env(owner->to));
    }
    join_operation* owner;
  };

  join_operation(simple_counting_scope& what, Receiver&& end)
      : scope_waiter(
            [](scope_waiter& me) noexcept { static_cast<join_operation&>(me).inner.start(); }),
        scope(&what),
        to(static_cast<Receiver&&>(end)),
        inner(connect(schedule(get_start_scheduler(execution::get_env(to))), receiver{this})) {}
  join_operation(const join_operation&) = delete;
  join_operation& operator=(const join_operation&) = delete;
  ~join_operation() = default;
  void start() noexcept {
    if (scope->start_join(*this)) {
      static_cast<Receiver&&>(to).set_value();
    }
  }

  simple_counting_scope* scope;
  [[no_unique_address]] Receiver to;
  connect_result_t<schedule_result_t<scheduler_type>, receiver> inner;
};

struct [[nodiscard]] join_sender {
  using sender_concept = sender_tag;
  template <class Self, class Env>
    requires std::is_invocable_v<get_start_scheduler_t, const Env&>
  static consteval auto get_completion_signatures() {
    using scheduler_type = decltype(get_start_scheduler(std::declval<const Env&>()));
    return joined_signatures<completion_signatures<set_value_t()>,
                             completion_signatures_of_t<schedule_result_t<scheduler_type>, Env>>();
  }
  template <class Receiver>
  auto connect(Receiver to) const {
    return join_operation<Receiver>(*scope, static_cast<Receiver&&>(to));
  }
  simple_counting_scope* scope;
};

/// Asks to stop when one of two tokens does.
template <class Receiver>
struct either_stop {
  using outer_token = stop_token_of_t<env_of_t<Receiver>>;
  static constexpr bool is_simple = unstoppable_token<outer_token>;
  struct both {
    struct request {
      void operator()() const noexcept { source->request_stop(); }
      inplace_stop_source* source;
    };
    both(outer_token outer, inplace_stop_token inner)
        : on_outer(std::move(outer), request{&source}), on_inner(inner, request{&source}) {}
    inplace_stop_source source;
    stop_callback_for_t<outer_token, request> on_outer;
    inplace_stop_callback<request> on_inner;
  };
};

template <class Child, class Receiver>
struct stop_when_operation {
  using operation_state_concept = operation_state_tag;
  using both = typename either_stop<Receiver>::both;
  static constexpr bool is_simple = either_stop<Receiver>::is_simple;
  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      owner->tokens.reset();
      static_cast<Receiver&&>(owner->to).set_value(static_cast<Values&&>(values)...);
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      owner->tokens.reset();
      static_cast<Receiver&&>(owner->to).set_error(static_cast<Error&&>(error));
    }
    void set_stopped() noexcept {
      owner->tokens.reset();
      static_cast<Receiver&&>(owner->to).set_stopped();
    }
    [[nodiscard]] stoppable_env<inplace_stop_token, env_of_t<Receiver>> get_env() const noexcept {
      return {owner->token, execution::get_env(owner->to)};
    }
    stop_when_operation* owner;
  };

  stop_when_operation(Child&& child, inplace_stop_token inner_token, Receiver&& end)
      : to(static_cast<Receiver&&>(end)),
        token(inner_token),
        inner((prepare(), connect(static_cast<Child&&>(child), receiver{this}))) {}
  stop_when_operation(const stop_when_operation&) = delete;
  stop_when_operation& operator=(const stop_when_operation&) = delete;
  // The destructor is not declared: nvcc rejects it where a template argument is a local type.
  void start() noexcept { inner.start(); }
  void prepare() {
    if constexpr (!is_simple) {
      tokens.emplace(get_stop_token(execution::get_env(to)), token);
      token = tokens->source.get_token();
    }
  }

  [[no_unique_address]] Receiver to;
  inplace_stop_token token;
  std::optional<std::conditional_t<is_simple, std::tuple<>, both>> tokens;
  connect_result_t<Child, receiver> inner;
};

template <class Child>
struct [[nodiscard]] stop_when_sender : connects_as_it_is<stop_when_sender<Child>> {
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> completion_signatures_of_t<child_of<Self>, stoppable_env<inplace_stop_token, Env>...> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return stop_when_operation<child_of<Self>, Receiver>(
        static_cast<Self&&>(self).child, self.token, static_cast<Receiver&&>(to));
  }
  [[nodiscard]] auto get_env() const noexcept { return forward_env(execution::get_env(child)); }
  [[no_unique_address]] Child child;
  inplace_stop_token token;
};

}  // namespace detail

inline detail::join_sender simple_counting_scope::join() noexcept { return {this}; }

/// A scope that can ask all work in it to stop.
/// Example: tests/execution/scope_test.cpp: request_stop_reaches_all_work.
class counting_scope {
 public:
  class token {
   public:
    template <sender Sender>
    auto wrap(Sender&& sender) const {
      return detail::stop_when_sender<std::decay_t<Sender>>{
          {}, static_cast<Sender&&>(sender), scope_->source_.get_token()};
    }
    [[nodiscard]] detail::counted_association try_associate() const noexcept {
      return scope_->count_.try_associate();
    }

   private:
    friend class counting_scope;
    explicit token(counting_scope* scope) noexcept : scope_(scope) {}
    counting_scope* scope_;
  };

  static constexpr std::size_t max_associations = simple_counting_scope::max_associations;

  [[nodiscard]] token get_token() noexcept { return token(this); }
  void close() noexcept { count_.close(); }
  void request_stop() noexcept { source_.request_stop(); }
  [[nodiscard]] detail::join_sender join() noexcept { return count_.join(); }

 private:
  simple_counting_scope count_;
  inplace_stop_source source_;
};

}  // namespace weft::execution
