// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that must not compile, one for each REJECT_ macro; without one, it compiles.
#if defined(REJECT_AWAIT_WITHOUT_HEADER) || defined(REJECT_THEN_WITHOUT_HEADER)

#include "weft/tasks/async.hpp"
#include "weft/tasks/task.hpp"

struct unknown {};
weft::task<void> awaits(unknown what) {
#if defined(REJECT_AWAIT_WITHOUT_HEADER)
  co_await what;
#endif
  co_return;
}
int main() {
  weft::sync_wait(awaits({}));
#if defined(REJECT_THEN_WITHOUT_HEADER)
  weft::async([] {}).then(unknown(), [](weft::future<void>) {});
#endif
}

#else

#include <exception>
#include <string>
#include <vector>

#include "weft/execution/affine.hpp"
#include "weft/execution/as_future.hpp"
#include "weft/execution/bulk.hpp"
#include "weft/execution/counting_scope.hpp"
#include "weft/execution/environment_task.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/on.hpp"
#include "weft/execution/read_env.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/spawn.hpp"
#include "weft/execution/stopped_as.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/task.hpp"
#include "weft/execution/task_scheduler.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/execution/when_all_range.hpp"
#include "weft/tasks/task.hpp"

namespace ex = weft::execution;

namespace {

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

ex::task<int> awaits(int x) {
#if defined(REJECT_TASK_AWAITS)
  co_await x;
#elif defined(REJECT_TASK_ERROR)
  co_yield ex::with_error(std::string("torn"));
#endif
  co_return x;
}

weft::task<int> lazily(int x) {
#if defined(REJECT_LAZY_AWAITS)
  co_await x;
#endif
  co_return x;
}

/// What goes wrong apart from one adaptor.
void other_mistakes() {
#if defined(REJECT_AS_FUTURE)
  ex::as_future(ex::just(1, 2));
#elif defined(REJECT_STOPPED_AS_OPTIONAL)
  ex::sync_wait(ex::just(1, 2) | ex::stopped_as_optional());
#elif defined(REJECT_TASK_TWICE)
  auto once = lazily(1);
  ex::sync_wait(once);
#elif defined(REJECT_PIPE_TWICE)
  auto once = lazily(1);
  auto next = once | ex::then([](int) {});
#elif defined(REJECT_TASK_SCHEDULER)
  const ex::task_scheduler where(fallible_scheduler{});
#elif defined(REJECT_THROWING_RECEIVER)
  ex::set_value(may_throw());
#elif defined(REJECT_SIGNATURES)
  const ex::completion_signatures<int> wrong;
#elif defined(REJECT_JOIN)
  ex::simple_counting_scope scope;
  auto operation = ex::connect(scope.join(), only_values());
#elif defined(REJECT_WHEN_ALL_RANGE)
  ex::when_all(std::vector<int>(2));
#elif defined(REJECT_UNTOLD)
  ex::sync_wait(ex::read_env(ex::get_allocator));
#endif
  ex::sync_wait(lazily(1));
}

}  // namespace

int main() {
  ex::sync_wait(ex::just(1) | ex::then([](int) {}));
#if defined(REJECT_THEN)
  ex::sync_wait(ex::just(1) | ex::then([](std::string) {}));
#elif defined(REJECT_UPON_ERROR)
  ex::sync_wait(ex::just_error(1) | ex::upon_error([](std::string) {}));
#elif defined(REJECT_UPON_STOPPED)
  ex::sync_wait(ex::just_stopped() | ex::upon_stopped([](int) {}));
#elif defined(REJECT_LET_ARGUMENTS)
  ex::sync_wait(ex::just(1) | ex::let_value([](std::string&) { return ex::just(); }));
#elif defined(REJECT_LET_RESULT)
  ex::sync_wait(ex::just(1) | ex::let_value([](int& x) { return x; }));
#elif defined(REJECT_BULK)
  ex::sync_wait(ex::just(1) | ex::bulk(3, [](int) {}));
#elif defined(REJECT_BULK_CHUNKED)
  ex::sync_wait(ex::just() | ex::bulk_chunked(3, [](int) {}));
#elif defined(REJECT_WHEN_ALL)
  ex::sync_wait(ex::when_all(two_kinds()));
#elif defined(REJECT_SYNC_WAIT)
  ex::sync_wait(two_kinds());
#elif defined(REJECT_RECEIVER)
  static_assert(ex::detail::can_receive_all<decltype(ex::just_error(1)), only_values>());
#elif defined(REJECT_READ_ENV)
  auto operation = ex::connect(ex::read_env(ex::get_scheduler), only_values());
#elif defined(REJECT_ON)
  auto operation = ex::connect(ex::on(ex::get_parallel_scheduler(), ex::just()), only_values());
#elif defined(REJECT_SPAWN_VALUE)
  ex::simple_counting_scope scope;
  ex::spawn(ex::just(1), scope.get_token());
#elif defined(REJECT_SPAWN_ERROR)
  ex::simple_counting_scope scope;
  ex::spawn(ex::just() | ex::then([] {}), scope.get_token());
#elif defined(REJECT_LVALUE)
  auto sender = ex::just(std::exception_ptr()) | ex::then([](auto) {});
  struct immovable_child {
    using sender_concept = ex::sender_tag;
    using completion_signatures = ex::completion_signatures<ex::set_value_t()>;
  };
  ex::sync_wait(immovable_child());
#elif defined(REJECT_AFFINE)
  auto operation =
      ex::connect(ex::schedule(ex::get_parallel_scheduler()) | ex::affine(), only_values());
#endif
  ex::sync_wait(awaits(1));
  other_mistakes();
}

#endif
