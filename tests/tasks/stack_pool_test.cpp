// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where stacks come from: limits, reuse, giving memory back, and very many of them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/fiber.hpp"
#include "tasks/stacks/stack_sanitizers.hpp"  // NOLINT(misc-include-cleaner): WEFT_ASAN, WEFT_TSAN

namespace weft::tasks::detail {
namespace stack_pool_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t kib = 1024;

// ThreadSanitizer holds 8,128 fibers, AddressSanitizer maps memory of its own for each.
#if defined(WEFT_TSAN) || defined(WEFT_ASAN)
constexpr std::size_t num_many = 2'000;
#else
constexpr std::size_t num_many = 70'000;  // more than the 65,530 mappings of a process
#endif

std::size_t num_resident_pages(const stack& one) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto size_bytes = static_cast<std::size_t>(one.high - one.low);
  std::vector<unsigned char> pages((size_bytes + page_bytes - 1) / page_bytes);
  EXPECT_EQ(mincore(one.low, size_bytes, pages.data()), 0);
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](auto page) { return page & 1; }));
}

void touch(const stack& one, std::size_t size_bytes) {
  std::fill(one.high - size_bytes, one.high, std::byte{1});
}

TEST(StackPool, makes_no_more_stacks_than_it_may) {
  stack_pool pool({.max_stacks = 2});
  stack* const first = pool.acquire();
  stack* const second = pool.acquire();

  EXPECT_EQ(pool.try_acquire(), nullptr);
  EXPECT_THAT([&] { static_cast<void>(pool.acquire()); },
              ThrowsMessage<error>(AllOf(HasSubstr("all 2 stacks"), HasSubstr("max-stacks"))));
  pool.release(second);
  EXPECT_EQ(pool.acquire(), second);
  EXPECT_EQ(pool.num_live(), 2U);
  pool.release(first);
  pool.release(second);
}

TEST(StackPool, gives_back_the_stack_released_last) {
  stack_pool pool;
  stack* const first = pool.acquire();
  stack* const second = pool.acquire();

  pool.release(first);
  pool.release(second);

  stack* const third = pool.acquire();
  stack* const fourth = pool.acquire();
  EXPECT_EQ(third, second);
  EXPECT_EQ(fourth, first);
  pool.release(third);
  pool.release(fourth);
}

TEST(StackPool, counts_stacks_in_use_and_their_peak) {
  stack_pool pool;
  stack* const first = pool.acquire();
  stack* const second = pool.acquire();

  pool.release(second);

  EXPECT_EQ(pool.num_live(), 1U);
  EXPECT_EQ(pool.high_water(), 2U);
  pool.release(first);
}

TEST(StackPool, counts_the_stacks_it_made) {
  stack_pool pool;

  for (int i = 0; i < 5; ++i) {
    stack* const first = pool.acquire();
    stack* const second = pool.acquire();
    pool.release(first);
    pool.release(second);
  }

  EXPECT_EQ(pool.num_made(), 2U);
}

TEST(StackPool, offers_the_size_and_head_room_asked_for) {
  stack_pool pool({.size_bytes = 256 * kib, .head_room_bytes = 48 * kib});
  stack* const one = pool.acquire();

  const auto usable_bytes = static_cast<std::size_t>(one->high - one->low);

  EXPECT_LE(usable_bytes, 256 * kib);
  EXPECT_GE(usable_bytes, 256 * kib - 4 * kib - sizeof(stack));
  EXPECT_EQ(one->soft_limit - one->low, static_cast<std::ptrdiff_t>(48 * kib));
  touch(*one, usable_bytes);
  pool.release(one);
}

TEST(StackPool, puts_the_ends_of_stacks_at_different_places_of_a_page) {
  stack_pool pool;
  std::vector<stack*> stacks(64);
  std::set<std::uintptr_t> places;

  for (stack*& one : stacks) {
    one = pool.acquire();
    places.insert(reinterpret_cast<std::uintptr_t>(one->high) % 4096);
  }

  EXPECT_EQ(places.size(), 64U);
  for (stack* const one : stacks) {
    pool.release(one);
  }
}

