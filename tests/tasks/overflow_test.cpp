// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task that runs over its stack is named before the process dies; other faults are left alone.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <signal.h>  // sigaction is POSIX's
#include <sys/mman.h>
#include <unistd.h>

#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/fiber.hpp"
#include "tasks/stacks/stack_overflow.hpp"
#include "tasks/stacks/stack_ranges.hpp"
#include "tasks/stacks/stack_sanitizers.hpp"  // NOLINT(misc-include-cleaner): WEFT_ASAN, WEFT_TSAN

namespace weft::tasks::detail {
namespace overflow_test {

constexpr std::size_t kib = 1024;

#if defined(WEFT_ASAN) || defined(WEFT_TSAN)
// Their own handler comes next, and ends the process its way.
const auto dies = [](int status) { return status != 0; };
#else
const auto dies = testing::KilledBySignal(SIGSEGV);
#endif

[[gnu::noinline]] int recurse_for_ever(volatile int* depth) {
  volatile char frame[256] = {};
  frame[0] = static_cast<char>(*depth);
  *depth = *depth + 1;
  return *depth < 0 ? 0 : recurse_for_ever(depth) + frame[0];
}

void overflow(guard_method guard) {
  const overflow_handler_thread_scope scope;
  stack_pool pool({.size_bytes = 128 * kib, .guard = guard});
  fiber other(pool, [](fiber&) {
    volatile int depth = 0;
    recurse_for_ever(&depth);
  });
  other.resume();
}

void write_to_protected_memory_on_a_stack() {
  const overflow_handler_thread_scope scope;
  stack_pool pool;
  void* const page = mmap(nullptr, 4 * kib, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fiber other(pool, [page](fiber&) { *static_cast<volatile char*>(page) = 1; });
  other.resume();
}

const char* describe_fib() noexcept { return "task 7, forked in fib.cpp:12"; }

void write_in_brackets(const char* text, std::size_t num_bytes) noexcept {
  [[maybe_unused]] auto num_written = write(STDERR_FILENO, "[[", 2);
  num_written = write(STDERR_FILENO, text, num_bytes);
  num_written = write(STDERR_FILENO, "]]", 2);
}

void exit_with_7(int) { _exit(7); }

void exit_with_8(int, siginfo_t*, void*) { _exit(8); }

class StackOverflow : public testing::Test {
 protected:
  StackOverflow() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(StackOverflow, is_explained_before_the_process_dies) {
  EXPECT_EXIT(overflow(guard_method::automatic),
              dies,
              "weft: stack overflow in a task: stack of 128 KiB at 0x[0-9a-f]+; raise it with "
              "--weft:stack-size or WEFT_STACK_SIZE");
}

TEST_F(StackOverflow, is_explained_when_mprotect_guards_the_stack) {
  EXPECT_EXIT(overflow(guard_method::mprotect), dies, "weft: stack overflow in a task");
}

TEST_F(StackOverflow, is_explained_on_another_thread) {
  EXPECT_EXIT(std::thread([] { overflow(guard_method::automatic); }).join(),
              dies,
              "weft: stack overflow in a task");
}

TEST_F(StackOverflow, names_the_task) {
  EXPECT_EXIT(
      {
        set_task_describer(&describe_fib);
        overflow(guard_method::automatic);
      },
      dies,
      "WEFT_STACK_SIZE[^\n]*\n  task 7, forked in fib.cpp:12\n");
}

TEST_F(StackOverflow, is_told_to_the_sink_in_place) {
  EXPECT_EXIT(
      {
        set_overflow_sink(&write_in_brackets);
        overflow(guard_method::automatic);
      },
      dies,
      "\\[\\[weft: stack overflow");
}

TEST_F(StackOverflow, goes_on_to_the_previous_handler) {
  EXPECT_EXIT(
      {
        struct sigaction on_signal_stack = {};
        on_signal_stack.sa_handler = &exit_with_7;
        on_signal_stack.sa_flags = SA_ONSTACK;
        sigaction(SIGSEGV, &on_signal_stack, nullptr);
        overflow(guard_method::automatic);
      },
      testing::ExitedWithCode(7),
      "weft: stack overflow");
}

TEST_F(StackOverflow, is_not_claimed_of_other_faults) {
  EXPECT_EXIT(
      {
        struct sigaction previous = {};
        previous.sa_sigaction = &exit_with_8;
        previous.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &previous, nullptr);
        set_overflow_sink(+[](const char*, std::size_t) noexcept { _exit(1); });
        write_to_protected_memory_on_a_stack();
      },
      testing::ExitedWithCode(8),
      "");
}

TEST_F(StackOverflow, leaves_other_faults_to_the_default) {
  EXPECT_EXIT(
      {
        set_overflow_sink(+[](const char*, std::size_t) noexcept { _exit(0); });
        write_to_protected_memory_on_a_stack();
      },
      dies,
      "");
}

TEST_F(StackOverflow, lets_a_signal_that_was_sent_through) {
  EXPECT_EXIT(
      {
        const overflow_handler_thread_scope scope;
        std::raise(SIGSEGV);
        _exit(0);
      },
      dies,
      "");
}

/// Whether the handler and the signal stack are there while a scope lives, and no longer.
bool is_handler_gone_with_its_last_scope() {
  struct sigaction before = {};
  sigaction(SIGSEGV, nullptr, &before);
  stack_t signal_stack_before{};
  sigaltstack(nullptr, &signal_stack_before);
  struct sigaction during = {};
  {
    const overflow_handler_thread_scope outer;
    std::optional<overflow_handler_thread_scope> inner(std::in_place);
    inner.reset();
    sigaction(SIGSEGV, nullptr, &during);
  }

  struct sigaction after = {};
  sigaction(SIGSEGV, nullptr, &after);
  stack_t signal_stack_after{};
  sigaltstack(nullptr, &signal_stack_after);
  EXPECT_NE(during.sa_sigaction, before.sa_sigaction);
  EXPECT_EQ(after.sa_sigaction, before.sa_sigaction);
  EXPECT_EQ(signal_stack_after.ss_sp, signal_stack_before.ss_sp);
  return !testing::Test::HasFailure();
}

TEST(OverflowHandlerDeathTest, is_gone_with_its_last_scope) {
  // A process of its own: the default runtime of this one may have scopes already.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(is_handler_gone_with_its_last_scope() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(StackRanges, tell_guards_from_stacks_and_from_the_rest) {
  std::optional<guard_hit> while_live;
  const std::byte* below = nullptr;
  {
    stack_pool pool({.size_bytes = 128 * kib});
    stack* const first = pool.acquire();
    stack* const second = pool.acquire();
    below = second->low - 1;

    while_live = find_guard(below);

    EXPECT_TRUE(find_guard(second->low - 64 * kib).has_value());
    EXPECT_FALSE(find_guard(second->low).has_value());
    EXPECT_FALSE(find_guard(second).has_value());
    EXPECT_FALSE(find_guard(&pool).has_value());
    EXPECT_EQ(while_live->stack_low, reinterpret_cast<std::uintptr_t>(second->low));
    EXPECT_EQ(while_live->stack_size_bytes, 128 * kib);
    pool.release(first);
    pool.release(second);
  }

  EXPECT_FALSE(find_guard(below).has_value());
}

}  // namespace overflow_test
}  // namespace weft::tasks::detail
