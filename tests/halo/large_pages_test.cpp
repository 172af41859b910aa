// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory that is seen through large pages, and fields in it.
#include "halo/fields/large_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>
#include <mpi.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "weft/halo.hpp"

namespace weft::halo::test {
namespace large_pages_test {

#if defined(__linux__)
TEST(LargePages, show_the_same_memory) {
  constexpr std::size_t large = std::size_t{2} << 20U;
  constexpr std::size_t bytes = 4 * large;
  const auto map = [](int kind) {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    return std::span(static_cast<std::byte*>(mapped), bytes);
  };
  const std::span<std::byte> shared = map(MAP_SHARED);
  const std::span<std::byte> own = map(MAP_PRIVATE);
  {
    const std::span<std::byte> memory = shared.subspan(4096 + 8);
    const detail::large_pages seen(memory.data(), memory.size());
    ASSERT_NE(seen.data(), nullptr);
    EXPECT_NE(seen.data(), memory.data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.data()) % large, 4096 + 8);
    seen.collapse();
    const std::span<std::byte> view(seen.data(), memory.size());
    view.front() = std::byte{1};
    view[large] = std::byte{2};
    memory.back() = std::byte{3};
    EXPECT_EQ(memory.front(), std::byte{1});
    EXPECT_EQ(memory[large], std::byte{2});
    EXPECT_EQ(view.back(), std::byte{3});
  }
  EXPECT_EQ(shared[4096 + 8], std::byte{1});

  EXPECT_EQ(detail::large_pages(own.data(), own.size()).data(), nullptr) << "nobody shares it";
  EXPECT_EQ(detail::large_pages(shared.data(), large).data(), nullptr) << "has no large page";
  munmap(shared.data(), bytes);
  munmap(own.data(), bytes);
}
#endif

TEST(LargePages, shared_fields_of_many_pages_are_read_where_they_lie) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  constexpr std::ptrdiff_t width = 100'000;
  const auto made = make_field<int>(ring, axes<1>{axis::inner(2'000'000).halo(width)});
  const axis& along = made.box()[0];
  exchange<int, layout::right<1>> ex(ring, made.box());
  for (int round = 0; round < 3; ++round) {
    for (std::ptrdiff_t n = 0; n < width; ++n) {
      made(along.begin + n) = ring.rank() + round;
      made(along.end - n) = -ring.rank() - round;
    }
    ex(made);
    const int before = ring.neighbour<-1>().value_or(-1);
    const int behind = ring.neighbour<1>().value_or(-1);
    for (std::ptrdiff_t n = 1; n <= width; ++n) {
      ASSERT_EQ(made(along.begin - n), -before - round);
      ASSERT_EQ(made(along.end + n), behind + round);
    }
  }
  EXPECT_EQ(made(along.begin + width), 0);
}

}  // namespace large_pages_test
}  // namespace weft::halo::test
