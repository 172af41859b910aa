// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts a sender on a scheduler.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"

namespace weft::execution {

struct starts_on_t;
namespace detail {

/// What starting on a scheduler adds to the completions: errors and stops of `schedule`.
struct only_failures : unchanged {
  template <class...>
  using value = completion_signatures<>;
};
template <class Scheduler, class... Env>
using failures_of_schedule =
    typename transformed<completion_signatures_of_t<schedule_result_t<Scheduler>, Env...>,
                         only_failures>::type;

/// A receiver that passes errors and stops on to `owner->to`, and tells the owner about the rest.
template <class Owner, class Receiver>
struct scheduled_receiver {
  using receiver_concept = receiver_tag;
  void set_value() noexcept { owner->on_scheduled(); }
  template <class Error>
  void set_error(Error&& error) noexcept {
    static_cast<Receiver&&>(owner->to).set_error(static_cast<Error&&>(error));
  }
  void set_stopped() noexcept { static_cast<Receiver&&>(owner->to).set_stopped(); }
  [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
    return forward_env(execution::get_env(owner->to));
  }
  Owner* owner;
};

template <class Scheduler, class Child, class Receiver>
struct starts_on_operation {
  using operation_state_concept = operation_state_tag;
  using environment = scheduled_env<Scheduler, env_of_t<Receiver>>;

  struct child_receiver {
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
    [[nodiscard]] environment get_env() const noexcept {
      return {owner->scheduler, execution::get_env(owner->to)};
    }
    starts_on_operation* owner;
  };
  using schedule_receiver = scheduled_receiver<starts_on_operation, Receiver>;

  starts_on_operation(const Scheduler& where, Child&& child, Receiver&& end)
      : scheduler(where),
        to(static_cast<Receiver&&>(end)),
        begin(connect(schedule(scheduler), schedule_receiver{this})),
        inner(connect(static_cast<Child&&>(child), child_receiver{this})) {}
  starts_on_operation(const starts_on_operation&) = delete;
  starts_on_operation& operator=(const starts_on_operation&) = delete;
  ~starts_on_operation() = default;
  void start() noexcept { begin.start(); }
  void on_scheduled() noexcept { inner.start(); }

  [[no_unique_address]] Scheduler scheduler;
  [[no_unique_address]] Receiver to;
  connect_result_t<schedule_result_t<Scheduler&>, schedule_receiver> begin;
  connect_result_t<Child, child_receiver> inner;
};

template <class Scheduler, class Child>
struct [[nodiscard]] starts_on_sender : connects_as_it_is<starts_on_sender<Scheduler, Child>> {
  using tag_type = starts_on_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() -> joined_signatures<
      completion_signatures_of_t<child_of<Self>, scheduled_env<Scheduler, Env>...>,
      failures_of_schedule<Scheduler, Env...>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return starts_on_operation<Scheduler, child_of<Self>, Receiver>(
        self.scheduler, static_cast<Self&&>(self).child, static_cast<Receiver&&>(to));
  }
  struct attributes {
    using forwards_all = void;
    template <class Tag, class... Env>
      requires requires(const Child& inner,
                        const Scheduler& where,
                        const scheduled_env<Scheduler, Env>&... env) {
        get_completion_scheduler<Tag>(execution::get_env(inner), env...);
      }
    auto query(get_completion_scheduler_t<Tag> key, const Env&... env) const noexcept {
      return key(execution::get_env(*child), scheduled_env<Scheduler, Env>{*scheduler, env}...);
    }
    template <forwarded_query Query, class... Args>
      requires(!asks_where<Query> &&
               answers<std::remove_cvref_t<env_of_t<const Child&>>, Query, Args...>)
    decltype(auto) query(Query key, Args&&... args) const noexcept {
      return execution::get_env(*child).query(key, static_cast<Args&&>(args)...);
    }
    const Scheduler* scheduler;
    const Child* child;
  };
  [[nodiscard]] attributes get_env() const noexcept { return {&scheduler, &child}; }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.scheduler, self.child);
  }

  [[no_unique_address]] Scheduler scheduler;
  [[no_unique_address]] Child child;
};

}  // namespace detail

/// `starts_on(scheduler, sender)`: the sender is started on the scheduler, and finds it in its
/// environment.
/// Example: tests/execution/schedulers_test.cpp: starts_on_starts_there.
struct starts_on_t {
  template <scheduler Scheduler, sender Sender>
  constexpr auto operator()(Scheduler&& scheduler, Sender&& sender) const {
    return detail::starts_on_sender<std::decay_t<Scheduler>, std::decay_t<Sender>>{
        {}, static_cast<Scheduler&&>(scheduler), static_cast<Sender&&>(sender)};
  }
};
inline constexpr starts_on_t starts_on{};

}  // namespace weft::execution
