// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From senders to futures and back.
#pragma once

#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/conversions.hpp"  // IWYU pragma: export
#include "weft/execution/detail/as_exception_ptr.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/shared_future.hpp"

namespace weft {
namespace execution::detail {

/// The type of the future of a sender: its only value, or void.
template <class List>
struct future_value {
  static_assert(num_signatures<List> != num_signatures<List>,
                "weft::execution::as_future: the sender must complete with one value or none "
                "(set_value_t); put into_variant or then before it");
};
template <>
struct future_value<completion_signatures<>> : identity<void> {};
template <>
struct future_value<completion_signatures<set_value_t()>> : identity<void> {};
template <class Value>
struct future_value<completion_signatures<set_value_t(Value)>> : identity<std::decay_t<Value>> {};

template <class Sender>
using future_value_t = typename future_value<
    signatures_of_tag<set_value_t, completion_signatures_of_t<Sender, execution::env<>>>>::type;

/// A future's state that holds the operation that will fill it.
template <class Sender, class T>
struct sender_block : tasks::result_state<T> {
  using base = tasks::result_state<T>;
  using future_state = tasks::future_state;

  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      owner->finish_with(owner->fill([&]() -> T { return T(static_cast<Values&&>(values)...); }));
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      owner->finish_with(owner->fail(as_exception_ptr(static_cast<Error&&>(error))));
    }
    void set_stopped() noexcept {
      owner->finish_with(owner->fail(
          std::make_exception_ptr(weft::future_error(weft::future_errc::broken_promise))));
    }
    sender_block* owner;
  };

  explicit sender_block(Sender&& sender)
      : base(nullptr, calls), inner(connect(static_cast<Sender&&>(sender), receiver{this})) {}
  void finish_with(std::uintptr_t outcome) noexcept { tasks::finish_and_resume(*this, outcome); }

 private:
  static future_state* drop(future_state& state) noexcept {
    auto& me = static_cast<sender_block&>(state);
    me.destroy_result();
    tasks::destroy_block(me);
    return nullptr;
  }
  static constexpr typename base::typed_operations calls{{drop}, nullptr};

 public:
  connect_result_t<Sender, receiver> inner;
};

/// Completes with what a future gives, as a task of the runtime in which it was started.
template <class Future, class Receiver>
class future_operation : tasks::work_item, tasks::dependent {
 public:
  using operation_state_concept = operation_state_tag;
  future_operation(Future&& from, Receiver&& end) noexcept
      : tasks::work_item(&complete_as_task),
        dependent(&queue),
        source_(std::move(from)),
        to_(static_cast<Receiver&&>(end)) {}
  future_operation(const future_operation&) = delete;
  future_operation& operator=(const future_operation&) = delete;
  ~future_operation() = default;

  void start() noexcept {
    if (!source_.valid()) {
      complete();  // with no_state
      return;
    }
    tasks::future_state& state = *tasks::future_access::state_of(source_);
    home_ = tasks::scheduler_here();
    tasks::start_unstarted(state);
    if (!tasks::attach(state, *this)) {
      complete();
    }
  }

 private:
  static void queue(dependent& me, tasks::completions& /*all*/) noexcept {
    auto& mine = static_cast<future_operation&>(me);
    tasks::start_surely(mine.home_, mine);
  }
  static tasks::waiter* complete_as_task(task& me) noexcept {
    static_cast<future_operation&>(me).complete();
    return nullptr;
  }
  void complete() noexcept {
    set_value_of_call(
        static_cast<Receiver&&>(to_),
        [source = std::move(source_)]() mutable -> decltype(auto) { return source.get(); });
  }

  Future source_;
  Receiver to_;
  tasks::scheduler* home_ = nullptr;
};

/// What makes a future a sender.
template <class Future>
struct future_as_sender {
  using result = decltype(std::declval<Future&>().get());
  using signatures = joined_signatures<typename value_signature<result>::type, exception_signature>;
  template <class Receiver>
  static auto connect(Future&& from, Receiver&& to) noexcept {
    return future_operation<Future, Receiver>(std::move(from), static_cast<Receiver&&>(to));
  }
};

/// A shared future that is not used up by being connected.
template <class Future>
struct [[nodiscard]] shared_future_sender {
  using sender_concept = sender_tag;
  using completion_signatures = typename future_as_sender<Future>::signatures;
  template <class Receiver>
  auto connect(Receiver to) const noexcept {
    return future_operation<Future, Receiver>(Future(from), static_cast<Receiver&&>(to));
  }
  Future from;
};

/// What `as_future(sender)` does.
template <sender Sender>
auto make_future_of(as_future_t /*how*/, Sender&& sender) {
  using child = std::decay_t<Sender>;
  using value = future_value_t<child>;
  using block = sender_block<child, value>;
  auto* made = tasks::make_block<block>(tasks::self(), child(static_cast<Sender&&>(sender)));
  future<value> result = tasks::future_access::make<value>(made);
  made->inner.start();
  return result;
}
inline auto make_adaptor(as_future_t how) { return bound_adaptor(how); }

/// What `as_sender(future)` does.
template <class T>
future<T> make_sender_of(as_sender_t /*how*/, future<T> from) noexcept {
  return from;
}
template <class T>
auto make_sender_of(as_sender_t /*how*/, shared_future<T> from) noexcept {
  return shared_future_sender<shared_future<T>>{std::move(from)};
}

}  // namespace execution::detail
}  // namespace weft
