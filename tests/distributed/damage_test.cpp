// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Archives refuse damaged bytes, and allocate no memory for what is not there.
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/distributed/archive.hpp"

#include "distributed/sent_types.hpp"

namespace damage_test {

using namespace sent_types;
using testing::HasSubstr;
using weft::distributed::archive_error;
using weft::distributed::input_archive;
using weft::distributed::output_archive;

constexpr std::size_t most_part_bytes = 1 << 20;
constexpr std::uint64_t part_bit = std::uint64_t{1} << 63;

/// Calls `check` with values of every type.
template <class Check, std::size_t... i>
void for_every_type(Check check, std::index_sequence<i...> /*types*/) {
  (check(std::type_identity<std::tuple_element_t<i, every_type>>{}), ...);
}
template <class Check>
void for_every_type(Check check) {
  for_every_type(check, std::make_index_sequence<std::tuple_size_v<every_type>>{});
}

/// Returns what is wrong with the bytes, or "".
template <class T>
std::string problem_in(std::span<const std::byte> bytes, std::size_t max_part_bytes = 0) {
  try {
    T value{};
    input_archive in(bytes, max_part_bytes);
    in(value);
    in.finish();
    for (const auto& place : in.parts_to_fill()) {
      std::memset(place.data, 1, place.size);
    }
    EXPECT_NO_THROW(written(value)) << "what was read is a value";
  } catch (const archive_error& found) {
    EXPECT_LE(found.offset_bytes(), bytes.size());
    return found.what();
  }
  return "";
}

TEST(Damage, every_shorter_input_is_refused) {
  generator values(3);
  for_every_type([&]<class T>(std::type_identity<T> /*type*/) {
    const message sent = written(values.make<T>(), 200);
    const std::span<const std::byte> all(sent.bytes);
    EXPECT_EQ(problem_in<T>(all, most_part_bytes), "");
    for (std::size_t size = 0; size < all.size(); ++size) {
      EXPECT_NE(problem_in<T>(all.first(size), most_part_bytes), "") << size << " bytes";
    }
  });
}

TEST(Damage, a_longer_input_is_refused) {
  generator values(4);
  for_every_type([&]<class T>(std::type_identity<T> /*type*/) {
    message sent = written(values.make<T>());
    sent.bytes.push_back({});
    EXPECT_THAT(problem_in<T>(sent.bytes, most_part_bytes), HasSubstr("the end, not 1 bytes more"));
  });
}

TEST(Damage, every_flipped_bit_is_refused_or_another_value) {
  generator values(5);
  std::size_t num_refused = 0;
  std::size_t num_read = 0;
  for_every_type([&]<class T>(std::type_identity<T> /*type*/) {
    message sent = written(values.make<T>(), 200);
    for (std::size_t bit = 0; bit < sent.bytes.size() * CHAR_BIT; ++bit) {
      std::byte& byte = sent.bytes[bit / CHAR_BIT];
      byte ^= std::byte{1} << bit % CHAR_BIT;
      const bool is_refused = !problem_in<T>(sent.bytes, most_part_bytes).empty();
      byte ^= std::byte{1} << bit % CHAR_BIT;
      num_refused += is_refused ? 1U : 0U;
      num_read += is_refused ? 0U : 1U;
    }
  });
  EXPECT_GT(num_refused, 1000U);
  EXPECT_GT(num_read, 1000U);
}

TEST(Damage, random_bytes_are_refused_or_a_value) {
  generator values(6);
  std::size_t num_refused = 0;
  for_every_type([&]<class T>(std::type_identity<T> /*type*/) {
    for (int i = 0; i < 100; ++i) {
      std::vector<std::byte> bytes(values.below(200));
      for (std::byte& each : bytes) {  // counts are small numbers, so most bytes are zero
        each = values.below(4) == 0 ? static_cast<std::byte>(values.below(5)) : std::byte{};
      }
      num_refused += problem_in<T>(bytes, most_part_bytes).empty() ? 0U : 1U;
    }
  });
  EXPECT_GT(num_refused, 1000U);
}

std::vector<std::byte> count_only(std::uint64_t count) {
  output_archive out;
  out(count);
  return out.take_bytes();
}

TEST(Damage, a_large_count_is_refused_before_memory_is_allocated) {
  // std::bad_alloc or std::length_error would end the test.
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1} << 40, part_bit - 1}) {
    const std::vector<std::byte> bytes = count_only(count);
    EXPECT_THAT(problem_in<std::vector<double>>(bytes), HasSubstr("a count of elements"));
    EXPECT_THAT(problem_in<std::string>(bytes), HasSubstr("a count of elements"));
    EXPECT_THAT(problem_in<std::vector<nothing>>(bytes), HasSubstr("a count of elements"));
    EXPECT_THAT(problem_in<std::vector<tree>>(bytes), HasSubstr("a count of elements"));
    EXPECT_THAT(problem_in<std::vector<bool>>(bytes), HasSubstr("as many bits"));
    EXPECT_THAT((problem_in<std::map<int, std::string>>(bytes)), HasSubstr("a count of elements"));
  }
}

