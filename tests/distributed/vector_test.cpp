// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of distributed vectors: who owns them, access from any rank, files.
#include "weft/distributed/vector.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/future.hpp"

#include "tests/distributed/ranks.hpp"
#include "tests/distributed/vectors.hpp"

namespace wd = weft::distributed;

namespace vector_test {
namespace {

using weft::test::expect_elements;
using weft::test::expected_numbers;
using weft::test::numbers;
using weft::test::vector_shape;
using weft::test::with_shapes;

/// A folder that is removed at the end.
class folder {
 public:
  explicit folder(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) / ("weft_vector_test_" + name)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::ptrdiff_t num_files() const {
    return std::distance(std::filesystem::directory_iterator(path_),
                         std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

std::string text_of(std::size_t i) { return std::string(i % 7, 'x') + std::to_string(i); }

}  // namespace

TEST(DistributedVector, layouts_place_each_element_once) {
  for (const int num_ranks : {1, 2, 3, 7}) {
    for (const std::size_t size : {0U, 1U, 6U, 7U, 100U}) {
      for (const wd::distribution spread : {wd::block, wd::cyclic(), wd::cyclic(4)}) {
        const wd::element_layout layout(size, num_ranks, spread);
        std::vector<std::size_t> num_owned(static_cast<std::size_t>(num_ranks));
        for (std::size_t i = 0; i < size; ++i) {
          const int owner = layout.owner_of(i);
          EXPECT_EQ(layout.local_index(i), num_owned[static_cast<std::size_t>(owner)]++);
          EXPECT_EQ(layout.global_index(owner, layout.local_index(i)), i);
          EXPECT_EQ(layout.num_before(owner, i), layout.local_index(i));
        }
        for (int rank = 0; rank < num_ranks; ++rank) {
          EXPECT_EQ(layout.local_size(rank), num_owned[static_cast<std::size_t>(rank)]);
        }
      }
    }
  }
}

TEST(DistributedVector, a_block_distribution_is_contiguous) {
  const wd::element_layout blocks(10, 4, wd::block);

  EXPECT_EQ(blocks.block_size(), 3U);
  EXPECT_EQ(blocks.local_size(3), 1U);
  EXPECT_TRUE(blocks.is_contiguous());
  EXPECT_FALSE(wd::element_layout(10, 4, wd::cyclic(2)).is_contiguous());
  EXPECT_TRUE(wd::element_layout(8, 4, wd::cyclic(2)).is_contiguous());
}

TEST(DistributedVector, any_rank_reads_and_writes_any_element) {
  with_shapes([](const vector_shape& shape) {
    const auto num_ranks = static_cast<std::size_t>(wd::num_localities());
    const auto rank = static_cast<std::size_t>(wd::here().rank());
    wd::vector<std::string> all(shape.size, shape.spread, "empty");
    for (std::size_t i = rank; i < all.size(); i += num_ranks) {
      all.set(i, text_of(i)).get();
    }
    wd::barrier().get();
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(all.get(i).get(), text_of(i));
    }
    EXPECT_EQ(all.local().size(), all.layout().local_size(wd::here().rank()));
    wd::barrier().get();
  });
}

TEST(DistributedVector, ranges_are_read_and_written_at_once) {
  with_shapes([](const vector_shape& shape) {
    wd::vector<int> all = numbers(shape);
    wd::barrier().get();
    const std::vector<int> expected = expected_numbers(shape);
    EXPECT_EQ(all.get_range(0, all.size()).get(), expected);
    const std::size_t first = all.size() / 3;
    const std::size_t last = all.size() - all.size() / 4;
    EXPECT_EQ(all.get_range(first, last).get(),
              std::vector<int>(expected.begin() + static_cast<std::ptrdiff_t>(first),
                               expected.begin() + static_cast<std::ptrdiff_t>(last)));
    wd::barrier().get();

    std::vector<int> changed(last - first);
    std::iota(changed.begin(), changed.end(), 100);
    if (wd::here().rank() == 0) {
      all.set_range(first, changed).get();
    }
    wd::barrier().get();
    std::vector<int> all_changed = expected;
    std::ranges::copy(changed, all_changed.begin() + static_cast<std::ptrdiff_t>(first));
    expect_elements(all, all_changed);
    wd::barrier().get();
  });
}

TEST(DistributedVector, functions_are_called_with_elements) {
  weft::test::ranks job({.size = 3});

  job.run([] {
    wd::vector<long> counts(10, wd::cyclic());
    for (std::size_t i = 0; i < 300; ++i) {
      counts.post(
          i % 10,
          [](long& count, long more) {
            std::atomic_ref(count).fetch_add(more, std::memory_order_relaxed);
          },
          2L);
    }
    wd::quiescence().get();
    expect_elements(counts, std::vector<long>(10, 180));
    EXPECT_EQ(counts.async(9, [](long& count) { return count + 1; }).get(), 181);
    wd::barrier().get();
  });
}

TEST(DistributedVector, ranks_that_disagree_are_told_so) {
  weft::test::ranks job({.size = 3});

  job.run([] {
    const bool is_last = wd::here().rank() == 2;
    for (const wd::distribution spread : {wd::block, wd::cyclic(5)}) {
      try {
        const wd::vector<int> all(is_last ? 11 : 10, spread);
        FAIL() << "vectors of two sizes were made";
      } catch (const weft::error& refused) {
        EXPECT_THAT(refused.what(), testing::HasSubstr("rank 0 passes 10"));
        EXPECT_THAT(refused.what(), testing::HasSubstr("rank 2 passes 11"));
      }
    }
    EXPECT_THROW(wd::vector<int>(10, is_last ? wd::cyclic(2) : wd::cyclic(3)), weft::error);
  });
}

TEST(DistributedVector, elements_that_do_not_exist_are_refused) {
  weft::test::ranks job({.size = 2});

  job.run([] {
    wd::vector<int> all(10);
    EXPECT_THROW(static_cast<void>(all.get(10)), weft::error);
    EXPECT_THROW(static_cast<void>(all.set(10, 1)), weft::error);
    EXPECT_THROW(static_cast<void>(all.get_range(3, 11)), weft::error);
    EXPECT_THROW(static_cast<void>(all.get_range(4, 3)), weft::error);
    EXPECT_THROW(static_cast<void>(all.set_range(9, {1, 2})), weft::error);
    EXPECT_THROW(static_cast<void>(all.owner_of(10)), weft::error);
    EXPECT_THROW(static_cast<void>(wd::cyclic(0)), weft::error);
  });
}

TEST(DistributedVector, a_stored_vector_is_loaded_by_other_ranks) {
  const folder files("other_ranks");
  for (const int num_ranks : {1, 3, 5}) {
    weft::test::ranks job({.size = num_ranks});
    job.run([&] {
      for (const wd::distribution spread : {wd::block, wd::cyclic(2)}) {
        numbers({100, spread}).save(files.path() / std::to_string(num_ranks));
      }
    });
    EXPECT_EQ(files.num_files(), 1 + num_ranks);
    for (const int num_readers : {1, 2, 4}) {
      weft::test::ranks readers({.size = num_readers});
      readers.run([&] {
        for (const wd::distribution spread : {wd::block, wd::cyclic(3)}) {
          const auto loaded =
              wd::vector<int>::load(files.path() / std::to_string(num_ranks), spread);
          expect_elements(loaded, expected_numbers({100, spread}));
        }
      });
    }
    std::filesystem::remove_all(files.path());
    std::filesystem::create_directories(files.path());
  }
}

TEST(DistributedVector, all_ranks_learn_that_a_file_is_missing) {
  const folder files("missing");
  weft::test::ranks job({.size = 3});

  job.run([&] {
    const std::filesystem::path file = files.path() / "numbers";
    EXPECT_THROW(static_cast<void>(wd::vector<int>::load(file)), weft::error);
    numbers({50, wd::block}).save(file);
    if (wd::here().rank() == 0) {
      std::filesystem::remove(file.string() + ".1.1");
    }
    wd::barrier().get();
    EXPECT_THROW(static_cast<void>(wd::vector<int>::load(file)), weft::error);
    EXPECT_THROW(static_cast<void>(wd::vector<long>::load(file)), weft::error);
    EXPECT_EQ(wd::all_reduce(1, wd::reduction::sum).get(), 3);  // the ranks are still in step
  });
}

}  // namespace vector_test
