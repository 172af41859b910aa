// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotates elements that may be copied as bytes, on several workers and in place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/loops/displace.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/memory/reserved.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/swap_ranges.hpp"

namespace weft::algorithms::detail {

/// Sides up to this step aside into memory of their own while the other one moves.
inline constexpr std::size_t aside_bytes = std::size_t{256} << 10U;

/// The bytes of a row that a worker keeps while the other rows move up. With many rows it is a
/// page, or as much as fits the caches. With few rows in memory it is small enough that each row is
/// a stream of its own to the prefetcher.
inline constexpr std::size_t tile_bytes = 4096;
template <class T>
inline constexpr std::size_t tile_elements = std::max(tile_bytes / sizeof(T), std::size_t{1});
inline constexpr std::size_t narrow_tile_bytes = 512;
inline constexpr std::size_t few_rows = 8;

/// How many columns a worker moves at a time.
template <class T>
[[nodiscard]] inline std::size_t turned_at_once(std::size_t num_rows, std::size_t length) noexcept {
  const bool is_narrow = num_rows <= few_rows && should_stream(num_rows * length * sizeof(T));
  return is_narrow ? std::max(narrow_tile_bytes / sizeof(T), std::size_t{1}) : tile_elements<T>;
}

/// A range of which m elements shall change places with the other n - m.
template <class T>
struct rotation {
  T* first;
  std::size_t m;
  std::size_t n;

  [[nodiscard]] std::size_t shorter() const noexcept { return std::min(m, n - m); }
};

/// Ranges up to `cached_range_bytes` fit into a core's caches together with the temporary copy.
/// Sides up to `cached_side_bytes` fit into the L1 cache beside it.
inline constexpr std::size_t cached_range_bytes = std::size_t{512} << 10U;
inline constexpr std::size_t cached_side_bytes = std::size_t{16} << 10U;

/// Elements that registers may hold: numbers and pointers, a whole number of them per cache line.
template <class T>
concept held_by_registers = std::is_scalar_v<T> && cache_line_bytes % sizeof(T) == 0;

/// How many columns of rows in the caches are moved at a time: as many as registers hold.
template <class T>
inline constexpr std::size_t column_block = 4 * cache_line_bytes / sizeof(T);

/// A range as rows as long as its shorter side, which is the first row. Row i + 1 becomes row i.
/// The first row becomes the last, moved by `shift` places: at most a block to the right, or any
/// number to the left.
template <class T>
struct turning_rows {
  static constexpr std::size_t block = column_block<T>;
  static constexpr auto lines = std::make_index_sequence<block * sizeof(T) / cache_line_bytes>{};
  using kept_columns = std::array<T, block>;

  T* first_row;
  std::ptrdiff_t next_row;
  std::size_t num_rows;
  std::ptrdiff_t shift;

  /// Moves the others up in a block of columns, and keeps what the first row held.
  [[gnu::always_inline]] void lift(std::size_t column, kept_columns& kept) const {
    T* row = first_row + column;
    copy_lines(kept.data(), row, lines);
    for (std::size_t i = 1; i < num_rows; ++i, row += next_row) {
      copy_lines(row, row + next_row, lines);
    }
  }
  [[gnu::always_inline]] void drop(std::size_t column, const kept_columns& kept) const {
    copy_lines(place_of(column), kept.data(), lines);
  }
  /// The same for less than a block.
  void lift_some(std::size_t column, std::size_t count, T* kept) const {
    for (std::size_t k = 0; k < count; ++k) {
      T* row = first_row + column + k;
      kept[k] = *row;
      for (std::size_t i = 1; i < num_rows; ++i, row += next_row) {
        *row = row[next_row];
      }
    }
  }
  [[nodiscard]] T* place_of(std::size_t column) const {
    return first_row + static_cast<std::ptrdiff_t>(num_rows - 1) * next_row + shift + column;
  }

