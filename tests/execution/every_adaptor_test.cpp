// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every adaptor: errors and stops pass it, a stop reaches what runs behind it, bulk
// behind it is parallel, and whatever is built of them completes once.
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"
#include "weft/tasks/this_task.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace every_adaptor_test {

/// For adaptors that have to know where they were started.
auto started_here() {
  return write_env(
      env(prop(get_scheduler, inline_scheduler()), prop(get_start_scheduler, inline_scheduler())));
}

/// Calls `check(name, adaptor)` for the adaptors through which a value, an error and a stop pass
/// as they are.
template <class Check>
void with_adaptors(Check check) {
  const auto same = [](auto&& x) { return x; };
  check("then", [=](auto s) { return std::move(s) | then(same); });
  check("let_value",
        [](auto s) { return std::move(s) | let_value([](int& x) { return just(x); }); });
  check("starts_on", [](auto s) { return starts_on(inline_scheduler(), std::move(s)); });
  check("continues_on", [](auto s) { return std::move(s) | continues_on(inline_scheduler()); });
  check("schedule_from", [](auto s) { return schedule_from(inline_scheduler(), std::move(s)); });
  check("on", [](auto s) { return on(inline_scheduler(), std::move(s)) | started_here(); });
  check("on closure",
        [=](auto s) { return std::move(s) | on(inline_scheduler(), then(same)) | started_here(); });
  check("bulk", [](auto s) { return std::move(s) | bulk(2, [](int, int&) {}); });
  check("bulk_chunked",
        [](auto s) { return std::move(s) | bulk_chunked(2, [](int, int, int&) {}); });
  check("bulk_unchunked",
        [](auto s) { return std::move(s) | bulk_unchunked(2, [](int, int&) {}); });
  check("when_all", [](auto s) { return when_all(std::move(s), just()); });
  check("when_all_with_variant", [](auto s) {
    return when_all_with_variant(std::move(s)) |
           then([](const auto& sent) { return std::get<0>(std::get<0>(sent)); });
  });
  check("when_all of a range", [](const auto& s) {
    return when_all(std::vector<std::remove_cvref_t<decltype(s)>>{s}) |
           then([](const std::vector<int>& sent) { return sent.front(); });
  });
  check("when_any", [](auto s) { return when_any(std::move(s), just_stopped()); });
  check("into_variant", [](auto s) {
    return std::move(s) | into_variant() |
           then([](const auto& sent) { return std::get<0>(std::get<0>(sent)); });
  });
  check("write_env", [](auto s) { return std::move(s) | started_here(); });
  check("affine", [](auto s) { return std::move(s) | affine() | started_here(); });
  check("any_sender", [](auto s) { return any_sender<int>(std::move(s)); });
  check("split", [](auto s) { return std::move(s) | split(); });
}

/// The sender as one that might also send a number.
template <class Sender>
struct or_number {
  using sender_concept = sender_tag;
  using child_type = Sender;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures()
      -> detail::joined_signatures<completion_signatures<set_value_t(int)>,
                                   completion_signatures_of_t<Sender, Env...>> {
    return {};
  }
  template <class Receiver>
  auto connect(Receiver to) const {
    return execution::connect(child, std::move(to));
  }
  Sender child;
};

template <class Sender>
or_number(Sender) -> or_number<Sender>;

TEST(EveryAdaptor, passes_values_errors_and_stops_on) {
  with_adaptors([](const char* name, auto adaptor) {
    SCOPED_TRACE(name);
    const auto error = std::make_exception_ptr(std::runtime_error("passed on"));
    test::expect_value(adaptor(just(3)), 3);
    test::expect_error(adaptor(or_number{just_error(error)}), "passed on");
    test::expect_stopped(adaptor(or_number{just_stopped()}));
  });
}

/// Sends 1 if it is connected as an lvalue, 2 as a const one, 3 as an rvalue.
struct tells_how_it_is_connected {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t(int)>;
  template <class Receiver>
  auto connect(Receiver to) & {
    return execution::connect(just(1), std::move(to));
  }
  template <class Receiver>
  auto connect(Receiver to) const& {
    return execution::connect(just(2), std::move(to));
  }
  template <class Receiver>
  auto connect(Receiver to) && {
    return execution::connect(just(3), std::move(to));
  }
};

template <class Sender>
int sent_by(Sender&& sender) {
  test::outcome result;
  auto operation = connect(std::forward<Sender>(sender), test::probe(&result));
  start(operation);
  return result.value;
}

