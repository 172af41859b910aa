// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads of a device copy is what the host's loops copy: the same index maps, run here.
#include "halo/device/device_moves.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/halo/detail/shape.hpp"

#include "halo/device/device.hpp"
#include "halo/device/device_batches.hpp"
#include "halo/device/device_launch.hpp"
#include "halo/emulated_device.hpp"
#include "halo/fields/copy.hpp"
#include "halo/world.hpp"

namespace weft::halo::detail {
namespace device_moves_test {

using test::dice;
using test::emulated_device;

TEST(Divisor, agrees_with_division) {
  constexpr std::uint32_t most = (std::uint32_t{1} << 31U) - 1;
  std::vector<std::uint32_t> numbers{most, most - 1, 1U << 30U, (1U << 30U) + 1, 65535, 65537};
  for (std::uint32_t n = 1; n < 300; ++n) {
    numbers.push_back(n);
  }

  for (const std::uint32_t number : numbers) {
    const divisor by = make_divisor(number);
    std::vector<std::uint32_t> dividends{0, 1, most, most - 1, number, number - 1};
    for (std::uint64_t n = 1; n * number <= most; n = n * 3 + 1) {
      dividends.push_back(static_cast<std::uint32_t>(n * number));
      dividends.push_back(static_cast<std::uint32_t>(n * number - 1));
    }
    for (const std::uint32_t dividend : dividends) {
      ASSERT_EQ(quotient(dividend, by), dividend / number) << dividend << " / " << number;
    }
  }
}

TEST(WordBytes, are_as_many_as_all_of_a_box_is_aligned_to) {
  box_copy box{.counts = {1, 1, 4, 250}, .block_bytes = 24};
  box.from = {.offset = 24, .strides = {0, 0, std::ptrdiff_t{512} * 256, 2048}};
  box.into = {.offset = 96, .strides = {0, 0, std::ptrdiff_t{250} * 24, 24}};

  EXPECT_EQ(word_bytes_of(box, 16), 8U);
  EXPECT_EQ(word_bytes_of(box, 4), 4U);
  box.block_bytes = 2000;
  box.into.strides = {0, 0, 500000, 2000};
  EXPECT_EQ(word_bytes_of(box, 16), 8U) << "the first cell is not aligned to 16";
  box.from.offset = 32;
  EXPECT_EQ(word_bytes_of(box, 16), 16U);
  box.from.offset = 33;
  EXPECT_EQ(word_bytes_of(box, 16), 1U);
  box.from.offset = 32;
  box.into.strides[0] = 3;
  EXPECT_EQ(word_bytes_of(box, 16), 16U) << "nothing is counted along that dimension";
}

TEST(PlacesOf, neighbouring_threads_have_neighbouring_words_of_a_buffer) {
  box_copy box{.counts = {1, 1, 5, 7}, .block_bytes = 24};
  box.from = {.offset = 0, .strides = {0, 0, 4096, 256}};
  box.into = {.offset = 0, .strides = {0, 0, std::ptrdiff_t{7} * 24, 24}};
  const std::vector<box_move> boxes{{.box = box, .goes = box_move::way::pack}};

  const cell_move made = make_batches(boxes, 16).front().moves.front();

  ASSERT_EQ(made.num_words, 5U * 7U * 3U);
  for (std::uint32_t n = 0; n < made.num_words; ++n) {
    EXPECT_EQ(places_of<1>(made, n)[0].into, static_cast<std::int32_t>(n));
  }
  EXPECT_EQ(places_of<1>(made, 2)[0].from, 2);
  EXPECT_EQ(places_of<1>(made, 3)[0].from, 256 / 8);
}

/// A box in a field of `extent` cells, and its place in a buffer.
struct drawn {
  box_move what = {};
  std::size_t field_bytes = 0;
};

drawn draw(dice& with, std::size_t element_bytes, std::ptrdiff_t buffer_offset) {
  box_counts cells{};
  box_side in_field;
  box_side in_buffer{.offset = buffer_offset};
  auto stride = static_cast<std::ptrdiff_t>(element_bytes) * (1 + with.roll(4) / 3);
  auto packed = static_cast<std::ptrdiff_t>(element_bytes);
  for (std::size_t d = 0; d < max_dims; ++d) {
    cells[d] = 1 + with.roll(6);
    const std::ptrdiff_t before = with.roll(3);
    const std::ptrdiff_t length = before + cells[d] + with.roll(3);
    in_field.strides[d] = stride;
    in_field.offset += before * stride;
    if (with.roll(4) == 0) {  // a field whose first cell comes last
      in_field.offset += (cells[d] - 1) * stride;
      in_field.strides[d] = -stride;
    }
    in_buffer.strides[d] = packed;
    packed *= cells[d];
    stride *= length;
  }
  drawn made{.field_bytes = static_cast<std::size_t>(stride)};
  made.what.goes = with.flip() ? box_move::way::pack : box_move::way::unpack;
  made.what.box = made.what.goes == box_move::way::pack
                      ? make_copy(element_bytes, cells, in_buffer, in_field)
                      : make_copy(element_bytes, cells, in_field, in_buffer);
  return made;
}

std::byte* random_bytes(emulated_device& on, std::size_t bytes, dice& with) {
  std::byte* const made = on.allocate(bytes);
  std::generate_n(made, bytes, [&] { return static_cast<std::byte>(with.roll(256)); });
  return made;
}

/// Executes the moves of batches as a launch does, on memory of the host.
void run_all(const std::vector<move_batch>& batches, std::byte* buffer, std::byte* field) {
  for (const move_batch& each : batches) {
    move_pointers where;
    where.at[0] = buffer;
    where.at[1] = field;
    for (const move_tile& tile : each.tiles) {
      for (std::uint32_t thread = 0; thread < threads_per_tile; ++thread) {
        move_part(each.moves[tile.move], where, tile.first_word, thread);
      }
    }
  }
}

void expect_what_the_host_does(std::uint64_t seed) {
  dice with(seed);
  constexpr std::array<std::size_t, 6> sizes{1, 2, 3, 4, 8, 16};
  const std::size_t element_bytes = sizes[static_cast<std::size_t>(with.roll(6))];
  const drawn one = draw(with, element_bytes, 16 * with.roll(3));
  const auto buffer_bytes = static_cast<std::size_t>(one.what.box.bytes() + 64);
  emulated_device on;
  const device_memory field(random_bytes(on, one.field_bytes, with), {&on});
  const device_memory buffer(random_bytes(on, buffer_bytes, with), {&on});
  std::vector<std::byte> host_field(field.get(), field.get() + one.field_bytes);
  std::vector<std::byte> host_buffer(buffer.get(), buffer.get() + buffer_bytes);
  const bool is_pack = one.what.goes == box_move::way::pack;
  const std::size_t alignment = std::size_t{1} << static_cast<unsigned>(with.roll(5));
  const std::int64_t max_words = with.flip() ? INT32_MAX : 1 + with.roll(300);

  run_all(make_batches({&one.what, 1}, alignment, max_words), buffer.get(), field.get());
  run(sweep{.first = one.what.box},
      is_pack ? host_buffer.data() : host_field.data(),
      is_pack ? host_field.data() : host_buffer.data());

  const std::string what = "seed " + std::to_string(seed) + ", words up to " +
                           std::to_string(alignment) + " B, cut at " + std::to_string(max_words);
  EXPECT_TRUE(std::ranges::equal(std::span(field.get(), one.field_bytes), host_field)) << what;
  EXPECT_TRUE(std::ranges::equal(std::span(buffer.get(), buffer_bytes), host_buffer)) << what;
}

TEST(Moves, copy_what_the_loops_of_the_host_copy) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    expect_what_the_host_does(seed);
  }
}

