// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about checkpoints: what comes back from them, and what is refused.
#include "weft/distributed/checkpoint.hpp"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "weft/base/error.hpp"

#include "distributed/checksum.hpp"
#include "distributed/sent_types.hpp"

namespace checkpoint_test {

using namespace sent_types;
using testing::HasSubstr;
using weft::distributed::checkpoint_error;
using weft::distributed::load_checkpoint;
using weft::distributed::save_checkpoint;

class Checkpoint : public testing::Test {
 protected:
  Checkpoint()
      : folder_(std::filesystem::temp_directory_path() /
                ("weft_checkpoint_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Checkpoint() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path file() const { return folder_ / "state"; }

  [[nodiscard]] std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

std::string saved(const auto&... values) {
  std::ostringstream to;
  save_checkpoint(to, values...);
  return to.str();
}

/// Returns what is wrong with the file, or "".
template <class... T>
std::string problem_in(const std::string& text, T&... values) {
  std::istringstream from(text);
  try {
    load_checkpoint(from, values...);
  } catch (const checkpoint_error& found) {
    return found.what();
  }
  return "";
}

TEST_F(Checkpoint, values_come_back_from_a_file) {
  const std::vector<double> field(100'000, 0.25);
  const std::map<std::string, record> records = {{"a", {.id = 3, .weight = 0.5, .name = "x"}}};

  save_checkpoint(file(), 42, field, records);

  int step = 0;
  std::vector<double> field_copy;
  std::map<std::string, record> records_copy;
  load_checkpoint(file(), step, field_copy, records_copy);
  EXPECT_EQ(step, 42);
  EXPECT_EQ(field_copy, field);
  EXPECT_EQ(records_copy, records);
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(Checkpoint, a_file_is_replaced_as_a_whole) {
  save_checkpoint(file(), std::string(100, 'a'));
  save_checkpoint(file(), std::string("b"));

  std::string text;
  load_checkpoint(file(), text);
  EXPECT_EQ(text, "b");
}

TEST_F(Checkpoint, an_error_while_saving_leaves_the_old_file) {
  save_checkpoint(file(), 1);
  tree deep;
  for (int i = 0; i < 200; ++i) {
    tree outer;
    outer.children.push_back(std::move(deep));
    deep = std::move(outer);
  }

  EXPECT_THROW(save_checkpoint(file(), deep), weft::error);

  int number = 0;
  load_checkpoint(file(), number);
  EXPECT_EQ(number, 1);
}

TEST_F(Checkpoint, a_folder_that_is_not_there_is_named) {
  const std::filesystem::path nowhere = file() / "nowhere";
  try {
    save_checkpoint(nowhere, 1);
    ADD_FAILURE() << "it was written";
  } catch (const checkpoint_error& found) {
    EXPECT_THAT(found.what(), HasSubstr(nowhere.string()));
  }
  int number = 0;
  try {
    load_checkpoint(nowhere, number);
    ADD_FAILURE() << "it was read";
  } catch (const checkpoint_error& found) {
    EXPECT_THAT(found.what(), HasSubstr(nowhere.string() + "' cannot be opened: "));
  }
}

TEST_F(Checkpoint, bytes_behind_the_end_of_a_file_are_refused) {
  save_checkpoint(file(), 1);
  std::ofstream(file(), std::ios::app | std::ios::binary) << "x";
  int number = 5;

  EXPECT_THROW(load_checkpoint(file(), number), checkpoint_error);
  EXPECT_EQ(number, 5);
}

TEST(CheckpointStream, holds_several_checkpoints) {
  std::stringstream both;
  save_checkpoint(both, 1);
  save_checkpoint(both, std::string("two"));

  int first = 0;
  std::string second;
  load_checkpoint(both, first);
  load_checkpoint(both, second);

  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, "two");
}

TEST(CheckpointStream, every_flipped_bit_is_found) {
  const std::vector<double> large(1500, 1.0);
  const record small = {.id = 1, .weight = 2, .name = "three"};
  std::string text = saved(small, large);
  ASSERT_GT(text.size(), large.size() * sizeof(double));

  for (std::size_t bit = 0; bit < text.size() * CHAR_BIT; bit += bit < 2000 ? 1 : 97) {
    char& byte = text[bit / CHAR_BIT];
    byte = static_cast<char>(byte ^ 1 << bit % CHAR_BIT);
    record small_copy = {.id = 7, .name = "as before"};
    std::vector<double> large_copy(2, 3.0);
    EXPECT_NE(problem_in(text, small_copy, large_copy), "") << "bit " << bit;
    EXPECT_EQ(small_copy, (record{.id = 7, .name = "as before"})) << "bit " << bit;
    EXPECT_EQ(large_copy, std::vector<double>(2, 3.0)) << "bit " << bit;
    byte = static_cast<char>(byte ^ 1 << bit % CHAR_BIT);
  }
}

TEST(CheckpointStream, a_damaged_header_is_called_damaged) {
  std::string text = saved(1);
  constexpr std::size_t place_of_types = 24;
  text[place_of_types] = static_cast<char>(text[place_of_types] ^ 1);
  int copy = 0;

  EXPECT_THAT(problem_in(text, copy), HasSubstr("its header is damaged"));
}

TEST(CheckpointStream, every_shorter_file_is_refused) {
  const std::vector<double> large(1500, 1.0);
  const std::string text = saved(large);

  for (std::size_t size = 0; size < text.size(); size += size < 200 ? 1 : 111) {
    std::vector<double> copy;
    EXPECT_NE(problem_in(text.substr(0, size), copy), "") << size << " bytes";
    EXPECT_TRUE(copy.empty());
  }
}

TEST(CheckpointStream, a_damaged_size_allocates_nothing) {
  std::string text = saved(std::vector<double>(1500, 1.0));
  constexpr std::size_t place_of_sizes = 32;
  text.replace(place_of_sizes, 16, 16, '\x7f');
  constexpr std::size_t place_of_checksum = 48;
  const std::uint64_t sum = weft::distributed::detail::crc64(
      std::as_bytes(std::span(text)).first(place_of_checksum));  // as a malicious writer would
  text.replace(place_of_checksum, 8, reinterpret_cast<const char*>(&sum), 8);
  std::vector<double> copy;

  EXPECT_THAT(problem_in(text, copy),
              HasSubstr("too short for the data that its header announces"));
}

struct two_numbers {
  int a = 0;
  double b = 0;
};
struct three_numbers {
  int a = 0;
  double b = 0;
  double c = 0;
};

TEST(CheckpointStream, values_of_other_types_are_refused) {
  const std::string text = saved(1, std::vector<two_numbers>(3));
  int number = 0;
  unsigned positive = 0;
  float fraction = 0;
  std::vector<two_numbers> same_type;
  std::vector<three_numbers> longer;

  EXPECT_EQ(problem_in(text, number, same_type), "");
  EXPECT_THAT(problem_in(text, number), HasSubstr("values of other types"));
  EXPECT_THAT(problem_in(text, same_type, number), HasSubstr("values of other types"));
  EXPECT_THAT(problem_in(text, positive, same_type), HasSubstr("values of other types"));
  EXPECT_THAT(problem_in(text, fraction, same_type), HasSubstr("values of other types"));
  EXPECT_THAT(problem_in(text, number, longer), HasSubstr("values of other types"))
      << "as after a member was added";
}

TEST(CheckpointStream, other_files_are_refused) {
  int number = 0;
  EXPECT_THAT(problem_in("", number), HasSubstr("too short"));
  EXPECT_THAT(problem_in(std::string(200, 'x'), number), HasSubstr("no checkpoint of weft"));
}

TEST(CheckpointStream, every_type_has_its_own_signature) {
  std::map<std::uint64_t, std::size_t> seen;
  [&]<std::size_t... i>(std::index_sequence<i...> /*types*/) {
    ((seen[weft::distributed::detail::signature_of<std::tuple_element_t<i, every_type>>()] = i),
     ...);
  }(std::make_index_sequence<std::tuple_size_v<every_type>>{});

  // A set of strings and one of numbers are there twice, of which one is unordered: one may be loaded
  // into the other.
  EXPECT_EQ(seen.size(), std::tuple_size_v<every_type> - 2);
}

TEST(Checksum, the_checksum_is_the_published_one) {
  constexpr std::string_view digits = "123456789";
  const auto bytes = std::as_bytes(std::span(digits));

  EXPECT_EQ(weft::distributed::detail::crc64(bytes), 0x995dc9bbdf1939faU);
  const std::uint64_t begun = weft::distributed::detail::crc64(bytes.first(4));
  EXPECT_EQ(weft::distributed::detail::crc64(bytes.subspan(4), begun), 0x995dc9bbdf1939faU);
}

}  // namespace checkpoint_test
