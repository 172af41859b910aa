// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable partition: those accepted move down in place, the others wait elsewhere to follow them.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/kernels/compress.hpp"
#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/scanning/compaction.hpp"
#include "weft/algorithms/detail/scanning/compaction_works.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// The bits of the first `n`.
[[nodiscard]] constexpr std::uint64_t low_bits(std::size_t n) noexcept {
  return n == mask_width ? full_mask : (std::uint64_t{1} << n) - 1;
}

/// Moves down what the predicate accepts, and the rest to `others`, raw memory.
template <class It, class Predicate>
struct split_in_two : move_down_base<It> {
  using value = std::iter_value_t<It>;
  static constexpr bool must_be_ended = !std::is_trivially_destructible_v<value>;

  split_in_two(It begin, Predicate& given, value* room)
      : move_down_base<It>{begin}, predicate(given), others(room) {}

  Predicate& predicate;
  value* others;
  std::atomic<std::size_t> num_others{0};  // that have been made; only if they must be ended

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t /*tile*/) const {
    const It here = advanced(this->first, i);
    return keep_mask<std::iter_value_t<It>>(n, [this, &here](std::size_t j) {
      return static_cast<bool>(predicate(*advanced(here, j)));
    });
  }
  void place(std::size_t i, std::size_t n, std::uint64_t mask, std::size_t kept) noexcept {
    move_aside(advanced(this->first, i), ~mask & low_bits(n), others + (i - kept));
    move_masked(advanced(this->first, i), mask, advanced(this->first, kept));
    made(n - static_cast<std::size_t>(std::popcount(mask)));
  }
  std::size_t place_words(std::size_t i, const mask_words& which, std::size_t kept) noexcept {
    const It from = advanced(this->first, i);
    value* const rest = others + (i - kept);
    const auto num_rest = static_cast<std::size_t>(
        move_words_aside(from, {which.masks, which.num_masks, full_mask}, rest) - rest);
    move_words(from, which, advanced(this->first, kept));
    made(num_rest);
    return which.num_masks * mask_width - num_rest;
  }
  /// First those accepted, then the others.
  void set_aside(const tile& t, const tile_masks& masks, value* room) const noexcept {
    const std::size_t num_full = (t.last - t.first) / mask_width;
    const std::size_t i = t.first + num_full * mask_width;
    const It from = advanced(this->first, t.first);
    room = move_words_aside(from, {masks.data(), num_full, 0}, room);
    if (i != t.last) {
      room = move_aside(advanced(this->first, i), masks[num_full], room);
    }
    room = move_words_aside(from, {masks.data(), num_full, full_mask}, room);
    if (i != t.last) {
      move_aside(advanced(this->first, i), ~masks[num_full] & low_bits(t.last - i), room);
    }
  }
  void put_back(const tile& t, std::size_t n, value* room, std::size_t before) noexcept {
    const std::size_t rest = t.last - t.first - n;
    std::uninitialized_move_n(room + n, rest, others + (t.first - before));
    std::destroy_n(room + n, rest);
    made(rest);
    detail::put_back(room, n, advanced(this->first, before));
  }
  [[nodiscard]] static bool prepare_tiles(compaction_state /*at*/,
                                          std::size_t /*tile_size*/,
                                          std::size_t /*n*/) noexcept {
    return true;
  }
  void restore(const tile& t, std::size_t /*n*/, value* room) const noexcept {
    if constexpr (!std::is_trivially_copyable_v<value>) {  // those are still in their place
      detail::put_back(room, t.last - t.first, advanced(this->first, t.first));
    }
  }

 private:
  void made(std::size_t n) noexcept {
    if constexpr (must_be_ended) {
      num_others.fetch_add(n, std::memory_order_relaxed);
    }
  }
};

/// Stable partition of `n` elements with room for as many; returns how many are accepted.
template <class How, class It, class Predicate>
[[nodiscard]] std::size_t split_stably(
    const How& how, It first, std::size_t n, std::iter_value_t<It>* room, Predicate& predicate) {
  using value = std::iter_value_t<It>;
  static constinit cost_record costs;
  static constinit cost_record costs_back;
  split_in_two<It, Predicate> work(first, predicate, room);
  std::size_t kept = 0;
  try {
    kept = compact<tiles_to_move>(how, n, sizeof(value), {}, costs, work);
  } catch (...) {
    std::destroy_n(room, work.num_others.load(std::memory_order_relaxed));
    throw;
  }
  const It rest = advanced(first, kept);
  for_chunks(how,
             {.n = n - kept, .bytes_per_element = 2 * sizeof(value)},
             costs_back,
             [&rest, room](std::size_t begin, std::size_t end) {
               detail::put_back(room + begin, end - begin, advanced(rest, begin));
             });
  return kept;
}

/// Stable partition without memory: halves, and a rotation of what is between them.
template <class It, class Predicate>
[[nodiscard]] It split_in_place(It first, std::size_t n, Predicate& predicate) {
  if (n <= 1) {
    return n == 1 && static_cast<bool>(predicate(*first)) ? std::next(first) : first;
  }
  const It middle = std::next(first, static_cast<std::iter_difference_t<It>>(n / 2));
  const It last = std::next(middle, static_cast<std::iter_difference_t<It>>(n - n / 2));
  const It left = split_in_place(first, n / 2, predicate);
  const It right = split_in_place(middle, n - n / 2, predicate);
  static_cast<void>(last);
  return std::rotate(left, middle, right);
}

/// Objects in raw memory that end with it.
template <class T>
class growing_room {
 public:
  explicit growing_room(std::size_t size) noexcept : room_(size) {}
  growing_room(const growing_room&) = delete;
  growing_room& operator=(const growing_room&) = delete;
  ~growing_room() { std::destroy_n(room_.data(), size_); }

  [[nodiscard]] bool is_ready() const noexcept { return room_.data() != nullptr; }
  void push(T&& x) {
    std::construct_at(room_.data() + size_, std::move(x));
    ++size_;
  }
  [[nodiscard]] T* begin() const noexcept { return room_.data(); }
  [[nodiscard]] T* end() const noexcept { return room_.data() + size_; }

 private:
  scratch<T> room_;
  std::size_t size_ = 0;
};

/// Stable partition of any elements by the caller alone.
template <class It, class Predicate>
[[nodiscard]] It split_alone(It first, It last, Predicate& predicate) {
  for (; first != last && static_cast<bool>(predicate(*first)); ++first) {
  }
  if (first == last) {
    return first;
  }
  const auto n = static_cast<std::size_t>(std::distance(first, last));
  growing_room<std::iter_value_t<It>> others(n);
  if (!others.is_ready()) {
    return split_in_place(first, n, predicate);
  }
  It out = first;
  others.push(std::ranges::iter_move(first));
  for (++first; first != last; ++first) {
    if (static_cast<bool>(predicate(*first))) {
      *out = std::ranges::iter_move(first);
      ++out;
    } else {
      others.push(std::ranges::iter_move(first));
    }
  }
  std::move(others.begin(), others.end(), out);
  return out;
}

}  // namespace weft::algorithms::detail