TEST(Moves, of_boxes_too_large_for_32_bits_are_cut) {
  box_copy box{.counts = {1, 1, 3, std::ptrdiff_t{1} << 20}, .block_bytes = 8};
  box.into.strides = {0, 0, std::ptrdiff_t{1} << 40, std::ptrdiff_t{1} << 15};
  box.from.strides = {0, 0, std::ptrdiff_t{1} << 23, 8};
  const std::vector<box_move> boxes{{.box = box, .goes = box_move::way::unpack}};

  const auto made = make_batches(boxes, 16);

  std::uint64_t words = 0;
  for (const cell_move& each : made.front().moves) {
    words += each.num_words;
    std::int64_t reach = 0;
    for (std::uint32_t d = 0; d < each.num_dims; ++d) {
      reach += std::int64_t{each.dims[d].count.number - 1} * each.dims[d].into_stride;
    }
    EXPECT_LE(reach, INT32_MAX);
  }
  EXPECT_EQ(words, 3ULL << 20U);
  EXPECT_GT(made.front().moves.size(), 3U);
}

TEST(Launch, has_no_more_fields_than_pointers) {
  emulated_device on;
  constexpr std::size_t num_fields = 70;
  constexpr std::size_t bytes = 24;
  std::vector<device_memory> memory;
  std::vector<std::byte*> fields;
  std::vector<box_move> boxes;
  for (std::size_t n = 0; n < num_fields; ++n) {
    memory.emplace_back(on.allocate(bytes), release_memory{&on});
    fields.push_back(memory.back().get());
    std::fill_n(fields.back(), bytes, static_cast<std::byte>(n));
    box_copy box{.block_bytes = bytes};
    box.into.offset = static_cast<std::ptrdiff_t>(n * bytes);
    boxes.push_back({.box = box, .field = n, .goes = box_move::way::pack});
  }
  const device_memory buffer(on.allocate(num_fields * bytes), {&on});
  launch all(on, boxes);
  const owned_queue queue = queue_of(on);

  all.run({.buffer = buffer.get(), .fields = fields, .alignment = common_alignment(fields)},
          queue.get());
  on.drain(queue.get());

  EXPECT_EQ(on.num_launches(), 3U) << "31 fields each";
  for (std::size_t n = 0; n < num_fields * bytes; ++n) {
    ASSERT_EQ(buffer.get()[n], static_cast<std::byte>(n / bytes)) << n;
  }
}

TEST(Launch, takes_fields_that_are_not_aligned) {
  emulated_device on;
  const device_memory field(on.allocate(256), {&on});
  const device_memory buffer(on.allocate(256), {&on});
  for (std::size_t n = 0; n < 256; ++n) {
    field.get()[n] = static_cast<std::byte>(n);
  }
  box_copy box{.block_bytes = 32};
  box.from.offset = 16;
  launch copy(on, {{.box = box, .goes = box_move::way::pack}});

  for (std::size_t shift = 0; shift < 9; ++shift) {
    const std::array<std::byte*, 1> fields{field.get() + shift};
    copy.run({.buffer = buffer.get(), .fields = fields, .alignment = common_alignment(fields)},
             nullptr);
    on.drain(nullptr);
    for (std::size_t n = 0; n < 32; ++n) {
      ASSERT_EQ(buffer.get()[n], static_cast<std::byte>(16 + shift + n)) << shift;
    }
  }
}

}  // namespace device_moves_test
}  // namespace weft::halo::detail
