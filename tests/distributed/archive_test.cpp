// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what archives write and read.
#include "weft/distributed/archive.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"

#include "distributed/sent_types.hpp"

namespace archive_test {

using namespace sent_types;
using weft::distributed::input_archive;
using weft::distributed::output_archive;
using weft::distributed::part_to_fill;
using weft::distributed::serializable;

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

template <class Tuple>
struct as_types;
template <class... T>
struct as_types<std::tuple<T...>> {
  using type = testing::Types<T...>;
};
// More than GoogleTest's 50 types at a time are two lists.
template <class Tuple, std::size_t first, std::size_t... i>
auto some_of(std::index_sequence<i...>) -> std::tuple<std::tuple_element_t<first + i, Tuple>...>;
constexpr std::size_t half = std::tuple_size_v<every_type> / 2;
using first_types =
    as_types<decltype(some_of<every_type, 0>(std::make_index_sequence<half>{}))>::type;
using other_types = as_types<decltype(some_of<every_type, half>(
    std::make_index_sequence<std::tuple_size_v<every_type> - half>{}))>::type;

template <class T>
void expect_equal_copies() {
  generator values(7);
  for (int i = 0; i < 60; ++i) {
    const T value = values.make<T>();
    for (const std::size_t threshold : {std::size_t{1}, std::size_t{100}, never}) {
      const message sent = written(value, threshold);
      T copy = values.make<T>();  // what was there before is replaced
      input_archive in(sent.bytes, sent.num_part_bytes());
      in(copy);
      in.finish();
      ASSERT_TRUE(deliver(sent, in.parts_to_fill()));
      ASSERT_TRUE(same(value, copy)) << "value " << i << ", threshold " << threshold;
    }
  }
}

template <class T>
class ArchiveOfFirst : public testing::Test {};
TYPED_TEST_SUITE(ArchiveOfFirst, first_types, );
TYPED_TEST(ArchiveOfFirst, a_copy_is_equal) { expect_equal_copies<TypeParam>(); }

template <class T>
class ArchiveOfOther : public testing::Test {};
TYPED_TEST_SUITE(ArchiveOfOther, other_types, );
TYPED_TEST(ArchiveOfOther, a_copy_is_equal) { expect_equal_copies<TypeParam>(); }

TEST(Archive, the_concept_says_what_can_be_sent) {
  struct with_pointer {
    int* to = nullptr;
  };

  EXPECT_TRUE(serializable<record>);
  EXPECT_TRUE(serializable<tree>) << "of which it has a vector itself";
  EXPECT_TRUE(serializable<chain>) << "which cannot be copied";
  EXPECT_FALSE(serializable<int*>);
  EXPECT_FALSE(serializable<with_pointer>);
  EXPECT_FALSE((serializable<std::map<int, std::vector<with_pointer>>>));
  EXPECT_FALSE(serializable<int&>);
  EXPECT_FALSE(serializable<std::shared_ptr<int>>);
  EXPECT_FALSE(serializable<std::string_view>);
  EXPECT_FALSE(serializable<std::span<double>>);
  EXPECT_FALSE(serializable<std::function<void()>>);
}

TEST(Archive, large_vectors_are_parts) {
  const std::vector<double> small(10, 1.0);
  const std::vector<double> large(5000, 2.0);
  output_archive out;
  out(small, large);
  ASSERT_EQ(out.parts().size(), 1U);
  EXPECT_EQ(out.parts()[0].data, reinterpret_cast<const std::byte*>(large.data()));
  EXPECT_EQ(out.parts()[0].size, 5000 * sizeof(double));

  std::vector<double> small_copy;
  std::vector<double> large_copy;
  input_archive in(out.bytes(), out.parts()[0].size);
  in(small_copy, large_copy);
  in.finish();
  ASSERT_EQ(in.parts_to_fill().size(), 1U);
  const part_to_fill place = in.parts_to_fill()[0];
  EXPECT_EQ(place.data, reinterpret_cast<std::byte*>(large_copy.data()));
  std::memcpy(place.data, out.parts()[0].data, place.size);

  EXPECT_EQ(small_copy, small);
  EXPECT_EQ(large_copy, large);
}

TEST(Archive, vectors_are_not_filled_before_their_parts_come) {
#if !defined(__GLIBCXX__)
  GTEST_SKIP() << "only libstdc++'s vector can grow without being filled";
#endif
  const std::vector<double> sent(5000, 2.0);
  output_archive out;
  out(sent);
  std::vector<double> received(5000, 7.0);

  input_archive in(out.bytes(), out.parts()[0].size);
  in(received);
  in.finish();

  EXPECT_EQ(received, std::vector<double>(5000, 7.0));
  EXPECT_EQ(in.parts_to_fill()[0].data, reinterpret_cast<std::byte*>(received.data()));
}

TEST(Archive, the_first_bytes_are_in_memory_of_the_caller) {
  std::array<std::byte, 32> room{};
  output_archive out(never, room);
  out(1L, 2L);
  EXPECT_EQ(out.bytes().data(), room.data());
  EXPECT_EQ(out.bytes().size(), 2 * sizeof(long));

  const std::string longer(100, 'x');  // moves all that was written
  out(longer);
  EXPECT_NE(out.bytes().data(), room.data());
  long first = 0;
  long second = 0;
  std::string text;
  input_archive in(out.bytes());
  in(first, second, text);
  in.finish();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  EXPECT_EQ(text, longer);
}

TEST(Archive, bytes_in_memory_of_the_caller_are_taken_and_forgotten_alike) {
  std::array<std::byte, 32> room{};
  output_archive out(never, room);
  out(1L);
  out.clear();
  EXPECT_TRUE(out.bytes().empty());
  out(5L);

  output_archive moved(std::move(out));
  moved(6L);
  const std::vector<std::byte> taken = moved.take_bytes();

  long first = 0;
  long second = 0;
  input_archive in(taken);
  in(first, second);
  in.finish();
  EXPECT_EQ(first, 5);
  EXPECT_EQ(second, 6);
  EXPECT_TRUE(moved.bytes().empty());
}

TEST(Archive, parts_are_in_the_objects_that_were_read) {
  struct field {
    std::array<double, 2000> cells{};
    std::optional<std::string> name;
  };
  using all = std::tuple<std::map<int, std::vector<field>>, std::list<std::string>>;
  all value;
  std::get<0>(value)[1].resize(2);
  std::get<0>(value)[2].resize(1);
  std::get<0>(value)[2][0].name = std::string(10'000, 'n');
  std::get<1>(value) = {std::string(9000, 'a'), "short", std::string(9000, 'b')};
  const message sent = written(value);

  all copy;
  input_archive in(sent.bytes, sent.num_part_bytes());
  in(copy);

  const std::vector<const void*> places = {std::get<0>(copy)[1][0].cells.data(),
                                           std::get<0>(copy)[1][1].cells.data(),
                                           std::get<0>(copy)[2][0].cells.data(),
                                           std::get<0>(copy)[2][0].name->data(),
                                           std::get<1>(copy).front().data(),
                                           std::get<1>(copy).back().data()};
  ASSERT_EQ(in.parts_to_fill().size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(in.parts_to_fill()[i].data, places[i]) << "part " << i;
    EXPECT_EQ(in.parts_to_fill()[i].size, sent.parts[i].size()) << "part " << i;
  }
}

TEST(Archive, keys_and_objects_with_their_own_function_have_no_parts) {
  const account rich("Ada", std::vector<double>(5000, 1.0));
  const std::map<std::string, int> long_keys = {{std::string(9000, 'k'), 1}};

  EXPECT_TRUE(written(rich).parts.empty());
  EXPECT_TRUE(written(long_keys).parts.empty());
  EXPECT_EQ(written(std::vector<double>(5000)).parts.size(), 1U) << "as others do again";
}

TEST(Archive, padding_is_not_sent) {
  alignas(padded) std::array<std::byte, sizeof(padded)> dirty;
  dirty.fill(std::byte{0xab});
  auto* const value = new (dirty.data()) padded;
  value->kind = 1;
  value->count = 2;

  EXPECT_EQ(written(*value).bytes, written(padded{1, 2}).bytes);
  EXPECT_EQ(written(std::vector<padded>(3)).bytes.size(), 8U + 3 * 9);
}

TEST(Archive, views_are_written_as_what_they_show) {
  const std::vector<int> numbers = {1, 2, 3};
  output_archive out;
  out(std::span(numbers), std::string_view("text"));

  std::vector<int> copy;
  std::string text;
  input_archive in(out.bytes());
  in(copy, text);
  in.finish();

  EXPECT_EQ(copy, numbers);
  EXPECT_EQ(text, "text");
}

TEST(Archive, a_variant_without_a_value_is_refused) {
  struct throws_when_copied {
    throws_when_copied() = default;
    throws_when_copied(const throws_when_copied& /*other*/) { throw std::runtime_error("no"); }
    throws_when_copied& operator=(const throws_when_copied&) = default;
    void serialize(output_archive& /*archive*/) {}
    void serialize(input_archive& /*archive*/) {}
  };
  std::variant<int, throws_when_copied> value;
  EXPECT_THROW(value.emplace<1>(throws_when_copied()), std::runtime_error);
  ASSERT_TRUE(value.valueless_by_exception());

  output_archive out;

  EXPECT_THROW(out(value), weft::error);
}

chain chain_of(int length) {
  chain first;
  chain* last = &first;
  for (int i = 1; i < length; ++i) {
    last->next = std::make_unique<chain>();
    last = last->next.get();
  }
  return first;
}

TEST(Archive, objects_may_be_nested_128_deep) {
  EXPECT_TRUE(same(chain_of(128), [] {
    chain copy;
    const message sent = written(chain_of(128));
    input_archive(sent.bytes)(copy);
    return copy;
  }()));
  EXPECT_THROW(written(chain_of(129)), weft::error);
}

TEST(Archive, a_cleared_archive_writes_the_same_again) {
  output_archive out;
  out(std::string("first"), std::vector<double>(3000));
  const std::vector<std::byte> first(out.bytes().begin(), out.bytes().end());
  out.clear();
  EXPECT_TRUE(out.bytes().empty());
  EXPECT_TRUE(out.parts().empty());

  out(std::string("first"), std::vector<double>(3000));

  EXPECT_TRUE(std::equal(first.begin(), first.end(), out.bytes().begin(), out.bytes().end()));
}

TEST(Archive, a_moved_archive_goes_on) {
  output_archive first;
  first(1);
  output_archive second(std::move(first));
  second(2);

  int numbers[2] = {};
  input_archive in(second.bytes());
  in(numbers[0], numbers[1]);
  in.finish();

  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], 2);
}

/// Not an aggregate, and without a function of its own.
class handle {
 public:
  handle() = default;
  explicit handle(std::uint64_t number) : number_(number) {}
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_ = 0;
};

class unknown {
 public:
  unknown() : number_(1) {}
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace archive_test

template <>
inline constexpr bool weft::distributed::is_bitwise_serializable<archive_test::handle> = true;

namespace archive_test {

TEST(Archive, a_class_that_says_so_is_copied_as_bytes) {
  output_archive out;
  out(std::vector{handle(3), handle(4)});

  std::vector<handle> copy;
  input_archive(out.bytes())(copy);

  ASSERT_EQ(copy.size(), 2U);
  EXPECT_EQ(copy[1].number(), 4U);
  EXPECT_FALSE(serializable<unknown>);
}

}  // namespace archive_test
