// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions stay with the stack they were thrown on, whichever thread it continues on.
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/fiber.hpp"

namespace weft::tasks::detail {
namespace stack_exceptions_test {

void resume_on_another_thread(fiber& other) {
  std::thread([&other] { other.resume(); }).join();
}

// Throws with `text`, leaves the stack inside the handler, and says what `throw;` then throws.
std::string rethrown_after_suspension(fiber& self, const std::string& text) {
  try {
    try {
      throw std::runtime_error(text);
    } catch (const std::runtime_error&) {
      self.suspend();
      throw;
    }
  } catch (const std::runtime_error& caught) {
    return caught.what();
  }
}

class suspends_when_destroyed {
 public:
  suspends_when_destroyed(fiber& self, std::vector<int>& num_uncaught)
      : self_(self), num_uncaught_(num_uncaught) {}
  ~suspends_when_destroyed() {
    num_uncaught_.push_back(std::uncaught_exceptions());
    self_.suspend();
    num_uncaught_.push_back(std::uncaught_exceptions());
  }
  suspends_when_destroyed(const suspends_when_destroyed&) = delete;
  suspends_when_destroyed& operator=(const suspends_when_destroyed&) = delete;

 private:
  fiber& self_;
  std::vector<int>& num_uncaught_;
};

TEST(StackExceptions, propagate_within_their_stack) {
  stack_pool pool;
  bool was_caught = false;
  fiber other(pool, [&](fiber& self) {
    try {
      self.suspend();
      throw 42;
    } catch (int) {
      was_caught = true;
    }
  });

  other.resume();
  other.resume();

  EXPECT_TRUE(was_caught);
}

TEST(StackExceptions, are_rethrown_after_moving_to_another_thread) {
  stack_pool pool;
  std::string text;
  fiber other(pool, [&](fiber& self) { text = rethrown_after_suspension(self, "kept"); });

  other.resume();
  EXPECT_EQ(std::current_exception(), nullptr);
  resume_on_another_thread(other);

  EXPECT_TRUE(other.is_done());
  EXPECT_EQ(text, "kept");
}

TEST(StackExceptions, are_not_seen_by_others_that_run_meanwhile) {
  constexpr std::size_t num_fibers = 8;
  stack_pool pool;
  stack here = make_native_stack();
  std::vector<std::string> texts(num_fibers);
  std::vector<std::unique_ptr<fiber>> fibers;
  fibers.reserve(num_fibers);
  for (std::size_t i = 0; i < num_fibers; ++i) {
    fibers.push_back(std::make_unique<fiber>(pool, [&texts, i](fiber& self) {
      texts[i] = rethrown_after_suspension(self, std::to_string(i));
    }));
  }

  // Left in one order, finished in another: as a stack of handlers these would not nest.
  for (const auto& one : fibers) {
    one->resume(here);
  }
  for (const auto& one : fibers) {
    one->resume(here);
  }

  for (std::size_t i = 0; i < num_fibers; ++i) {
    EXPECT_EQ(texts[i], std::to_string(i));
  }
}

TEST(StackExceptions, handled_by_the_caller_are_not_seen_on_the_stack) {
  stack_pool pool;
  std::exception_ptr seen = std::make_exception_ptr(0);
  fiber other(pool, [&](fiber&) { seen = std::current_exception(); });
  std::string text;

  try {
    throw std::runtime_error("of the caller");
  } catch (const std::runtime_error&) {
    other.resume();
    try {
      throw;
    } catch (const std::runtime_error& again) {
      text = again.what();
    }
  }

  EXPECT_EQ(seen, nullptr);
  EXPECT_EQ(text, "of the caller");
}

TEST(StackExceptions, count_as_uncaught_only_where_they_unwind) {
  stack_pool pool;
  std::vector<int> num_uncaught;
  bool was_caught = false;
  fiber other(pool, [&](fiber& self) {
    try {
      const suspends_when_destroyed guard(self, num_uncaught);
      throw std::runtime_error("unwinds through the guard");
    } catch (const std::runtime_error&) {
      was_caught = true;
    }
    num_uncaught.push_back(std::uncaught_exceptions());
  });

  other.resume();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  std::optional<int> on_other_thread;
  std::thread([&] {
    other.resume();
    on_other_thread = std::uncaught_exceptions();
  }).join();

  EXPECT_TRUE(was_caught);
  EXPECT_EQ(num_uncaught, (std::vector{1, 1, 0}));
  EXPECT_EQ(on_other_thread, 0);
}

TEST(StackExceptions, of_an_abandoned_stack_do_not_reach_its_next_user) {
  stack_pool pool;
  stack* used = nullptr;
  {
    fiber abandoned(pool, [](fiber& self) { self.suspend(); });
    abandoned.resume();
    used = &abandoned.own();
    used->exceptions.num_uncaught = 7;  // as if left while unwinding
  }
  int seen = -1;

  fiber next(pool, [&](fiber&) { seen = std::uncaught_exceptions(); });
  next.resume();

  EXPECT_EQ(&next.own(), used);
  EXPECT_EQ(seen, 0);
}

}  // namespace stack_exceptions_test
}  // namespace weft::tasks::detail
