// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders beyond the standard's: of any type, split, started early.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "weft/execution.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace extras_test {

any_sender<int> fib(runtime_scheduler s, int n) {
  if (n < 2) {
    return just(n);
  }
  return schedule(s) | let_value([s, n] { return when_all(fib(s, n - 1), fib(s, n - 2)); }) |
         then([](int a, int b) { return a + b; });
}

TEST(AnySender, recursion_needs_no_other_type) {
  runtime_options options;
  options.workers = 2;
  runtime pool(options);
  EXPECT_EQ(std::get<0>(sync_wait(fib(pool.get_scheduler(), 12)).value()), 144);
  EXPECT_EQ(pool.run([&] { return std::get<0>(sync_wait(fib(pool.get_scheduler(), 10)).value()); }),
            55);
}

TEST(AnySender, values_errors_and_stops_pass) {
  test::expect_value(any_sender<int, int>(just(1, 2)), 3);
  test::expect_value(any_sender<>(just()), 0);
  test::expect_error(any_sender<int>(just_error(std::runtime_error("any"))), "any");
  test::expect_stopped(any_sender<int>(just_stopped()));
  const std::error_code late = std::make_error_code(std::errc::timed_out);
  EXPECT_THROW(sync_wait(any_sender<int>(just_error(late))), std::system_error);
  test::expect_value(any_sender<std::unique_ptr<int>>(just(std::make_unique<int>(8))) |
                         then([](std::unique_ptr<int> p) { return *p; }),
                     8);
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied& /*other*/) { test::fail_with("not copied"); }
};

TEST(AnySender, an_error_of_making_its_values_is_sent) {
  const throws_when_copied kept;
  test::expect_error(
      any_sender<throws_when_copied>(
          just() | then([&]() noexcept -> const throws_when_copied& { return kept; })) |
          then([](const throws_when_copied&) { return 1; }),
      "not copied");
}

TEST(AnySender, the_stop_token_reaches_the_sender) {
  inplace_stop_source source;
  source.request_stop();
  test::outcome result;
  any_sender<bool> asks =
      read_env(get_stop_token) | then([](auto token) { return token.stop_requested(); });
  auto operation =
      connect(std::move(asks), test::probe(&result, prop(get_stop_token, source.get_token())));
  operation.start();
  EXPECT_EQ(result.value, 1);
}

TEST(AnySender, one_that_is_never_connected_is_freed) {
  auto shared = std::make_shared<int>(1);
  {
    const any_sender<int> dropped = just() | then([shared] { return *shared; });
  }
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Split, split_starts_once_and_sends_to_all) {
  run_loop loop;
  int num_runs = 0;
  auto shared = schedule(loop.get_scheduler()) | then([&] { return ++num_runs; }) | split();
  test::outcome first;
  test::outcome second;
  auto one = connect(shared, test::probe(&first));
  auto other = connect(shared, test::probe(&second));
  one.start();
  other.start();
  loop.finish();
  loop.run();

  EXPECT_EQ(num_runs, 1);
  EXPECT_EQ(first.value, 1);
  EXPECT_EQ(second.value, 1);
  test::expect_value(shared, 1);
  test::expect_stopped(just_stopped() | split());
  test::expect_error(just_error(3) | split(), "3");
}

TEST(Split, a_stop_reaches_what_is_split) {
  using test::waits_for_stop;
  test::expect_error(when_all(just_error(1), waits_for_stop() | split()), "1");
  test::expect_error(when_all(waits_for_stop() | split(), just_error(2)), "2");
  const auto shared = waits_for_stop() | split();
  test::expect_error(when_all(shared, shared, just_error(3)), "3");
}

TEST(Split, many_consumers_on_several_workers) {
  runtime_options options;
  options.workers = 2;
  runtime pool(options);
  std::atomic<int> num_runs = 0;
  for (int round = 0; round < 100; ++round) {
    auto shared = schedule(pool.get_scheduler()) | then([&] {
                    ++num_runs;
                    return 2;
                  }) |
                  split();
    auto on_worker = [&] {
      return schedule(pool.get_scheduler()) | let_value([shared] { return shared; }) |
             then([](const int& x) { return x; });
    };
    const auto sent = sync_wait(when_all(on_worker(), on_worker(), on_worker()));
    EXPECT_EQ(sent.value(), std::tuple(2, 2, 2));
  }
  EXPECT_EQ(num_runs, 100);
}

}  // namespace extras_test
}  // namespace weft::execution