  /// Moves all `length` columns, which are a block or more. The kept elements of a block are
  /// written only after the next block is lifted, because they may overwrite part of it.
  void turn(std::size_t length) const {
    const turning_rows rows = *this;  // no store can change it
    const std::size_t num_over = length % block;
    const std::size_t whole = length - num_over;
    run_vectorized([=]() __attribute__((always_inline)) {
      kept_columns one;    // NOLINT: filled before it is read
      kept_columns other;  // NOLINT: filled before it is read
      kept_columns over;   // NOLINT: filled before it is read
      rows.lift(0, one);
      std::size_t i = block;
      for (; i + block < whole; i += 2 * block) {
        rows.lift(i, other);
        rows.drop(i - block, one);
        rows.lift(i + block, one);
        rows.drop(i, other);
      }
      if (i < whole) {
        rows.lift(i, other);
        rows.drop(i - block, one);
        rows.lift_some(whole, num_over, over.data());
        rows.drop(i, other);
      } else {
        rows.lift_some(whole, num_over, over.data());
        rows.drop(i - block, one);
      }
      copy_elements(rows.place_of(whole), over.data(), num_over, false);
    });
  }
};

/// Divides the range into rows as long as its shorter side and moves all rows by one. If few
/// elements are left over, they are copied aside. Returns the rest to rotate, which is less than
/// two rows.
template <class T>
[[nodiscard]] rotation<T> turn_once(const rotation<T>& all) {
  constexpr std::size_t room = tile_elements<T>;
  std::array<T, room> aside;  // NOLINT: filled before it is read
  const std::size_t length = all.shorter();
  const std::size_t num_rows = all.n / length;
  const std::size_t over = all.n % length;
  const bool is_left_shorter = length == all.m;
  const std::size_t steps_aside = over <= (is_left_shorter ? column_block<T> : room) ? over : 0;
  const auto step = static_cast<std::ptrdiff_t>(length);
  const auto shift = static_cast<std::ptrdiff_t>(steps_aside);
  const std::size_t moved = (num_rows - 1) * length;
  T* const before = is_left_shorter ? all.first + (all.n - over) : all.first;
  T* const after = all.first + (is_left_shorter ? moved : length);
  copy_elements(aside.data(), before, steps_aside, false);
  if (is_left_shorter) {
    turning_rows<T>{all.first, step, num_rows, shift}.turn(length);
  } else {
    turning_rows<T>{all.first + (all.n - length), -step, num_rows, -shift}.turn(length);
  }
  copy_elements(after, aside.data(), steps_aside, false);
  if (steps_aside == over) {
    return {all.first, 0, 0};
  }
  return is_left_shorter ? rotation<T>{all.first + moved, length, all.n - moved}
                         : rotation<T>{all.first, all.m - moved, all.n - moved};
}

/// Rotates by rows while there are few of them, or long ones, and returns what is left.
template <class T>
[[nodiscard]] rotation<T> turn_long_sides(rotation<T> rest) {
  while (rest.shorter() >= column_block<T> &&
         (rest.n / rest.shorter() <= few_rows || rest.shorter() > cached_side_bytes / sizeof(T))) {
    rest = turn_once(rest);
  }
  return rest;
}

/// Rotates what lies in the first caches: short sides by swaps, which are no slower there than
/// copies.
template <class T>
void rotate_few(T* first, std::size_t m, std::size_t n) {
  rotation<T> rest{first, m, n};
  if constexpr (held_by_registers<T>) {
    rest = turn_long_sides(rest);
  }
  if (rest.shorter() != 0) {
    std::rotate(rest.first, rest.first + rest.m, rest.first + rest.n);
  }
}

/// Rotates with room for the shorter side.
template <class How, class T>
void rotate_around(const How& how, const rotation<T>& all, T* aside) {
  static constinit cost_record costs;
  const std::size_t r = all.n - all.m;
  if (all.m <= r) {
    copy_bytes(how, aside, all.first, all.m, costs);
    displace<toward::front>(how, all.first, all.n, all.m);
    copy_bytes(how, all.first + r, aside, all.m, costs);
  } else {
    copy_bytes(how, aside, all.first + all.m, r, costs);
    displace<toward::back>(how, all.first, all.n, r);
    copy_bytes(how, all.first, aside, r, costs);
  }
}

/// Moves `count` columns of some rows one row on, and what the first row held to the last.
template <class T>
void turn_rows(T* first_row, std::ptrdiff_t next_row, std::size_t num_rows, std::size_t count) {
  constexpr std::size_t room = tile_elements<T>;
  alignas(T) std::array<std::byte, room * sizeof(T)> kept;  // NOLINT: filled before it is read
  if constexpr (std::is_scalar_v<T>) {
    if (num_rows == 2) {
      swap_block(first_row, first_row + next_row, count);
      return;
    }
  }
  const std::size_t width =
      turned_at_once<T>(num_rows, static_cast<std::size_t>(next_row < 0 ? -next_row : next_row));
  while (count != 0) {
    const std::size_t n = std::min(width, count);
    T* row = first_row;
    std::memcpy(kept.data(), static_cast<const void*>(row), n * sizeof(T));
    for (std::size_t i = 1; i < num_rows; ++i, row += next_row) {
      std::memcpy(static_cast<void*>(row), static_cast<const void*>(row + next_row), n * sizeof(T));
    }
    std::memcpy(static_cast<void*>(row), kept.data(), n * sizeof(T));
    first_row += n;
    count -= n;
  }
}

/// A range cut into rows as long as its shorter, left side, and a few elements over.
template <class T>
struct row_grid {
  T* first;
  std::size_t length;  // of a row
  std::size_t num_rows;
  std::size_t over;  // at most as many as a tile has

