// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets several receivers have the result of one sender.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::execution {
namespace detail {

/// One receiver of the shared result.
struct split_consumer {
  using notify_function = void (*)(split_consumer& me) noexcept;
  explicit split_consumer(notify_function body) noexcept : notify(body) {}
  notify_function notify;
  split_consumer* next = nullptr;
};

struct split_env {
  using forwards_all = void;
  [[nodiscard]] inplace_stop_token query(get_stop_token_t /*key*/) const noexcept { return token; }
  inplace_stop_token token;
};

struct by_reference : unchanged {
  template <class... Values>
  using value =
      joined_signatures<completion_signatures<set_value_t(const std::decay_t<Values>&...)>,
                        exception_if<!nothrow_decay_copy<Values...>>>;
  template <class Error>
  using error = joined_signatures<completion_signatures<set_error_t(const std::decay_t<Error>&)>,
                                  exception_if<!nothrow_decay_copy<Error>>>;
};

/// The error that copying adds is sent by reference as well.
template <class Child>
using split_signatures = joined_signatures<
    transformed_signatures<
        transformed_signatures<completion_signatures_of_t<Child, split_env>, by_copy>,
        by_reference>,
    completion_signatures<set_stopped_t()>>;

template <class Child>
struct split_state {
  using kept_signatures = joined_signatures<
      transformed_signatures<completion_signatures_of_t<Child, split_env>, by_copy>,
      completion_signatures<set_stopped_t()>>;
  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      owner->end_with(set_value_t(), static_cast<Values&&>(values)...);
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      owner->end_with(set_error_t(), static_cast<Error&&>(error));
    }
    void set_stopped() noexcept { owner->end_with(set_stopped_t()); }
    [[nodiscard]] split_env get_env() const noexcept {
      return split_env{owner->source.get_token()};
    }
    split_state* owner;
  };

  explicit split_state(Child&& child)
      : inner(connect(static_cast<Child&&>(child), receiver{this})) {}
  split_state(const split_state&) = delete;
  split_state& operator=(const split_state&) = delete;
  ~split_state() = default;

  template <class Tag, class... Args>
  void end_with(Tag tag, Args&&... args) noexcept {
    if constexpr (nothrow_decay_copy<Args...>) {
      keep(tag, static_cast<Args&&>(args)...);
    } else {
      try {
        keep(tag, static_cast<Args&&>(args)...);
      } catch (...) {
        keep(set_error_t(), std::current_exception());
      }
    }
    // The operation must not end with the last consumer while it completes.
    const std::shared_ptr<split_state> keep_alive = std::move(self);
    split_consumer* first = nullptr;
    lock.lock();
    is_done = true;
    first = std::exchange(consumers, nullptr);
    lock.unlock();
    while (first != nullptr) {
      split_consumer* const next = first->next;
      first->notify(*first);
      first = next;
    }
  }
  template <class Tag, class... Args>
  void keep(Tag tag, Args&&... args) {
    result.keep(tag, static_cast<Args&&>(args)...);
    index = index_of_kept<kept_signatures, decayed<Tag, Args...>>;
  }
  /// False: it is done. The first starts the work.
  bool add(split_consumer& who, const std::shared_ptr<split_state>& me) noexcept {
    lock.lock();
    if (is_done) {
      lock.unlock();
      return false;
    }
    who.next = consumers;
    consumers = &who;
    const bool is_first = !std::exchange(is_started, true);
    if (is_first) {
      self = me;
    }
    lock.unlock();
    if (is_first) {
      inner.start();
    }
    return true;
  }

  tasks::spin_lock lock;
  bool is_started = false;
  bool is_done = false;
  split_consumer* consumers = nullptr;
  std::shared_ptr<split_state> self;  // while the work runs
  inplace_stop_source source;
  kept_completion<kept_signatures> result;
  int index = -1;
  connect_result_t<Child, receiver> inner;
};

template <class Child, class Receiver>
struct split_operation : split_consumer {
  using operation_state_concept = operation_state_tag;
  using state = split_state<Child>;
  using outer_token = stop_token_of_t<env_of_t<Receiver>>;
  using stop_callback = stop_callback_for_t<outer_token, request_stop_of>;

  split_operation(std::shared_ptr<state> work, Receiver&& end) noexcept
      : split_consumer(
            [](split_consumer& me) noexcept { static_cast<split_operation&>(me).complete(); }),
        shared(std::move(work)),
        to(static_cast<Receiver&&>(end)) {}
  split_operation(const split_operation&) = delete;
  split_operation& operator=(const split_operation&) = delete;
  ~split_operation() = default;

  void start() noexcept {
    const std::shared_ptr<state> work = shared;  // this may be gone when the work has ended
    on_stop.emplace(get_stop_token(execution::get_env(to)), request_stop_of{&work->source});
    if (!work->add(*this, work)) {
      complete();
    }
  }
  void complete() noexcept {
    on_stop.reset();
    const std::shared_ptr<state> work = shared;
    work->result.visit(work->index, *this);
  }
  template <class Tag, class... Args>
  void operator()(Tag tag, const Args&... args) noexcept {
    tag(static_cast<Receiver&&>(to), args...);
  }

  std::shared_ptr<state> shared;
  Receiver to;
  std::optional<stop_callback> on_stop;
};

template <class Child>
struct [[nodiscard]] split_sender {
  using sender_concept = sender_tag;
  using completion_signatures = split_signatures<Child>;
  template <class Receiver>
  auto connect(Receiver to) const noexcept {
    return split_operation<Child, Receiver>(shared, static_cast<Receiver&&>(to));
  }
  std::shared_ptr<split_state<Child>> shared;
};

}  // namespace detail

/// `sender | split()` can be copied and connected several times; the first started operation starts
/// it. Results are sent as references to const. Stopping any waiter stops the shared work.
/// Cost:    one allocation.
/// Example: tests/execution/extras_test.cpp: split_starts_once_and_sends_to_all.
struct split_t {
  template <sender Sender>
  auto operator()(Sender&& sender) const {
    using child = std::decay_t<Sender>;
    return detail::split_sender<child>{
        std::make_shared<detail::split_state<child>>(child(static_cast<Sender&&>(sender)))};
  }
  auto operator()() const { return detail::bound_adaptor(split_t()); }
};
inline constexpr split_t split{};

}  // namespace weft::execution
