// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What survives a switch between stacks: data, call chains, floating-point control, arrivals.
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/fiber.hpp"

namespace weft::tasks::detail {
namespace context_test {

int third_of_ten_rounded_in_thousandths() {
  volatile const double ten = 10.0;
  volatile const double three = 3.0;
  return static_cast<int>(std::nearbyint(ten / three * 1000.0));
}

// Keeps more values alive across `pause` than there are registers to keep them in.
template <class Pause>
std::uint64_t mix(std::uint64_t seed, Pause pause) {
  std::uint64_t a = seed * 3, b = seed * 5, c = seed * 7, d = seed * 11, e = seed * 13;
  double x = static_cast<double>(seed) * 0.5, y = x * 3.0, z = y + x, w = z * z;
  for (int i = 0; i < 10; ++i) {
    pause();
    a += b;
    b ^= c;
    c += d;
    d ^= e;
    e += a;
    x += y;
    y -= z;
    z += w;
    w -= x;
  }
  return a ^ b ^ c ^ d ^ e ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(x + y + z + w));
}

struct recorded_arrival : arrival {
  explicit recorded_arrival(std::vector<std::string>& log, std::string text)
      : arrival{&record}, log_(log), text_(std::move(text)) {}
  static void record(arrival& self, stack& left) noexcept {
    auto& me = static_cast<recorded_arrival&>(self);
    me.left = &left;
    me.log_.push_back(me.text_);
  }
  stack* left = nullptr;

 private:
  std::vector<std::string>& log_;
  std::string text_;
};

TEST(SwitchStack, alternates_between_caller_and_fiber) {
  stack_pool pool;
  std::string order;
  fiber other(pool, [&](fiber& self) {
    order += 'b';
    self.suspend();
    order += 'd';
  });

  order += 'a';
  other.resume();
  order += 'c';
  other.resume();

  EXPECT_EQ(order, "abcd");
  EXPECT_TRUE(other.is_done());
}

TEST(SwitchStack, runs_the_arrival_first_and_on_the_destination) {
  stack_pool pool;
  std::vector<std::string> log;
  recorded_arrival into(log, "arrival in fiber");
  recorded_arrival back(log, "arrival in caller");
  fiber other(pool, [&](fiber& self) {
    log.emplace_back("fiber");
    self.suspend(&back);
  });
  stack here = make_native_stack();

  other.resume(here, &into);
  log.emplace_back("caller");

  EXPECT_EQ(log,
            (std::vector<std::string>{"arrival in fiber", "fiber", "arrival in caller", "caller"}));
  EXPECT_EQ(into.left, &here);
  EXPECT_EQ(back.left, &other.own());
}

TEST(SwitchStack, keeps_registers_of_many_interleaved_fibers) {
  constexpr std::uint64_t num_fibers = 50;
  stack_pool pool;
  stack here = make_native_stack();
  std::vector<std::uint64_t> results(num_fibers);
  std::vector<std::unique_ptr<fiber>> fibers;
  fibers.reserve(num_fibers);
  for (std::uint64_t seed = 0; seed < num_fibers; ++seed) {
    fibers.push_back(std::make_unique<fiber>(pool, [&results, seed](fiber& self) {
      results[seed] = mix(seed, [&self] { self.suspend(); });
    }));
  }

  for (int round = 0; round <= 10; ++round) {
    for (const auto& one : fibers) {
      one->resume(here);
    }
  }

  for (std::uint64_t seed = 0; seed < num_fibers; ++seed) {
    EXPECT_TRUE(fibers[seed]->is_done());
    EXPECT_EQ(results[seed], mix(seed, [] {})) << seed;
  }
}

TEST(SwitchStack, suspends_deep_inside_a_recursion) {
  stack_pool pool;
  int depth_reached = 0;
  const std::function<int(fiber&, int)> descend = [&](fiber& self, int depth) -> int {
    if (depth == 0) {
      self.suspend();
      return 1;
    }
    ++depth_reached;
    return descend(self, depth - 1) + 1;
  };
  int result = 0;
  fiber other(pool, [&](fiber& self) { result = descend(self, 500); });

  other.resume();
  EXPECT_EQ(depth_reached, 500);
  EXPECT_EQ(result, 0);
  other.resume();

  EXPECT_EQ(result, 501);
}

TEST(SwitchStack, leaves_rounding_with_the_stack_that_set_it) {
  stack_pool pool;
  int in_fiber = 0;
  fiber other(pool, [&](fiber& self) {
    std::fesetround(FE_UPWARD);
    self.suspend();
    in_fiber = third_of_ten_rounded_in_thousandths();
  });

  other.resume();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(third_of_ten_rounded_in_thousandths(), 3333);
  std::thread([&] { other.resume(); }).join();

  EXPECT_EQ(in_fiber, 3334);
}

TEST(SwitchStack, starts_with_the_rounding_the_pool_was_made_with) {
  stack_pool pool;
  int in_fiber = -1;
  std::fesetround(FE_DOWNWARD);

  fiber other(pool, [&](fiber&) { in_fiber = std::fegetround(); });
  other.resume();

  const int in_caller = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(in_fiber, FE_TONEAREST);
  EXPECT_EQ(in_caller, FE_DOWNWARD);
}

TEST(SwitchStack, moves_between_threads_at_every_suspension) {
  stack_pool pool;
  int num_moves = 0;
  std::thread::id last;
  fiber other(pool, [&](fiber& self) {
    for (int i = 0; i < 20; ++i) {
      self.suspend();
      ++num_moves;
    }
  });

  while (!other.is_done()) {
    std::thread([&] { other.resume(); }).join();
  }

  EXPECT_EQ(num_moves, 20);
}

TEST(SwitchStack, gives_a_fiber_an_aligned_stack_within_its_bounds) {
  stack_pool pool;
  std::uintptr_t aligned = 1;
  const std::byte* local = nullptr;
  fiber other(pool, [&](fiber&) {
    alignas(64) std::byte here[64] = {};
    asm volatile("" : : "r"(&here[0]) : "memory");
    aligned = reinterpret_cast<std::uintptr_t>(&here[0]) % 64;
    local = static_cast<const std::byte*>(__builtin_frame_address(0));
  });

  other.resume();

  EXPECT_EQ(aligned, 0U);
  EXPECT_GT(local, other.own().soft_limit);
  EXPECT_LT(local, other.own().high);
}

TEST(NativeStack, holds_the_frames_of_its_thread) {
  const stack here = make_native_stack(4096);
  const auto* const frame = static_cast<const std::byte*>(__builtin_frame_address(0));

  EXPECT_EQ(here.soft_limit - here.low, 4096);
  EXPECT_GT(frame, here.soft_limit);
  EXPECT_LT(frame, here.high);
  EXPECT_EQ(here.home, nullptr);
}

}  // namespace context_test
}  // namespace weft::tasks::detail