TEST(EveryAdaptor, connects_its_child_as_it_is_connected_itself) {
  with_adaptors([](const char* name, auto adaptor) {
    SCOPED_TRACE(name);
    auto whole = adaptor(tells_how_it_is_connected());
    const bool is_copied = std::string_view(name).starts_with("when_all of") ||
                           std::string_view(name).starts_with("on") ||
                           std::string_view(name) == "affine" || std::string_view(name) == "split";

    if constexpr (std::copy_constructible<decltype(whole)>) {
      EXPECT_EQ(sent_by(whole), is_copied ? 3 : 1);
      EXPECT_EQ(sent_by(std::as_const(whole)), is_copied ? 3 : 2);
    }
    EXPECT_EQ(sent_by(std::move(whole)), 3);
  });
}

/// Its `connect` is not const, as that of most senders that others write.
struct connects_if_not_const {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t(int)>;
  template <class Receiver>
  auto connect(Receiver to) {
    return execution::connect(just(3), std::move(to));
  }
};

template <class Sender>
concept has_connect =
    requires(Sender&& sender, test::probe<> to) { static_cast<Sender&&>(sender).connect(to); };

TEST(EveryAdaptor, a_child_without_a_const_connect_is_connected_as_an_lvalue) {
  with_adaptors([](const char* name, auto adaptor) {
    SCOPED_TRACE(name);
    auto whole = adaptor(connects_if_not_const());

    if constexpr (std::copy_constructible<decltype(whole)>) {
      EXPECT_EQ(sent_by(whole), 3);
      EXPECT_EQ(sent_by(whole), 3);
    }
  });
  static_assert(has_connect<decltype(just() | then([] {}))>);
  static_assert(has_connect<decltype(just() | then([] {}))&>);
  static_assert(!has_connect<decltype(std::declval<weft::lazy_task<int>>() | then([](int) {}))&>);
  simple_counting_scope scope;
  {
    auto in_scope = associate(connects_if_not_const(), scope.get_token());
    EXPECT_EQ(sent_by(in_scope), 3);
  }
  this_thread::sync_wait(scope.join());
  auto maybe = connects_if_not_const() | stopped_as_optional() |
               then([](const std::optional<int>& sent) { return sent.value_or(0); });
  EXPECT_EQ(sent_by(maybe), 3);
}

/// One completion, by a stop, and not before somebody asks.
template <class Sender>
void expect_stop_to_arrive(Sender&& sender) {
  inplace_stop_source source;
  test::outcome result;
  auto operation = connect(std::forward<Sender>(sender),
                           test::probe(&result, prop(get_stop_token, source.get_token())));
  operation.start();
  EXPECT_EQ(result.num_completions(), 0);

  source.request_stop();

  EXPECT_EQ(result.num_stops, 1);
  EXPECT_EQ(result.num_completions(), 1);
}

TEST(EveryAdaptor, passes_a_stop_request_to_what_runs) {
  with_adaptors([](const char* name, auto adaptor) {
    SCOPED_TRACE(name);
    expect_stop_to_arrive(adaptor(test::waits_for_stop()));
  });
}

TEST(EveryAdaptor, that_goes_on_passes_a_stop_request_to_what_it_goes_on_with) {
  const auto wait = [](auto&...) { return test::waits_for_stop(); };
  expect_stop_to_arrive(just(1) | let_value(wait));
  expect_stop_to_arrive(just_error(1) | let_error(wait));
  expect_stop_to_arrive(just_stopped() | let_stopped(wait));
  expect_stop_to_arrive(ensure_started(test::waits_for_stop()));
  counting_scope scope;
  expect_stop_to_arrive(test::waits_for_stop() | associate(scope.get_token()));
  expect_stop_to_arrive(spawn_future(test::waits_for_stop(), scope.get_token()));
  sync_wait(scope.join());
}

TEST(EveryAdaptor, that_turns_one_ending_into_another_passes_the_others_on) {
  const auto one = [](auto&&...) { return 1; };
  test::expect_error(just_error(4) | stopped_as_error(12), "4");
  test::expect_error(or_number{just_error(4)} | stopped_as_optional(), "4");
  test::expect_value(just(3) | let_error([](int&) { return just(1); }), 3);
  test::expect_value(just(3) | let_stopped([] { return just(1); }), 3);
  test::expect_stopped(just_stopped() | upon_error(one));
  test::expect_error(just(1) | bulk_chunked(2, [](int, int, int&) { test::fail_with("chunk"); }),
                     "chunk");
  test::expect_error(just(1) | bulk_unchunked(2, [](int, int&) { test::fail_with("single"); }),
                     "single");
  test::expect_error(just_error(4) | ensure_started(), "4");
  simple_counting_scope scope;
  test::expect_error(just_error(4) | associate(scope.get_token()), "4");
  sync_wait(scope.join());
}