TEST(StackPool, trims_all_but_the_free_stacks_used_last) {
  stack_pool pool({.num_kept_free = 1});
  stack* const hot = pool.acquire();
  stack* const cold = pool.acquire();
  const stack cold_place = *cold;
  touch(*hot, 256 * kib);
  touch(*cold, 256 * kib);
  pool.release(cold);
  pool.release(hot);

  pool.trim();

  EXPECT_GE(num_resident_pages(*hot), 64U);
  EXPECT_EQ(num_resident_pages(cold_place), 0U);
}

TEST(StackPool, uses_the_place_of_a_trimmed_stack_again) {
  stack_pool pool({.num_kept_free = 0});
  stack* const before = pool.acquire();
  pool.release(before);
  pool.trim();
  bool has_run = false;

  fiber again(pool, [&](fiber&) { has_run = true; });
  again.resume();

  EXPECT_EQ(&again.own(), before);
  EXPECT_TRUE(has_run);
}

TEST(StackPool, finds_room_again_in_full_slabs_after_a_trim) {
  stack_pool pool({.num_kept_free = 0});
  std::set<stack*> before;
  for (int i = 0; i < 200; ++i) {
    before.insert(pool.acquire());
  }
  for (stack* const one : before) {
    pool.release(one);
  }
  pool.trim();

  std::set<stack*> after;
  for (int i = 0; i < 256; ++i) {
    after.insert(pool.acquire());
  }

  EXPECT_EQ(after.size(), 256U);
  EXPECT_TRUE(std::ranges::includes(after, before));
  for (stack* const one : after) {
    pool.release(one);
  }
}

TEST(StackPool, hands_a_stack_to_one_thread_at_a_time) {
  stack_pool pool({.num_kept_free = 2});
  const auto work = [&pool] {
    stack_cache cache(pool);
    for (int i = 0; i < 500; ++i) {
      std::array<stack*, 40> mine{};
      for (stack*& one : mine) {
        one = cache.acquire();
        one->user = &mine;
      }
      for (stack* const one : mine) {
        ASSERT_EQ(one->user, &mine);
        cache.release(one);
      }
      if (i % 50 == 0) {
        pool.trim();
      }
    }
  };

  std::thread other(work);
  work();
  other.join();

  EXPECT_EQ(pool.num_live(), 0U);
}

// Sanitizers keep records of the frames that never returned.
TEST(StackPool, uses_a_stack_again_however_deep_it_was_abandoned) {
  stack_pool pool({.num_kept_free = 0});
  stack here = make_native_stack();
  const auto abandon = [](auto&& again, fiber& self, int depth) -> void {
    std::array<volatile char, 512> frame{};
    frame[static_cast<std::size_t>(depth)] = 1;
    if (depth == 0) {
      self.suspend();
    } else {
      again(again, self, depth - 1);
    }
    EXPECT_EQ(frame[0], 1);
  };

  for (int i = 0; i < 3'000; ++i) {
    fiber one(pool, [&abandon, i](fiber& self) { abandon(abandon, self, i % 100); });
    one.resume(here);
    EXPECT_FALSE(one.is_done());
  }
  pool.trim();

  EXPECT_EQ(pool.high_water(), 1U);
}

#if defined(WEFT_ASAN)
TEST(StackPool, gives_out_memory_that_all_code_may_access) {
  stack_pool pool;
  stack* const one = pool.acquire();
  const auto size_bytes = static_cast<std::size_t>(one->high - one->low);
  __asan_poison_memory_region(one->low + size_bytes / 2, 64);  // as an abandoned frame would

  pool.prepare(*one, [](void*) noexcept {}, nullptr);

  EXPECT_EQ(__asan_region_is_poisoned(one->low, size_bytes), nullptr);
  pool.release(one);
}
#endif

