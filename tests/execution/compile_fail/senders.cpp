// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of senders that do not compile, and what the compiler has to say of each.
#include <exception>
#include <string>
#include <utility>
#include <vector>  // IWYU pragma: keep: for what does not compile

#include "weft/execution.hpp"
#include "weft/tasks/lazy_task.hpp"

namespace ex = weft::execution;

struct only_values {
  using receiver_concept = ex::receiver_tag;
  void set_value(auto&&...) noexcept {}
};

struct may_throw {
  using receiver_concept = ex::receiver_tag;
  void set_value() {}
};

/// Scheduling on it may fail.
struct fallible_scheduler {
  struct may_fail {
    using sender_concept = ex::sender_tag;
    using completion_signatures =
        ex::completion_signatures<ex::set_value_t(), ex::set_error_t(std::exception_ptr)>;
  };
  using scheduler_concept = ex::scheduler_tag;
  static may_fail schedule() noexcept { return {}; }
  static ex::forward_progress_guarantee query(ex::get_forward_progress_guarantee_t) noexcept {
    return ex::forward_progress_guarantee::parallel;
  }
  friend bool operator==(fallible_scheduler, fallible_scheduler) noexcept = default;
};

struct two_kinds {
  using sender_concept = ex::sender_tag;
  using completion_signatures =
      ex::completion_signatures<ex::set_value_t(int), ex::set_value_t(std::string)>;
};

struct immovable_child {
  using sender_concept = ex::sender_tag;
  using completion_signatures = ex::completion_signatures<ex::set_value_t()>;
};

#if defined(MISTAKES)
ex::task<int> awaits(int x) {
  co_await x;
  // expect: task<T, Env>: the awaited object is neither an awaitable nor a sender
  co_yield ex::with_error(std::string("torn"));
  // expect: execution::with_error: the error must be convertible to exactly one of Env::error_types
  co_return x;
}

weft::lazy_task<int> awaits_lazily(int x) {
  co_await x;
  // expect: weft::lazy_task: the awaited object is neither an awaitable nor a sender
  co_return x;
}
#else
ex::task<int> awaits(int x) { co_return x; }

weft::lazy_task<int> awaits_lazily(int x) { co_return x; }
#endif

weft::lazy_task<int> lazily(int x) { co_return x; }

void adapt(weft::lazy_task<int>& once) {
#if defined(MISTAKES)
  ex::sync_wait(ex::just(1) | ex::then([](std::string) {}));
  // expect once: execution::then: the function cannot be called with the values that the sender
  ex::sync_wait(ex::just_error(1) | ex::upon_error([](std::string) {}));
  // expect once: execution::upon_error: the function cannot be called with an error
  ex::sync_wait(ex::just_stopped() | ex::upon_stopped([](int) {}));
  // expect once: execution::upon_stopped: the function cannot be called without arguments
  ex::sync_wait(ex::just(1) | ex::let_value([](std::string&) { return ex::just(); }));
  // expect once: the function cannot be called with lvalues of what the sender before it
  ex::sync_wait(ex::just(1) | ex::let_value([](int& x) { return x; }));
  // expect once: the function must return a sender
  ex::sync_wait(ex::just(1) | ex::bulk(3, [](int) {}));
  // expect once: execution::bulk: the function cannot be called with an index
  ex::sync_wait(ex::just() | ex::bulk_chunked(3, [](int) {}));
  // expect once: execution::bulk_chunked: the function cannot be called with the two ends
  ex::sync_wait(ex::when_all(two_kinds()));
  // expect: execution::when_all: a sender may complete with several kinds of values
  [[maybe_unused]] const auto all = ex::when_all(std::vector<int>(2));
  // expect: execution::when_all: this is neither a sender nor a range of senders
  ex::as_future(ex::just(1, 2));
  // expect: execution::as_future: the sender must complete with one value or none
  ex::sync_wait(ex::just(1, 2) | ex::stopped_as_optional());
  // expect: execution::stopped_as_optional: the sender must complete with exactly one value
  once | ex::then([](int) {});
  // expect: the sender before | can only be moved; pass it by std::move
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wunused-result"
  ex::just(1) | ex::then([](int) {});
  // expect once: nodiscard
#pragma GCC diagnostic pop
#else
  ex::sync_wait(ex::just(1) | ex::then([](int) {}));
  std::move(once) | ex::then([](int) {});
#endif
}

void start(weft::lazy_task<int>& once, ex::simple_counting_scope& scope) {
#if defined(MISTAKES)
  ex::sync_wait(two_kinds());
  // expect: execution::sync_wait: the sender may complete with several kinds of values
  ex::sync_wait(ex::read_env(ex::get_allocator));
  // expect: execution::sync_wait: this is no sender, or its completions cannot be told
  ex::sync_wait(once);
  // expect: execution::sync_wait: the sender can only be moved; pass it by std::move
  ex::spawn(ex::just(1), scope.get_token());
  // expect once: execution::spawn: the sender sends a value (set_value_t) that nobody would see
  ex::spawn(ex::just() | ex::then([] {}), scope.get_token());
  // expect once: make noexcept the functions in it that cannot throw
#else
  ex::sync_wait(awaits(1));
  ex::sync_wait(awaits_lazily(1));
  ex::sync_wait(std::move(once));
#endif
}

void connect(ex::simple_counting_scope& scope) {
#if defined(MISTAKES)
  static_assert(ex::detail::can_receive_all<decltype(ex::just_error(1)), only_values>());
  // expect: the receiver has no member for one of the sender's completions
  ex::connect(ex::read_env(ex::get_scheduler), only_values());
  // expect: execution::read_env: the environment of the receiver has no answer to this query
  ex::connect(ex::on(weft::default_runtime().get_scheduler(), ex::just()), only_values());
  // expect: execution::on: the environment has no scheduler to come back to
  ex::connect(ex::schedule(weft::default_runtime().get_scheduler()) | ex::affine(), only_values());
  // expect: the environment does not say where the operation is started
  ex::connect(immovable_child(), only_values());
  // expect: execution::connect: this is neither a sender that can be connected
  ex::connect(scope.join(), only_values());
  // expect: execution::counting_scope::join: the environment has no scheduler to complete on
  ex::set_value(may_throw());
  // expect: execution::set_value: set_value of a receiver must be noexcept
  const ex::task_scheduler where(fallible_scheduler{});
  // expect: execution::task_scheduler: scheduling on this scheduler may fail
  const ex::completion_signatures<int> wrong;
  // expect: execution::completion_signatures: each one is set_value_t
#endif
}
