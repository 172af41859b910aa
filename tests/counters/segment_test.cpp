// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the file of counter blocks: what it says, who sees it, and when it goes.
#include "weft/counters/segment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp and setenv are POSIX's
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/counters/block_registry.hpp"
#include "weft/counters/segment_files.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

#include "tests/support/child_status.hpp"

namespace segment_test {

using testing::HasSubstr;
using testing::IsEmpty;
using weft::counters::block_owner;
using weft::counters::block_registry;
using weft::counters::block_slot;
using weft::counters::process_blocks;
using weft::counters::segment;
using weft::counters::segment_field;
using weft::counters::segment_header;
using weft::counters::worker_block;
using weft::test::child_status;

/// A folder that goes with the test.
class SegmentTest : public testing::Test {
 protected:
  SegmentTest() {
    std::string name = testing::TempDir() + "weft_segment_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~SegmentTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

/// What a reader gets that has nothing but the file.
class file_copy {
 public:
  explicit file_copy(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.size() >= sizeof(segment_header)) {
      std::memcpy(static_cast<void*>(&header_), bytes_.data(), sizeof header_);
    }
  }

  [[nodiscard]] const segment_header& header() const { return header_; }

  /// An 8-byte number by its name; nothing if there is none of that name.
  [[nodiscard]] std::optional<std::uint64_t> number(std::size_t block,
                                                    std::string_view name) const {
    for (std::size_t i = 0; i < header_.num_fields; ++i) {
      segment_field field;
      std::memcpy(&field, bytes_.data() + header_.schema + (i * header_.field_bytes), sizeof field);
      if (field.name.data() == name) {
        std::uint64_t value = 0;
        std::memcpy(
            &value,
            bytes_.data() + header_.blocks + (block * header_.block_bytes) + field.offset_bytes,
            field.element_bytes);
        return value;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string modules() const {
    return {bytes_.data() + header_.modules, header_.modules_bytes};
  }

 private:
  std::vector<char> bytes_;
  segment_header header_;
};

/// Runs `body` in a fork, which then ends as processes do; true if it returned true.
bool in_child(const std::function<bool()>& body) {
  const auto child = ::fork();
  if (child == 0) {
    std::exit(body() ? 0 : 1);
  }
  return child_status(child) == 0;
}

std::string_view name_of(const segment_field& field) { return field.name.data(); }

TEST(SegmentSchema, names_every_count) {
  const auto example = std::make_unique<block_slot>();
  const auto* start = reinterpret_cast<const std::byte*>(example.get());

  for (const auto member : weft::counters::worker_count_members<weft::counters::cell>) {
    const auto offset = reinterpret_cast<const std::byte*>(&(example->block.*member)) - start;
    const auto named = std::ranges::count_if(
        weft::counters::segment_schema(),
        [&](const segment_field& field) { return field.offset_bytes == offset; });
    EXPECT_EQ(named, 1) << "a count at byte " << offset << " of the block has no name, or two";
  }
}

TEST(SegmentSchema, has_no_name_twice_and_nothing_outside_the_block) {
  std::vector<std::string_view> names;
  for (const segment_field& field : weft::counters::segment_schema()) {
    names.push_back(name_of(field));
    const std::size_t last = field.offset_bytes +
                             (std::size_t{field.num_elements - 1} * field.stride_bytes) +
                             field.element_bytes;
    EXPECT_LE(last, sizeof(block_slot)) << name_of(field);
  }
  std::ranges::sort(names);

  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(SegmentSchema, ranges_of_a_histogram_are_as_it_says) {
  using histogram = weft::counters::tick_histogram<weft::counters::cell>;
  const auto schema = weft::counters::segment_schema();
  const auto field = std::ranges::find(schema, "task_duration", name_of);
  ASSERT_NE(field, schema.end());

  const std::uint64_t n = field->ranges_per_doubling;
  EXPECT_EQ(field->num_elements, histogram::num_buckets);
  EXPECT_EQ(histogram::lower(n - 1), n - 1);
  EXPECT_EQ(histogram::lower(n), n);
  EXPECT_EQ(histogram::lower(2 * n), 2 * n);
  EXPECT_EQ(histogram::lower((7 * n) + 1), (n + 1) << 6U);
}

TEST_F(SegmentTest, a_reader_finds_a_count_by_its_name) {
  segment shared({.folder = folder_});
  (void)shared.add_block();
  block_slot& slot = shared.add_block();
  slot.block.steals_won.add(41);
  slot.block.start(weft::counters::worker_state::parked, 5);

  const file_copy copy(shared.path());

  EXPECT_EQ(copy.header().magic, segment_header::expected_magic);
  EXPECT_EQ(copy.header().num_blocks, 2u);
  EXPECT_EQ(copy.header().pid, static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(copy.number(1, "steals_won"), 41u);
  EXPECT_EQ(copy.number(0, "steals_won"), 0u);
  EXPECT_EQ(copy.number(1, "state"), 3u);
  EXPECT_EQ(copy.number(1, "no such count"), std::nullopt);
}

TEST_F(SegmentTest, says_which_program_it_is_and_where_its_code_lies) {
  const segment shared({.folder = folder_});

  const file_copy copy(shared.path());

  const std::string own_path = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(copy.header().program.data(), std::filesystem::path(own_path).filename().string());
  EXPECT_THAT(copy.modules(), HasSubstr(" " + own_path + "\n"));
}

TEST_F(SegmentTest, only_its_owner_may_read_it) {
  const segment shared({.folder = folder_});

  struct stat status{};
  ASSERT_EQ(::stat(shared.path().c_str(), &status), 0);

  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(SegmentTest, a_block_never_moves) {
  segment shared({.folder = folder_});
  std::vector<block_slot*> slots;
  for (int i = 0; i < 600; ++i) {
    slots.push_back(&shared.add_block());
    slots.back()->block.parks.set(static_cast<std::uint64_t>(i));
  }

  const file_copy copy(shared.path());

  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(slots[i]->block.parks.value(), i);
    EXPECT_EQ(copy.number(i, "parks"), i);
  }
}

TEST_F(SegmentTest, is_gone_when_it_ends_and_its_blocks_are_not) {
  segment shared({.folder = folder_});
  block_slot& slot = shared.add_block();

  shared.end();
  slot.block.parks.add(1);

  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(slot.block.parks.value(), 1u);
}

TEST_F(SegmentTest, without_a_folder_blocks_are_private) {
  segment nowhere({.folder = folder_ / "missing"});

  block_slot& slot = nowhere.add_block();
  slot.block.parks.add(1);

  EXPECT_FALSE(nowhere.is_shared());
  EXPECT_THAT(nowhere.reason(), HasSubstr("missing/weft."));
  EXPECT_THAT(nowhere.reason(), HasSubstr("No such file"));
}

TEST_F(SegmentTest, that_is_refused_makes_no_file) {
  segment refused({.folder = folder_, .refusal = "not here"});
  (void)refused.add_block();

  EXPECT_EQ(refused.reason(), "not here");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SegmentTest, a_limit_of_file_sizes_is_no_signal) {
  EXPECT_TRUE(in_child([&] {
    const rlimit tight{.rlim_cur = std::size_t{70} * 1024, .rlim_max = RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    segment small({.folder = folder_});
    const bool fits = small.is_shared();
    for (int i = 0; i < 10; ++i) {
      small.add_block().block.parks.add(1);
    }
    return fits && small.reason().find("File too large") != std::string::npos;
  }));
}

TEST_F(SegmentTest, a_fork_has_copies_of_the_blocks) {
  segment shared({.folder = folder_});
  block_slot& slot = shared.add_block();
  slot.block.parks.add(5);

  EXPECT_TRUE(in_child([&] {
    shared.become_private();
    const bool is_copy = slot.block.parks.value() == 5;
    slot.block.parks.add(100);
    return is_copy && slot.block.parks.value() == 105 && !shared.is_shared();
  }));

  EXPECT_EQ(slot.block.parks.value(), 5u);
  EXPECT_TRUE(std::filesystem::exists(shared.path()));
}

TEST_F(SegmentTest, a_copied_process_does_not_end_it) {
  segment shared({.folder = folder_});

  EXPECT_TRUE(in_child([&] {
    shared.end();
    return true;
  }));

  EXPECT_TRUE(std::filesystem::exists(shared.path()));
}

/// The file of the process's own registry.
class ProcessSegmentTest : public SegmentTest {
 protected:
  ProcessSegmentTest() { ::setenv("WEFT_STATS_DIR", folder_.c_str(), 1); }
};

TEST_F(ProcessSegmentTest, shows_workers_and_what_closed_pools_counted) {
  EXPECT_TRUE(in_child([] {
    block_registry& registry = process_blocks();
    const std::uint32_t first = registry.open_pool();
    worker_block* gone = registry.acquire(first, 0);
    gone->tasks_executed.add(7);
    gone->samples.task.num.add(2.5);
    registry.release(gone);
    registry.close_pool(first);
    registry.acquire(registry.open_pool(), 3)->tasks_executed.add(8);

    const file_copy copy(registry.file());
    double num = 0;
    const std::uint64_t bits = copy.number(0, "sampled_task_num").value_or(0);
    std::memcpy(&num, &bits, sizeof num);
    return copy.number(0, "owner") == static_cast<std::uint64_t>(block_owner::closed) &&
           copy.number(0, "tasks_executed") == 7 && num == 2.5 && copy.number(1, "worker") == 3 &&
           copy.number(1, "tasks_executed") == 8 && copy.header().changes % 2 == 0;
  }));
}

TEST_F(ProcessSegmentTest, is_removed_when_the_process_ends) {
  EXPECT_TRUE(in_child([this] {
    (void)process_blocks().acquire(0, 0);
    return !std::filesystem::is_empty(folder_);
  }));

  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ProcessSegmentTest, a_fork_leaves_the_file_alone_and_has_its_own) {
  EXPECT_TRUE(in_child([this] {
    worker_block* const mine = process_blocks().acquire(0, 0);
    const std::filesystem::path file = process_blocks().file();
    mine->parks.add(3);
    const bool is_child_right = in_child([&] {
      mine->parks.add(100);  // as a task does that forked
      const bool is_left = process_blocks().file().empty();
      (void)process_blocks().acquire(1, 0);
      return is_left && process_blocks().file() != file && process_blocks().totals().parks == 103;
    });
    return is_child_right && file_copy(file).number(1, "parks") == 3 &&
           weft::counters::segment_files(folder_).size() == 1;
  }));
}

TEST_F(ProcessSegmentTest, can_be_switched_off) {
  EXPECT_TRUE(in_child([] {
    ::setenv("WEFT_STATS", "off", 1);
    (void)process_blocks().acquire(0, 0);
    return process_blocks().file().empty() &&
           process_blocks().why_not_shared() == "WEFT_STATS=off forbids it";
  }));
}

TEST_F(ProcessSegmentTest, an_unknown_wish_is_not_guessed) {
  ::setenv("WEFT_STATS", "maybe", 1);
  const std::string refusal = weft::counters::segment_options_from_environment().refusal;
  ::unsetenv("WEFT_STATS");

  EXPECT_EQ(refusal, "WEFT_STATS=maybe is neither on nor off");
}

}  // namespace segment_test
