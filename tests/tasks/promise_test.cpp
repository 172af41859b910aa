// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// promise and packaged_task: values, exceptions, and the errors of those who use them wrongly.
#include "weft/tasks/promise.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
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

struct noticed_end {
  explicit noticed_end(bool& place) : has_ended(&place) {}
  noticed_end(noticed_end&& other) noexcept : has_ended(std::exchange(other.has_ended, nullptr)) {}
  noticed_end& operator=(noticed_end&&) = delete;
  ~noticed_end() {
    if (has_ended != nullptr) {
      *has_ended = true;
    }
  }
  bool* has_ended;
};

TEST(PackagedTask, an_exception_ends_where_the_future_gives_it) {
  bool has_ended = false;
  bool has_ended_in_reader = false;
  weft::packaged_task<void()> t([&] { throw noticed_end(has_ended); });
  weft::future<void> read = t.get_future().then(weft::launch::sync, [&](weft::future<void> ready) {
    EXPECT_THROW(std::exchange(ready, {}).get(), noticed_end);
    has_ended_in_reader = has_ended;
  });

  t();

  read.get();
  EXPECT_TRUE(has_ended_in_reader);
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

/// Counts what it gave and did not get back.
template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int& count) noexcept : num_live(&count) {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other) noexcept : num_live(other.num_live) {}
  T* allocate(std::size_t n) {
    T* const memory = std::allocator<T>().allocate(n);
    ++*num_live;
    return memory;
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    --*num_live;
    std::allocator<T>().deallocate(memory, n);
  }
  template <class U>
  bool operator==(const counting_allocator<U>& other) const noexcept {
    return num_live == other.num_live;
  }
  int* num_live;
};

TEST_P(Promise, takes_its_memory_from_an_allocator) {
  int num_live = 0;
  const counting_allocator<int> memory(num_live);
  {
    weft::promise<std::shared_ptr<int>> kept(std::allocator_arg, memory);
    auto late = kept.get_future();
    EXPECT_EQ(num_live, 1);
    std::jthread setter([&kept] { kept.set_value(std::make_shared<int>(4)); });
    EXPECT_EQ(runtime.run([&late] { return *late.get(); }), 4);
  }
  EXPECT_EQ(num_live, 0);
  {
    weft::promise<int&> broken(std::allocator_arg, memory);
    const auto never = broken.get_future();
    const weft::promise<void> unasked(std::allocator_arg, memory);
    EXPECT_EQ(num_live, 2);
  }
  EXPECT_EQ(num_live, 0);
  {
    weft::packaged_task<int(int)> task(std::allocator_arg, memory, [](int a) { return a + 1; });
    EXPECT_EQ(num_live, 2);  // the call, and what is shared
    auto first = task.get_future();
    task(1);
    task.reset();
    task(2);
    EXPECT_EQ(first.get() + task.get_future().get(), 5);
  }
  EXPECT_EQ(num_live, 0);
}
static_assert(std::uses_allocator_v<weft::promise<int>, counting_allocator<int>>);
static_assert(std::uses_allocator_v<weft::packaged_task<int()>, counting_allocator<int>>);
static_assert(!std::is_copy_constructible_v<weft::packaged_task<int()>>);

TEST_P(Promise, errors_tell_which_they_are) {
  const auto error_of = [](auto call) {
    try {
      call();
    } catch (const weft::error& raised) {
      return raised.get_error();
    }
    return weft::errc::success;
  };
  weft::promise<int> p;
  weft::future<int> f = p.get_future();

  EXPECT_EQ(error_of([&] { static_cast<void>(p.get_future()); }),
            weft::errc::future_already_retrieved);
  p.set_value(1);
  EXPECT_EQ(error_of([&] { p.set_value(2); }), weft::errc::promise_already_satisfied);
  EXPECT_EQ(f.get(), 1);
  EXPECT_EQ(error_of([&] { f.get(); }), weft::errc::no_state);
  {
    const weft::promise<int> broken = [&f] {
      weft::promise<int> fresh;
      f = fresh.get_future();
      return fresh;
    }();
  }
  EXPECT_EQ(error_of([&] { f.get(); }), weft::errc::broken_promise);
  EXPECT_EQ(error_of([] { throw weft::error("of somebody"); }), weft::errc::unknown_error);
}

}  // namespace promise_test