// bulk, wherever it stands.

runtime_options two_workers() {
  runtime_options options;
  options.workers = 2;
  return options;
}

/// Far longer than anything here takes: only what never comes lets it pass.
auto patience_ends() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

/// What HPX's `thread_pool_scheduler` is here.
struct derived_scheduler : runtime_scheduler {
  explicit derived_scheduler(runtime_scheduler of) : runtime_scheduler(of) {}
};

weft::lazy_task<void> does_nothing() { co_return; }
task<void, env<>> does_nothing_there() { co_return; }

TEST(Bulk, is_parallel_behind_every_adaptor) {
  runtime pool(two_workers());
  const auto there = pool.get_scheduler();
  std::atomic<int> num_here{0};
  // Both calls are under way at once, or each looks for the other in vain.
  const auto meet = [&num_here](int /*index*/, auto&&...) {
    ++num_here;
    const auto limit = patience_ends();
    while (num_here < 2 && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    EXPECT_EQ(num_here, 2);
  };
  const auto expect_parallel = [&](const char* name, auto before) {
    SCOPED_TRACE(name);
    num_here = 0;
    EXPECT_TRUE(sync_wait(std::move(before) | bulk_unchunked(2, meet)).has_value());
    EXPECT_EQ(num_here, 2);
  };
  const auto ignore = [](auto&&...) {};
  const auto fails = [] { test::fail_with("to be handled"); };
  const auto begun = schedule(there);
  counting_scope scope;

  expect_parallel("upon_error", begun | then(fails) | upon_error(ignore));
  expect_parallel("let_error",
                  begun | then(fails) | let_error([](std::exception_ptr&) { return just(); }));
  expect_parallel("let_stopped", begun | let_stopped([] { return just(); }));
  expect_parallel("into_variant", begun | into_variant());
  expect_parallel("stopped_as_optional", begun | then([] { return 1; }) | stopped_as_optional());
  expect_parallel("write_env", begun | write_env(prop(get_stop_token, never_stop_token())));
  expect_parallel("unstoppable", begun | unstoppable());
  expect_parallel("associate", begun | associate(scope.get_token()));
  expect_parallel("spawn_future", starts_on(there, spawn_future(begun, scope.get_token())));
  expect_parallel("ensure_started", starts_on(there, ensure_started(begun)));
  expect_parallel("split", starts_on(there, begun | split()));
  expect_parallel("schedule_from", schedule_from(there, just()));
  expect_parallel("when_all_with_variant", when_all_with_variant(begun, begun));
  expect_parallel("when_all of a range",
                  when_all(std::vector<decltype(schedule(there))>(2, begun)));
  expect_parallel("when_any", when_any(begun, begun));
  expect_parallel("any_sender", any_sender<>(begun));
  expect_parallel("bulk", begun | bulk(2, ignore));
  expect_parallel("task", starts_on(there, does_nothing()));
  expect_parallel("task with an environment", starts_on(there, does_nothing_there()));
  expect_parallel("derived", just() | continues_on(derived_scheduler(there)));
  expect_parallel("erased", just() | continues_on(task_scheduler(derived_scheduler(there))));
  expect_parallel("future", begun | let_value([] { return weft::async([] {}); }));
  sync_wait(scope.join());
}

// Whatever is built of them.

/// How many operations were started, and how many have completed.
struct tally {
  std::atomic<int> num_started{0};
  std::atomic<int> num_completed{0};
};

/// Counts an operation's start and its completions.
struct counted {
  using sender_concept = sender_tag;
  using completion_signatures = any_sender<int>::completion_signatures;

  template <class Receiver>
  struct operation {
    using operation_state_concept = operation_state_tag;
    struct inner_receiver {
      using receiver_concept = receiver_tag;
      void set_value(int x) noexcept { std::move(owner->completed()).set_value(x); }
      void set_error(std::exception_ptr error) noexcept {
        std::move(owner->completed()).set_error(std::move(error));
      }
      void set_stopped() noexcept { std::move(owner->completed()).set_stopped(); }
      [[nodiscard]] env_of_t<Receiver> get_env() const noexcept {
        return execution::get_env(owner->to);
      }
      operation* owner;
    };
    operation(any_sender<int>&& work, tally* whose, Receiver&& end)
        : count(whose),
          to(std::move(end)),
          inner(execution::connect(std::move(work), inner_receiver{this})) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    ~operation() { EXPECT_EQ(num_completions, was_started ? 1 : 0); }
    void start() noexcept {
      was_started = true;
      ++count->num_started;
      inner.start();
    }
    Receiver& completed() noexcept {
      EXPECT_TRUE(was_started);
      ++num_completions;
      ++count->num_completed;
      return to;
    }

    tally* count;
    Receiver to;
    bool was_started = false;
    int num_completions = 0;
    connect_result_t<any_sender<int>, inner_receiver> inner;
  };
  template <class Receiver>
  auto connect(Receiver to) && {
    return operation<Receiver>(std::move(work), count, std::move(to));
  }

  any_sender<int> work;
  tally* count;
};

/// Makes trees of senders with ends of all kinds, the same ones for a seed.
class random_trees {
 public:
  random_trees(runtime_scheduler where, unsigned seed, tally* count)
      : where_(where), random_(seed), count_(count) {}

  any_sender<int> make(int depth) { return counted{depth == 0 ? leaf() : node(depth - 1), count_}; }

 private:
  // Not by a distribution, which is each library's own.
  int below(unsigned bound) { return static_cast<int>(random_() % bound); }
  std::pair<any_sender<int>, any_sender<int>> two(int depth) {
    any_sender<int> first = make(depth);
    return {std::move(first), make(depth)};
  }

  any_sender<int> leaf() {
    const int num_yields = below(3);
    auto work = schedule(where_) | then([num_yields] {
                  for (int i = 0; i < num_yields; ++i) {
                    this_task::yield();
                  }
                });
    switch (below(4)) {
      case 0:
        return work | let_value([] { return just_error(-1); });
      case 1:
        return work | let_value([] { return just_stopped(); });
      default:
        return work | then([] { return 1; });
    }
  }
  any_sender<int> node(int depth) {
    const auto add = [](int a, int b) { return a + b; };
    switch (below(7)) {
      case 0: {
        auto [first, second] = two(depth);
        return when_all(std::move(first), std::move(second)) | then(add);
      }
      case 1: {
        auto [first, second] = two(depth);
        return when_any(std::move(first), std::move(second));
      }
      case 2:
        return make(depth) | continues_on(where_);
      case 3:
        return make(depth) |
               let_value([next = make(depth)](int& /*before*/) mutable { return std::move(next); });
      case 4:
        return make(depth) | let_error([](auto& /*error*/) { return just(2); });
      case 5:
        return make(depth) | let_stopped([] { return just(3); });
      default:
        return starts_on(where_, ensure_started(make(depth)));
    }
  }

  runtime_scheduler where_;
  std::mt19937 random_;
  tally* count_;
};

/// Runs the tree and keeps its operation until all has ended: it completes once.
void run_and_keep(any_sender<int> tree, runtime& pool, unsigned seed) {
  inplace_stop_source source;
  test::outcome result;
  auto operation =
      connect(std::move(tree), test::probe(&result, prop(get_stop_token, source.get_token())));
  operation.start();
  if (seed % 3 == 0) {
    source.request_stop();
  }
  const auto limit = patience_ends();
  while (result.num_completions() == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      std::cerr << "tree " << seed << " never completes\n";
      std::abort();  // its operation cannot be left
    }
    std::this_thread::yield();
  }
  pool.wait_until_idle();
  EXPECT_EQ(result.num_completions(), 1);
}

/// Runs the tree, whose operation is gone as soon as it has completed.
void run_and_leave(any_sender<int> tree, unsigned seed) {
  inplace_stop_source source;
  if (seed % 3 == 0) {
    source.request_stop();
  }
  sync_wait(std::move(tree) | upon_error([](auto&&) { return -1; }) |
            write_env(prop(get_stop_token, source.get_token())));
}

TEST(RandomTrees, every_operation_completes_once) {
  runtime pool(two_workers());
  constexpr unsigned num_trees = 150;
  constexpr int depth = 5;
  for (unsigned seed = 0; seed < num_trees; ++seed) {
    SCOPED_TRACE(seed);
    tally count;
    any_sender<int> tree = random_trees(pool.get_scheduler(), seed, &count).make(depth);
    if (seed % 2 == 0) {
      run_and_keep(std::move(tree), pool, seed);
    } else {
      run_and_leave(std::move(tree), seed);
      pool.wait_until_idle();
    }
    EXPECT_EQ(count.num_completed, count.num_started);
    EXPECT_GE(count.num_started, 1);
  }
}

}  // namespace every_adaptor_test
}  // namespace weft::execution
