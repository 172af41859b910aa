// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// first_touch_allocator, interleaved_allocator, uninitialized_vector, and where their pages go.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/memory/page_memory.hpp"
#include "weft/algorithms/first_touch_allocator.hpp"
#include "weft/algorithms/interleaved_allocator.hpp"
#include "weft/algorithms/uninitialized_vector.hpp"
#include "weft/base/topology.hpp"

namespace allocators_test {

namespace detail = weft::algorithms::detail;

template <class Vector>
void grow_and_check(Vector values) {
  for (std::size_t i = 0; i < 400'000; ++i) {
    values.push_back(static_cast<double>(i));
  }
  const Vector copy = values;
  values.resize(10);
  values.shrink_to_fit();

  EXPECT_EQ(copy[399'999], 399'999.0);
  EXPECT_EQ(values, Vector(copy.begin(), copy.begin() + 10));
}

TEST(Allocators, vectors_work_with_every_allocator) {
  grow_and_check(std::vector<double, weft::first_touch_allocator<double>>{});
  grow_and_check(std::vector<double, weft::interleaved_allocator<double>>{});
  grow_and_check(weft::uninitialized_vector<double>{});
}

TEST(Allocators, large_arrays_begin_on_a_page_and_are_zero) {
  const std::vector<double, weft::interleaved_allocator<double>> values(1U << 20U);

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 4096, 0U);
  EXPECT_EQ(values[12'345], 0.0);
}

TEST(Allocators, more_than_there_can_be_is_refused) {
  weft::first_touch_allocator<double> allocator;
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::numeric_limits<std::size_t>::max() / 4)),
               std::bad_array_new_length);
  EXPECT_THROW(static_cast<void>(allocator.allocate(std::size_t{1} << 56U)), std::bad_alloc);
}

TEST(Allocators, new_numbers_are_left_alone) {
  using allocator = weft::default_init_allocator<std::allocator<int>>;
  allocator all;
  int* const place = all.allocate(1);
  *place = 17;

  std::allocator_traits<allocator>::construct(all, place);
  EXPECT_EQ(*place, 17);
  std::allocator_traits<allocator>::construct(all, place, 4);
  EXPECT_EQ(*place, 4);
  all.deallocate(place, 1);
}

TEST(Allocators, new_objects_are_made_all_the_same) {
  const weft::uninitialized_vector<std::string> words(100);
  EXPECT_EQ(words[99], "");
}

TEST(PageMemory, nodes_without_cpus_get_no_block) {
  weft::base::topology machine;
  machine.numa_nodes = {{.id = 2, .memory_bytes = {}, .hardware_threads = {4, 5}},
                        {.id = 0, .memory_bytes = {}, .hardware_threads = {0, 1}},
                        {.id = 1, .memory_bytes = {}, .hardware_threads = {}}};

  EXPECT_EQ(detail::computing_nodes(machine), (std::vector<int>{0, 2}));
}

TEST(PageMemory, blocks_are_whole_pages_and_cover_all_bytes) {
  using block = detail::page_block;
  const auto three = detail::plan_blocks(10 * 4096 - 5, 4096, {0, 1, 5});
  const auto few = detail::plan_blocks(4096, 4096, {0, 1});

  EXPECT_EQ(three,
            (std::vector<block>{{0, std::size_t{3} * 4096, 0},
                                {std::size_t{3} * 4096, std::size_t{6} * 4096, 1},
                                {std::size_t{6} * 4096, std::size_t{10} * 4096 - 5, 5}}));
  EXPECT_EQ(few, (std::vector<block>{{0, 4096, 1}}));
  EXPECT_TRUE(detail::plan_blocks(4096, 4096, {}).empty());
}

}  // namespace allocators_test