TEST(StackPool, keeps_very_many_suspended_stacks_under_either_guard) {
  for (const guard_method guard : {guard_method::automatic, guard_method::mprotect}) {
    stack_pool pool({.guard = guard});
    stack here = make_native_stack();
    std::size_t num_resumed = 0;
    std::vector<std::unique_ptr<fiber>> fibers;
    for (std::size_t i = 0; i < num_many; ++i) {
      fibers.push_back(std::make_unique<fiber>(pool, [&num_resumed](fiber& self) {
        self.suspend();
        ++num_resumed;
      }));
      fibers.back()->resume(here);
    }

    EXPECT_EQ(pool.num_live(), num_many);
    for (const auto& one : fibers) {
      one->resume(here);
    }

    EXPECT_EQ(num_resumed, num_many);
    if (pool.guard() == guard_method::madvise) {
      EXPECT_EQ(pool.num_unguarded(), 0U);
    } else {
      EXPECT_GE(pool.num_unguarded() + 16'384, num_many);
    }
  }
}

TEST(StackPool, returns_its_mprotect_guards_to_the_budget) {
  for (int i = 0; i < 18; ++i) {  // more than 16,384 guards
    stack_pool pool(
        {.size_bytes = 16 * kib, .head_room_bytes = 4 * kib, .guard = guard_method::mprotect});
    std::vector<stack*> stacks(1'000);
    std::ranges::generate(stacks, [&pool] { return pool.acquire(); });

    EXPECT_EQ(pool.num_unguarded(), 0U);

    std::ranges::for_each(stacks, [&pool](stack* one) { pool.release(one); });
  }
}

TEST(StackPool, counts_every_stack_without_a_guard) {
  stack_pool pool({.guard = guard_method::none});
  stack* const first = pool.acquire();
  stack* const second = pool.acquire();

  EXPECT_EQ(pool.num_unguarded(), 2U);

  pool.release(first);
  pool.release(second);
}

#if !defined(WEFT_ASAN) && !defined(WEFT_TSAN)  // those need the address space themselves
TEST(StackPool, names_the_way_out_when_address_space_is_exhausted) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  std::size_t used_pages = 0;
  std::ifstream("/proc/self/statm") >> used_pages;
  const rlim_t used_bytes = used_pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit tight{.rlim_cur = used_bytes + 20 * kib * kib, .rlim_max = before.rlim_max};
  std::vector<stack*> stacks;
  std::string message;
  stack_pool pool;

  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  try {
    while (stacks.size() < 1'000) {
      stacks.push_back(pool.acquire());
    }
  } catch (const error& refused) {
    message = refused.what();
  }
  setrlimit(RLIMIT_AS, &before);

  EXPECT_GE(stacks.size(), 8U);
  EXPECT_THAT(message, HasSubstr("with " + std::to_string(stacks.size()) + " stacks in use"));
  EXPECT_THAT(message, HasSubstr("--weft:stack-size"));
  for (stack* const one : stacks) {
    pool.release(one);
  }
}
#endif

TEST(StackPool, refuses_sizes_that_cannot_work) {
  EXPECT_THAT([] { stack_pool({.size_bytes = 0}); },
              ThrowsMessage<error>(HasSubstr("16 KiB to 1 GiB")));
  EXPECT_THAT([] { stack_pool({.size_bytes = std::size_t{1} << 60}); },
              ThrowsMessage<error>(HasSubstr("1152921504606846976 bytes is out of range")));
  EXPECT_THAT([] { stack_pool({.size_bytes = 32 * kib}); },
              ThrowsMessage<error>(HasSubstr("head room")));
  EXPECT_THAT([] { stack_pool({.guard_bytes = std::size_t{1} << 60}); },
              ThrowsMessage<error>(HasSubstr("guard")));
}

}  // namespace stack_pool_test
}  // namespace weft::tasks::detail
