// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// promise and packaged_task: values, exceptions, and the errors of those who use them wrongly.
#include "weft/tasks/promise.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/packaged_task.hpp"

#include "tasks/futures_fixture.hpp"

namespace promise_test {

class Promise : public WithWorkers {};

TEST_P(Promise, gives_its_value_to_a_waiting_task) {
  for (int i = 0; i < 200; ++i) {
    const int result = runtime.run([i] {
      weft::promise<int> p;
      weft::future<int> f = p.get_future();
      weft::future<int> reader = weft::async([f = std::move(f)]() mutable { return f.get(); });
      p.set_value(i);
      return reader.get();
    });
    ASSERT_EQ(result, i);
  }
}

TEST_P(Promise, is_set_by_a_thread_while_a_task_waits) {
  weft::promise<std::unique_ptr<int>> p;
  std::jthread setter([&] { p.set_value(std::make_unique<int>(5)); });

  EXPECT_EQ(runtime.run([f = p.get_future()]() mutable { return *f.get(); }), 5);
}

TEST_P(Promise, broken_fails_its_future) {
  weft::future<int> f;
  {
    weft::promise<int> p;
    f = p.get_future();
  }

  EXPECT_EQ(code_of([&] { f.get(); }), weft::future_errc::broken_promise);
}

TEST_P(Promise, broken_wakes_who_waits) {
  auto p = std::make_unique<weft::promise<void>>();
  weft::future<void> f = p->get_future();
  std::jthread breaker([&] { p.reset(); });

  EXPECT_EQ(runtime.run([&] { return code_of([&] { f.get(); }); }),
            weft::future_errc::broken_promise);
}

TEST_P(Promise, wrong_uses_are_named) {
  weft::promise<int> p;
  weft::future<int> f = p.get_future();
  p.set_value(1);

  EXPECT_EQ(code_of([&] { static_cast<void>(p.get_future()); }),
            weft::future_errc::already_retrieved);
  EXPECT_EQ(code_of([&] { p.set_value(2); }), weft::future_errc::promise_already_satisfied);
  EXPECT_EQ(code_of([&] { p.set_exception(nullptr); }),
            weft::future_errc::promise_already_satisfied);
  EXPECT_EQ(f.get(), 1);
  weft::promise<int> moved = std::move(p);
  EXPECT_EQ(code_of([&] { p.set_value(3); }),  // NOLINT(bugprone-use-after-move): what is tested
            weft::future_errc::no_state);
}

TEST_P(Promise, a_null_exception_is_named_and_sets_nothing) {
  weft::promise<int> p;
  weft::future<int> f = p.get_future();

  EXPECT_EQ(code_of([&] { p.set_exception(nullptr); }), weft::future_errc::no_exception);
  EXPECT_EQ(code_of([] { static_cast<void>(weft::make_exceptional_future<int>(nullptr)); }),
            weft::future_errc::no_exception);
  EXPECT_EQ(
      code_of([] { static_cast<void>(weft::make_exceptional_future<int>(std::exception_ptr())); }),
      weft::future_errc::no_exception);
  EXPECT_FALSE(f.is_ready());
  p.set_value(1);

  EXPECT_EQ(f.get(), 1);
}

TEST_P(Promise, that_nobody_asks_frees_its_value) {
  auto held = std::make_shared<int>(1);
  {
    weft::promise<std::shared_ptr<int>> p;
    p.set_value(held);
    const weft::promise<std::shared_ptr<int>> never_set;
  }

  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(Promise, holds_references_and_nothing) {
  int target = 0;
  weft::promise<int&> reference;
  weft::promise<void> nothing;

  reference.set_value(target);
  nothing.set_value();

  EXPECT_EQ(&reference.get_future().get(), &target);
  nothing.get_future().get();
}

TEST(PackagedTask, result_goes_to_the_future) {
  weft::packaged_task<int(std::unique_ptr<int>)> t([](std::unique_ptr<int> p) { return *p + 1; });
  weft::future<int> f = t.get_future();

  t(std::make_unique<int>(41));

  EXPECT_EQ(f.get(), 42);
  EXPECT_EQ(code_of([&] { t(nullptr); }), weft::future_errc::promise_already_satisfied);
}

TEST(PackagedTask, exception_goes_to_the_future) {
  weft::packaged_task<void()> t([] { throw std::range_error("inside"); });
  weft::future<void> f = t.get_future();

  t();

  EXPECT_THROW(f.get(), std::range_error);
}

TEST(PackagedTask, can_be_called_again_after_reset) {
  weft::packaged_task<int(int)> t([sum = 0](int n) mutable { return sum += n; });
  t(1);
  t.reset();
  weft::future<int> f = t.get_future();

  t(2);

  EXPECT_EQ(f.get(), 3);
}

TEST(PackagedTask, without_callable_is_named) {
  weft::packaged_task<void()> t;

  EXPECT_FALSE(t.valid());
  EXPECT_EQ(code_of([&] { t(); }), weft::future_errc::no_state);
  EXPECT_EQ(code_of([&] { static_cast<void>(t.get_future()); }), weft::future_errc::no_state);
}

int twice(int n) { return 2 * n; }

TEST(PackagedTask, nothing_to_call_is_named) {
  using task = weft::packaged_task<int(int)>;
  struct number {
    int value;
  };

  EXPECT_EQ(code_of([] { task(static_cast<int (*)(int)>(nullptr)); }),
            weft::future_errc::no_callable);
  EXPECT_EQ(code_of([] { task(std::function<int(int)>()); }), weft::future_errc::no_callable);
  EXPECT_EQ(code_of([] { weft::packaged_task<int(number)>(static_cast<int number::*>(nullptr)); }),
            weft::future_errc::no_callable);
  task by_pointer(&twice);
  task by_name(twice);
  task by_function{std::function<int(int)>(twice)};
  task by_closure([](int n) { return 2 * n; });
  for (task* each : {&by_pointer, &by_name, &by_function, &by_closure}) {
    (*each)(4);
    EXPECT_EQ(each->get_future().get(), 8);
  }
}

TEST(PackagedTask, dropped_uncalled_breaks_its_promise) {
  weft::future<void> f;
  {
    weft::packaged_task<void()> t([] {});
    f = t.get_future();
  }

  EXPECT_EQ(code_of([&] { f.get(); }), weft::future_errc::broken_promise);
}

WEFT_RUN_WITH_WORKERS(Promise);

}  // namespace promise_test
