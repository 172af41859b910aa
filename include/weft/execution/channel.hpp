// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The senders of a channel: its `async_...` members.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sleep.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_any.hpp"
#include "weft/tasks/channel.hpp"  // IWYU pragma: export
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution::detail {

/// A wait at a channel for the event `Way`, and the task that continues after it. The mutex orders
/// the channel's service and stop requests: whichever comes first ends the wait.
template <class Way, class Receiver>
class channel_operation : Way::waiter, tasks::work_item {
  using base = typename Way::waiter;
  using waiter = tasks::detail::channel_waiter;
  using environment = env_of_t<Receiver>;
  using token_type = stop_token_of_t<environment>;
  struct stop_it {
    void operator()() const noexcept { owner->stop(); }
    channel_operation* owner;
  };

 public:
  using operation_state_concept = operation_state_tag;
  template <class... Args>
  channel_operation(typename Way::state& where, Receiver&& to, Args&... args) noexcept
      : base(args..., &wake_it, choice_is_known ? &claim_it : nullptr),
        tasks::work_item(&run_it),
        state_(&where),
        to_(static_cast<Receiver&&>(to)) {}
  channel_operation(const channel_operation&) = delete;
  channel_operation& operator=(const channel_operation&) = delete;
  ~channel_operation() = default;

  void start() noexcept {
    home_ = tasks::scheduler_here();
    // First: once the channel knows of it, it may be over.
    on_stop_.emplace(get_stop_token(execution::get_env(to_)), stop_it{this});
    bool is_over = false;
    {
      const lock_surely lock(state_->mutex);
      is_over = this->at == waiter::stage::stopped || state_->enter(static_cast<base&>(*this));
    }
    if (is_over) {
      complete();
    }
  }

 private:
  static constexpr bool choice_is_known = answers<std::remove_cvref_t<environment>, get_choice_t>;

  /// Locks though there may be no stack to wait on.
  class lock_surely {
   public:
    explicit lock_surely(mutex& m) noexcept : mutex_(m) { tasks::detail::lock_again(mutex_); }
    ~lock_surely() { mutex_.unlock(); }
    lock_surely(const lock_surely&) = delete;
    lock_surely& operator=(const lock_surely&) = delete;

   private:
    mutex& mutex_;
  };

  static channel_operation& of(waiter& w) noexcept {
    return static_cast<channel_operation&>(static_cast<base&>(w));
  }
  static bool claim_it(waiter& w) noexcept {
    if constexpr (choice_is_known) {
      return execution::get_env(of(w).to_).query(get_choice_t())->claim();
    } else {
      return true;
    }
  }
  static void wake_it(waiter& w) noexcept {
    channel_operation& me = of(w);
    tasks::start_surely(me.home_, me);
  }
  static tasks::waiter* run_it(tasks::work_item& t) noexcept {
    static_cast<channel_operation&>(t).complete();
    return nullptr;
  }

  void stop() noexcept {
    {
      const lock_surely lock(state_->mutex);
      const bool is_queued = this->at == waiter::stage::queued;
      if (is_queued) {
        state_->leave(static_cast<base&>(*this));
      }
      if (is_queued || this->at == waiter::stage::idle) {
        this->at = waiter::stage::stopped;
      }
      if (!is_queued) {
        return;
      }
    }
    tasks::start_surely(home_, *this);
  }

  void complete() noexcept {
    on_stop_.reset();
    switch (this->at) {
      case waiter::stage::served:
        Way::send(static_cast<base&>(*this), static_cast<Receiver&&>(to_));
        break;
      case waiter::stage::closed:
        Way::send_closed(static_cast<Receiver&&>(to_));
        break;
      case waiter::stage::failed:
        static_cast<Receiver&&>(to_).set_error(std::move(this->error));
        break;
      case waiter::stage::stopped:
        if constexpr (!unstoppable_token<token_type>) {
          static_cast<Receiver&&>(to_).set_stopped();
        }
        break;
      case waiter::stage::idle:
      case waiter::stage::queued:
        break;
    }
  }

  typename Way::state* state_;
  tasks::scheduler* home_ = nullptr;  // null: of whoever ends the wait
  Receiver to_;
  std::optional<stop_callback_for_t<token_type, stop_it>> on_stop_;
};

template <class Receiver>
void send_closed_error(Receiver&& to, void (*raise)()) noexcept {
  try {
    raise();
  } catch (...) {
    static_cast<Receiver&&>(to).set_error(std::current_exception());
  }
}

template <class T>
struct receiving {
  using state = tasks::detail::channel_state<T>;
  using waiter = tasks::detail::channel_receiver<T>;
  using values = completion_signatures<set_value_t(T)>;
  template <class Receiver>
  static void send(waiter& me, Receiver&& to) noexcept {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it was served
    static_cast<Receiver&&>(to).set_value(*std::move(me.value));
  }
  template <class Receiver>
  static void send_closed(Receiver&& to) noexcept {
    send_closed_error(static_cast<Receiver&&>(to), &tasks::detail::throw_closed_to_receiver);
  }
};

/// As `receiving`, up to the end.
template <class T>
struct receiving_next : receiving<T> {
  using values = completion_signatures<set_value_t(std::optional<T>)>;
  template <class Receiver>
  static void send(typename receiving<T>::waiter& me, Receiver&& to) noexcept {
    static_cast<Receiver&&>(to).set_value(std::move(me.value));
  }
  template <class Receiver>
  static void send_closed(Receiver&& to) noexcept {
    static_cast<Receiver&&>(to).set_value(std::optional<T>());
  }
};

template <class T>
struct sending {
  using state = tasks::detail::channel_state<T>;
  using waiter = tasks::detail::channel_sender<T>;
  using values = completion_signatures<set_value_t()>;
  template <class Receiver>
  static void send(waiter& /*me*/, Receiver&& to) noexcept {
    static_cast<Receiver&&>(to).set_value();
  }
  template <class Receiver>
  static void send_closed(Receiver&& to) noexcept {
    send_closed_error(static_cast<Receiver&&>(to), &tasks::detail::throw_closed_to_sender);
  }
};

template <class Way, class... Env>
consteval auto channel_signatures() {
  using always = joined_signatures<typename Way::values, exception_signature>;
  if constexpr ((unstoppable_token<stop_token_of_t<Env>> && ... && (sizeof...(Env) != 0))) {
    return always();
  } else {
    return joined_signatures<always, completion_signatures<set_stopped_t()>>();
  }
}

template <class Way>
struct [[nodiscard]] channel_receive_sender {
  using sender_concept = sender_tag;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    return channel_signatures<Way, Env...>();
  }
  template <class Receiver>
  auto connect(Receiver to) const noexcept {
    return channel_operation<Way, Receiver>(*state, static_cast<Receiver&&>(to));
  }
  typename Way::state* state;
};