  [[nodiscard]] T* end_of_rows() const noexcept { return first + num_rows * length; }
};

/// Moves columns [from, to) of all rows but the first one row back, and the first row to the last,
/// `over` columns to the right. On entry `carry` holds the `over` elements before column `from`; on
/// return, those before column `to`.
template <class T>
void turn_columns(const row_grid<T>& rows, std::size_t from, std::size_t to, T* carry) {
  constexpr std::size_t room = tile_elements<T>;
  const std::size_t width = turned_at_once<T>(rows.num_rows, rows.length);
  alignas(T) std::array<std::byte, 2 * room * sizeof(T)> stage;  // NOLINT: filled before it is read
  T* const kept = reinterpret_cast<T*>(stage.data());
  copy_elements(kept, carry, rows.over, false);
  while (from != to) {
    const std::size_t n = std::min(width, to - from);
    T* row = rows.first + from;
    copy_elements(kept + rows.over, row, n, false);
    for (std::size_t i = 1; i < rows.num_rows; ++i, row += rows.length) {
      copy_elements(row, row + rows.length, n, false);
    }
    copy_elements(row, kept, n, false);
    std::memmove(static_cast<void*>(kept), kept + n, rows.over * sizeof(T));
    from += n;
  }
  copy_elements(carry, kept, rows.over, false);
}

/// Rotates the range by rows in a single pass.
///
/// Columns are cut into pieces; each begins with what the one before carries, saved beforehand.
template <class How, class T>
void rotate_grid(const How& how, const row_grid<T>& rows) {
  static constinit cost_record costs;
  constexpr std::size_t pieces_per_share = 8;
  constexpr std::size_t least_piece_bytes = std::size_t{64} << 10U;
  const std::size_t least_columns =
      std::max(rows.over, least_piece_bytes / (sizeof(T) * rows.num_rows) + 1);
  std::size_t num_pieces = std::max<std::size_t>(
      1, std::min(num_shares(how) * pieces_per_share, rows.length / least_columns));
  alignas(T) std::array<std::byte, tile_elements<T> * sizeof(T)> alone;  // NOLINT: filled below
  T* carries = reinterpret_cast<T*>(alone.data());
  std::vector<T> several = reserved<T>(num_pieces == 1 ? 0 : num_pieces * rows.over);
  if (several.capacity() != 0) {
    several.assign(rows.end_of_rows(), rows.end_of_rows() + rows.over);
    for (std::size_t piece = 1; piece < num_pieces; ++piece) {
      const T* const begin = rows.first + rows.length * piece / num_pieces;
      several.insert(several.end(), begin - rows.over, begin);
    }
    carries = several.data();
  } else {
    num_pieces = 1;
    copy_elements(carries, rows.end_of_rows(), rows.over, false);
  }
  const loop_shape shape{num_pieces, 2 * sizeof(T) * rows.num_rows * rows.length / num_pieces};
  for_chunks(how, shape, costs, [&](std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
      turn_columns(rows,
                   rows.length * from / num_pieces,
                   rows.length * (from + 1) / num_pieces,
                   carries + from * rows.over);
    }
  });
  copy_elements(rows.end_of_rows(), carries + (num_pieces - 1) * rows.over, rows.over, false);
}

