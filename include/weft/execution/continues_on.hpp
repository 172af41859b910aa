// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completes on a scheduler what was completed elsewhere.
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
#include "weft/execution/starts_on.hpp"

namespace weft::execution {

struct continues_on_t;
struct schedule_from_t;
namespace detail {

/// The sender itself, by a name of its own: a domain may replace it, to leave its scheduler.
template <class Child>
struct [[nodiscard]] schedule_from_sender : connects_as_it_is<schedule_from_sender<Child>> {
  using tag_type = schedule_from_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> completion_signatures_of_t<child_of<Self>, Env...> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) noexcept(
      noexcept(execution::connect(std::declval<child_of<Self>>(), static_cast<Receiver&&>(to)))) {
    return execution::connect(static_cast<Self&&>(self).child, static_cast<Receiver&&>(to));
  }
  [[nodiscard]] constexpr auto get_env() const noexcept {
    return forward_env(execution::get_env(child));
  }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(no_data, self.child);
  }
  [[no_unique_address]] Child child;
};

template <class Scheduler, class Child, class Receiver>
struct continues_on_operation {
  using operation_state_concept = operation_state_tag;

  struct child_receiver {
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
    [[nodiscard]] forwarded_env_of<Receiver> get_env() const noexcept {
      return forward_env(execution::get_env(owner->to));
    }
    continues_on_operation* owner;
  };
  using schedule_receiver = scheduled_receiver<continues_on_operation, Receiver>;

  continues_on_operation(const Scheduler& where, Child&& child, Receiver&& end)
      : to(static_cast<Receiver&&>(end)),
        go_on(connect(schedule(Scheduler(where)), schedule_receiver{this})),
        inner(connect(static_cast<Child&&>(child), child_receiver{this})) {}
  continues_on_operation(const continues_on_operation&) = delete;
  continues_on_operation& operator=(const continues_on_operation&) = delete;
  ~continues_on_operation() = default;
  void start() noexcept { inner.start(); }

  template <class Tag, class... Args>
  void on_completion(Tag tag, Args&&... args) noexcept {
    if constexpr (nothrow_decay_copy<Args...>) {
      result.keep(tag, static_cast<Args&&>(args)...);
    } else {
      try {
        result.keep(tag, static_cast<Args&&>(args)...);
      } catch (...) {
        keep_exception();
        go_on.start();
        return;
      }
    }
    send = [](continues_on_operation& me) noexcept {
      me.result.template send<decayed<Tag, Args...>>(static_cast<Receiver&&>(me.to));
    };
    go_on.start();
  }
  void keep_exception() noexcept {
    result.keep(set_error_t(), std::current_exception());
    send = [](continues_on_operation& me) noexcept {
      me.result.template send<decayed<set_error_t, std::exception_ptr>>(
          static_cast<Receiver&&>(me.to));
    };
  }
  void on_scheduled() noexcept { send(*this); }

  [[no_unique_address]] Receiver to;
  void (*send)(continues_on_operation& me) noexcept = nullptr;
  kept_completion<
      transformed_signatures<completion_signatures_of_t<Child, forwarded_env_of<Receiver>>,
                             by_copy>>
      result;
  connect_result_t<schedule_result_t<Scheduler>, schedule_receiver> go_on;
  connect_result_t<Child, child_receiver> inner;
};

template <class Scheduler, class Child>
struct [[nodiscard]] continues_on_sender
    : connects_as_it_is<continues_on_sender<Scheduler, Child>> {
  using tag_type = continues_on_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() -> joined_signatures<
      transformed_signatures<completion_signatures_of_t<child_of<Self>, Env...>, by_copy>,
      failures_of_schedule<Scheduler, Env...>> {
    return {};
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return continues_on_operation<Scheduler, child_of<Self>, Receiver>(
        self.scheduler, static_cast<Self&&>(self).child, static_cast<Receiver&&>(to));
  }
  [[nodiscard]] auto get_env() const noexcept {
    return attributes_of(completes_on<Scheduler>{scheduler}, child);
  }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.scheduler, self.child);
  }

  [[no_unique_address]] Scheduler scheduler;
  [[no_unique_address]] Child child;
};

}  // namespace detail

/// `sender | continues_on(scheduler)` completes on the scheduler with copies of what `sender`
/// completed with.
/// Errors:  what copying throws is sent as std::exception_ptr; what `schedule` fails with, too.
/// Example: tests/execution/schedulers_test.cpp: continues_on_completes_there.
struct continues_on_t {
  template <sender Sender, scheduler Scheduler>
  constexpr auto operator()(Sender&& sender, Scheduler&& scheduler) const {
    using left = detail::schedule_from_sender<std::decay_t<Sender>>;
    return detail::continues_on_sender<std::decay_t<Scheduler>, left>{
        {}, static_cast<Scheduler&&>(scheduler), left{{}, static_cast<Sender&&>(sender)}};
  }
  template <scheduler Scheduler>
  constexpr auto operator()(Scheduler&& scheduler) const {
    return detail::bound_adaptor(continues_on_t(), static_cast<Scheduler&&>(scheduler));
  }
};
inline constexpr continues_on_t continues_on{};

/// `schedule_from(sender)` is `sender`, as `continues_on` leaves it for another scheduler: the
/// domain in which `sender` completes may replace it. Older,
/// and HPX's: `schedule_from(scheduler, sender)` is `continues_on(sender, scheduler)`.
struct schedule_from_t {
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const {
    return detail::schedule_from_sender<std::decay_t<Sender>>{{}, static_cast<Sender&&>(sender)};
  }
  template <scheduler Scheduler, sender Sender>
  constexpr auto operator()(Scheduler&& scheduler, Sender&& sender) const {
    return continues_on(static_cast<Sender&&>(sender), static_cast<Scheduler&&>(scheduler));
  }
};
inline constexpr schedule_from_t schedule_from{};

}  // namespace weft::execution