template <class T, class Receiver>
struct channel_send_operation {
  using operation_state_concept = operation_state_tag;
  channel_send_operation(tasks::detail::channel_state<T>& where,
                         T&& given,
                         Receiver&& to) noexcept(std::is_nothrow_move_constructible_v<T>)
      : value(static_cast<T&&>(given)), inner(where, static_cast<Receiver&&>(to), value) {}
  void start() noexcept { inner.start(); }
  T value;
  channel_operation<sending<T>, Receiver> inner;
};

/// Not an aggregate: GCC PR 99576.
template <class T>
struct [[nodiscard]] channel_send_sender : connects_as_it_is<channel_send_sender<T>> {
  using sender_concept = sender_tag;
  channel_send_sender(tasks::detail::channel_state<T>& where,
                      T&& given) noexcept(std::is_nothrow_move_constructible_v<T>)
      : state(&where), value(static_cast<T&&>(given)) {}
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    return channel_signatures<sending<T>, Env...>();
  }
  template <class Self, class Receiver>
  static auto connect_self(Self&& self, Receiver&& to) noexcept(
      std::is_nothrow_constructible_v<T, member_of<Self, T>> &&
      std::is_nothrow_move_constructible_v<T>) {
    return channel_send_operation<T, Receiver>(
        *self.state, T(static_cast<Self&&>(self).value), static_cast<Receiver&&>(to));
  }
  tasks::detail::channel_state<T>* state;
  T value;
};

template <class T>
struct channel_senders {
  using state = tasks::detail::channel_state<T>;

  static auto send(state& where, T&& value) {
    return channel_send_sender<T>(where, static_cast<T&&>(value));
  }
  static auto receive(state& where) noexcept {
    return channel_receive_sender<receiving<T>>{&where};
  }
  static auto next(state& where) noexcept {
    return channel_receive_sender<receiving_next<T>>{&where};
  }
  template <class Duration>
  static auto receive_for(state& where, const Duration& duration) {
    return in_time(where, execution::sleep_for(duration));
  }
  template <class TimePoint>
  static auto receive_until(state& where, const TimePoint& limit) {
    return in_time(where, execution::sleep_until(limit));
  }

 private:
  struct as_optional {
    std::optional<T> operator()(T&& value) const noexcept(std::is_nothrow_move_constructible_v<T>) {
      return std::optional<T>(std::move(value));
    }
    std::optional<T> operator()() const noexcept { return std::nullopt; }
  };
  template <class Sleep>
  static auto in_time(state& where, Sleep sleep) {
    return when_any(then(receive(where), as_optional()), then(sleep, as_optional()));
  }
};

}  // namespace weft::execution::detail