TEST(Damage, parts_are_refused_beyond_the_limit) {
  const message sent = written(std::vector(2, std::vector<double>(1000)), 1000);
  using type = std::vector<std::vector<double>>;

  EXPECT_EQ(problem_in<type>(sent.bytes, 16'000), "");
  EXPECT_THAT(problem_in<type>(sent.bytes, 15'999), HasSubstr("at most 7999 bytes more"));
  EXPECT_THAT(problem_in<type>(sent.bytes), HasSubstr("max_part_bytes"));
  EXPECT_NE(problem_in<std::vector<double>>(count_only(~std::uint64_t{}), most_part_bytes), "");
  EXPECT_NE(problem_in<std::vector<double>>(count_only(part_bit), most_part_bytes), "")
      << "a part of no bytes";
}

TEST(Damage, keys_and_objects_with_their_own_function_cannot_have_parts) {
  output_archive bytes;
  bytes(std::uint64_t{1}, part_bit | 100, std::uint64_t{0});  // a set with a key that is a part

  EXPECT_THAT(problem_in<std::set<std::string>>(bytes.bytes(), most_part_bytes),
              HasSubstr("no part inside a key"));
  EXPECT_THAT(problem_in<account>(count_only(part_bit | 100), most_part_bytes),
              HasSubstr("no part inside a key or an object with its own serialize"));
}

TEST(Damage, a_key_that_is_there_twice_is_refused) {
  EXPECT_THAT(problem_in<std::set<int>>(written(std::vector{1, 1}).bytes), HasSubstr("key twice"));
  const std::vector<std::pair<int, int>> pairs = {{1, 2}, {1, 3}};
  EXPECT_THAT((problem_in<std::map<int, int>>(written(pairs).bytes)), HasSubstr("key twice"));
  EXPECT_EQ((problem_in<std::multimap<int, int>>(written(pairs).bytes)), "");
}

TEST(Damage, bytes_that_are_no_value_of_their_type_are_refused) {
  const std::array<std::byte, 1> two = {std::byte{2}};
  const std::array<std::byte, 1> hundred = {std::byte{100}};

  EXPECT_THAT(problem_in<bool>(two), HasSubstr("expected a 0 or 1 at byte 1"));
  EXPECT_THAT(problem_in<std::optional<int>>(two), HasSubstr("a 0 or 1"));
  EXPECT_THAT(problem_in<std::unique_ptr<int>>(two), HasSubstr("a 0 or 1"));
  EXPECT_THAT(problem_in<mixed>(hundred), HasSubstr("the index of an alternative"));
  EXPECT_THAT((problem_in<std::array<double, 1000>>(two)), HasSubstr("a 0 or 1"));
}

TEST(Damage, elements_are_aligned_by_zeros) {
  message sent = written(std::tuple<char, std::vector<double>>('a', 10), 1 << 20);
  const std::size_t padding = 9;
  ASSERT_EQ(sent.bytes[padding], std::byte{});
  sent.bytes[padding] = std::byte{1};

  EXPECT_THAT((problem_in<std::tuple<char, std::vector<double>>>(sent.bytes)), HasSubstr("zeros"));
}

TEST(Damage, input_that_starts_anywhere_is_read) {
  const std::vector<double> numbers(100, 3.0);
  const message sent = written(numbers, 1 << 20);
  std::vector<std::byte> shifted(1);
  shifted.insert(shifted.end(), sent.bytes.begin(), sent.bytes.end());

  std::vector<double> copy;
  const std::span<const std::byte> all(shifted);
  input_archive in(all.subspan(1));
  in(copy);

  EXPECT_EQ(copy, numbers);
}

TEST(Damage, deep_input_is_refused_before_the_stack_ends) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 100'000; ++i) {  // a value, and that a next one is there
    bytes.insert(bytes.end(), {std::byte{}, std::byte{}, std::byte{}, std::byte{}, std::byte{1}});
  }

  EXPECT_THAT(problem_in<chain>(bytes), HasSubstr("at most 128 deep"));
}

}  // namespace damage_test
