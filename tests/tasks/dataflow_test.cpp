// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dataflow and unwrapping, and random graphs of all of it against a serial oracle.
#include "weft/tasks/dataflow.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/shared_future.hpp"
#include "weft/tasks/unwrapping.hpp"
#include "weft/tasks/when_all.hpp"

#include "tasks/futures_fixture.hpp"

namespace dataflow_test {

class Dataflow : public WithWorkers {};

constexpr weft::launch policies[] = {
    weft::launch::async, weft::launch::deferred, weft::launch::fork, weft::launch::sync};

TEST_P(Dataflow, calls_when_all_arguments_are_ready) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      weft::promise<int> p;
      weft::shared_future<int> shared = p.get_future();
      auto sum = weft::dataflow(
          policy,
          [](weft::future<int> a, int b, const weft::shared_future<int>& c) {
            return a.get() + b + c.get();
          },
          weft::async([] { return 1; }),
          2,
          shared);
      EXPECT_FALSE(sum.is_ready());
      p.set_value(39);
      EXPECT_EQ(sum.get(), 42);
    });
  }
}

TEST_P(Dataflow, waits_for_futures_behind_references) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      std::vector<weft::promise<int>> promises(3);
      std::vector<weft::future<int>> many;
      many.reserve(2);
      for (std::size_t i = 0; i < 2; ++i) {
        many.push_back(promises[i].get_future());
      }
      const weft::shared_future<int> one = promises[2].get_future();

      auto sum = weft::dataflow(
          policy,
          [](std::vector<weft::future<int>>& ready, const weft::shared_future<int>& last) {
            EXPECT_TRUE(ready[0].is_ready() && ready[1].is_ready() && last.is_ready());
            return ready[0].get() + ready[1].get() + last.get();
          },
          std::ref(many),
          std::cref(one));
      auto values =
          weft::dataflow(policy,
                         weft::unwrapping([](int value, int more) { return value + more; }),
                         std::cref(one),
                         1);
      EXPECT_FALSE(sum.is_ready() || values.is_ready());
      for (weft::promise<int>& each : promises) {
        each.set_value(14);
      }

      EXPECT_EQ(sum.get(), 42);
      EXPECT_EQ(values.get(), 15);
    });
  }
}

TEST_P(Dataflow, waits_for_futures_in_containers_and_tuples) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      std::vector<weft::future<int>> many;
      many.reserve(2);
      many.reserve(20);
      for (int i = 0; i < 20; ++i) {
        many.push_back(weft::async([i] { return i; }));
      }
      auto sum = weft::dataflow(
          policy,
          [](std::vector<weft::future<int>> all, std::tuple<int, weft::future<int>> pair) {
            int total = std::get<0>(pair);
            EXPECT_TRUE(std::get<1>(pair).is_ready());
            for (auto& each : all) {
              EXPECT_TRUE(each.is_ready());
              total += each.get();
            }
            return total + std::get<1>(pair).get();
          },
          std::move(many),
          std::tuple(100, weft::async([] { return 1000; })));
      EXPECT_EQ(sum.get(), 190 + 1100);
    });
  }
}

TEST_P(Dataflow, unwrapping_passes_values) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      std::vector<weft::future<int>> many;
      many.reserve(2);
      many.push_back(weft::async([] { return 2; }));
      many.push_back(weft::async([] { return 3; }));
      auto text = weft::dataflow(
          policy,
          weft::unwrapping([](std::unique_ptr<int> a, int b, const std::vector<int>& c) {
            return std::to_string(*a) + std::to_string(b) + std::to_string(c.at(0)) +
                   std::to_string(c.at(1));
          }),
          weft::async([] { return std::make_unique<int>(4); }),
          1,
          weft::async([] {}),
          std::move(many));
      EXPECT_EQ(text.get(), "4123");
    });
  }
}

TEST_P(Dataflow, unwrapping_serves_then) {
  const int result = runtime.run([] {
    return weft::async([] { return 41; }).then(weft::unwrapping([](int n) { return n + 1; })).get();
  });

  EXPECT_EQ(result, 42);
}

TEST_P(Dataflow, exceptions_and_inner_futures_pass_through) {
  for (const weft::launch policy : policies) {
    runtime.run([policy] {
      auto failing = [] { return weft::async([]() -> int { throw std::out_of_range("arg"); }); };
      EXPECT_THROW(
          weft::dataflow(policy, weft::unwrapping([](int n) { return n; }), failing()).get(),
          std::out_of_range);
      weft::future<int> inner = weft::dataflow(
          policy,
          [](weft::future<int> f) { return weft::async([n = f.get()] { return n + 1; }); },
          weft::async([] { return 41; }));
      EXPECT_EQ(inner.get(), 42);
      EXPECT_THROW(static_cast<void>(weft::dataflow(
                       policy, [](weft::future<int>) {}, weft::future<int>())),
                   weft::future_error);
    });
  }
}

/// One step of a random program: a sum of earlier values, found in one of several ways.
struct step {
  std::vector<std::size_t> inputs;
  int kind = 0;
};

std::vector<step> random_program(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::vector<step> steps(size);
  for (std::size_t i = 1; i < size; ++i) {
    steps[i].kind = static_cast<int>(random() % 8);
    for (std::size_t n = random() % 4; n-- > 0;) {
      steps[i].inputs.push_back(random() % i);
    }
  }
  return steps;
}

constexpr std::uint64_t own_value(std::size_t i) noexcept { return (i + 1) * 0x9e3779b97f4a7c15U; }

std::vector<std::uint64_t> run_serially(const std::vector<step>& steps) {
  std::vector<std::uint64_t> values(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    values[i] = own_value(i);
    for (const std::size_t input : steps[i].inputs) {
      values[i] = values[i] * 31 + values[input];
    }
  }
  return values;
}

using shared_value = weft::shared_future<std::uint64_t>;

std::uint64_t sum_up(std::size_t i, const std::vector<shared_value>& inputs) {
  std::uint64_t value = own_value(i);
  for (const shared_value& input : inputs) {
    value = value * 31 + input.get();
  }
  return value;
}

shared_value run_step(std::size_t i, int kind, const std::vector<shared_value>& inputs) {
  const weft::launch policy = policies[kind % 4];
  auto body = [i](const std::vector<shared_value>& ready) { return sum_up(i, ready); };
  switch (kind / 4) {
    case 0:
      return weft::async(policy, [body, inputs] { return body(inputs); });
    default:
      return i % 2 == 0
                 ? weft::dataflow(policy, body, inputs)
                 : weft::when_all_ready(inputs).then(
                       policy, [body](weft::future<std::vector<shared_value>> all) {
                         return weft::async([body, ready = all.get()] { return body(ready); });
                       });
  }
}

TEST_P(Dataflow, random_graphs_agree_with_a_serial_run) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const std::vector<step> steps = random_program(seed, 500);
    const std::vector<std::uint64_t> expected = run_serially(steps);
    runtime.run([&] {
      std::vector<shared_value> values;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        std::vector<shared_value> inputs;
        for (const std::size_t input : steps[i].inputs) {
          inputs.push_back(values[input]);
        }
        values.push_back(run_step(i, steps[i].kind, inputs));
      }
      for (std::size_t i = 0; i < steps.size(); ++i) {
        ASSERT_EQ(values[i].get(), expected[i]) << "seed " << seed << " step " << i;
      }
    });
  }
}

WEFT_RUN_WITH_WORKERS(Dataflow);

}  // namespace dataflow_test