/// Divides the range into rows as long as its shorter side and moves all rows by one. Returns the
/// rest to rotate, which is less than two rows.
template <class How, class T>
[[nodiscard]] rotation<T> rotate_rows(const How& how, const rotation<T>& all) {
  static constinit cost_record costs;
  const std::size_t length = all.shorter();
  const std::size_t num_rows = all.n / length;
  const bool is_left_shorter = length == all.m;
  const std::size_t over = all.n % length;
  if (is_left_shorter && over != 0 && over <= tile_elements<T>) {
    rotate_grid(how, row_grid<T>{all.first, length, num_rows, over});
    return {all.first, 0, 0};
  }
  T* const last_row = all.first + (all.n - length);
  T* const first_row = is_left_shorter ? all.first : last_row;
  const auto step = static_cast<std::ptrdiff_t>(length);
  const std::ptrdiff_t next_row = is_left_shorter ? step : -step;
  const loop_shape shape{length, 2 * sizeof(T) * num_rows, elements_per_line<T>};
  for_chunks(how, shape, costs, [=](std::size_t from, std::size_t to) {
    turn_rows(first_row + from, next_row, num_rows, to - from);
  });
  const std::size_t moved = (num_rows - 1) * length;
  if (is_left_shorter) {
    return {all.first + moved, length, all.n - moved};
  }
  return {all.first, all.m - moved, all.n - moved};
}

/// Rotates in about one pass: by rows while the shorter side is long, then with it stepping aside.
///
/// Errors: none; without memory for the side, rows do it.
template <class How, class T>
void rotate_bytes(const How& how, T* first, std::size_t m, std::size_t n) {
  rotation<T> rest{first, m, n};
  if constexpr (held_by_registers<T>) {
    if (n <= cached_range_bytes / sizeof(T)) {
      rest = turn_long_sides(rest);
    }
  }
  const std::size_t limit = std::max(aside_bytes / sizeof(T), std::size_t{1});
  while (rest.shorter() > limit) {
    rest = rotate_rows(how, rest);
  }
  if (rest.shorter() == 0) {
    return;
  }
  constexpr std::size_t room = tile_elements<T>;
  if (rest.shorter() <= room) {
    alignas(T) std::array<std::byte, room * sizeof(T)> aside;  // NOLINT: filled before it is read
    rotate_around(how, rest, reinterpret_cast<T*>(aside.data()));
    return;
  }
  const std::unique_ptr<std::byte[]> aside(  // NOLINT: raw memory
      new (std::nothrow) std::byte[rest.shorter() * sizeof(T)]);
  if (aside != nullptr && alignof(T) <= alignof(std::max_align_t)) {
    rotate_around(how, rest, reinterpret_cast<T*>(aside.get()));
    return;
  }
  while (rest.shorter() != 0) {
    rest = rotate_rows(how, rest);
  }
}

}  // namespace weft::algorithms::detail
