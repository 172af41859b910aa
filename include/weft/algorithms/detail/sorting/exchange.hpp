// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partition by exchange between blocks from the left and blocks from the right.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <optional>

#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// Elements of one side, 64 of which at a time were looked at: those set in `wrong` belong on the
/// other side.
struct exchange_side {
  std::size_t base = 0;   // of the 64
  std::size_t next = 0;   // the first not looked at; on the right, the end of those
  std::size_t limit = 0;  // where this side's own elements end
  std::uint64_t wrong = 0;
};

/// What partitions know: iterators and the predicate.
template <class It, class Predicate>
struct exchange_work {
  It first;
  Predicate& predicate;

  [[nodiscard]] std::uint64_t mask(std::size_t i) const {
    const It here = advanced(first, i);
    return keep_mask<std::iter_value_t<It>>(mask_width, [this, &here](std::size_t j) {
      return static_cast<bool>(predicate(*advanced(here, j)));
    });
  }

  /// Whether something on the left is in the wrong place, after looking as far as needed.
  [[nodiscard]] bool look_left(exchange_side& left) const {
    while (left.wrong == 0 && left.limit - left.next >= mask_width) {
      left.wrong = ~mask(left.next);
      left.base = left.next;
      left.next += mask_width;
    }
    return left.wrong != 0;
  }
  [[nodiscard]] bool look_right(exchange_side& right) const {
    while (right.wrong == 0 && right.next - right.limit >= mask_width) {
      right.next -= mask_width;
      right.wrong = mask(right.next);
      right.base = right.next;
    }
    return right.wrong != 0;
  }
  /// Exchanges what is in the wrong place on both sides.
  void exchange(exchange_side& left, exchange_side& right) const {
    const It from_left = advanced(first, left.base);
    const It from_right = advanced(first, right.base);
    std::uint64_t on_left = left.wrong;
    std::uint64_t on_right = right.wrong;
    while (on_left != 0 && on_right != 0) {
      std::iter_swap(advanced(from_left, static_cast<std::size_t>(std::countr_zero(on_left))),
                     advanced(from_right, static_cast<std::size_t>(std::countr_zero(on_right))));
      on_left &= on_left - 1;
      on_right &= on_right - 1;
    }
    left.wrong = on_left;
    right.wrong = on_right;
  }

  /// Partitions [begin, end) and returns where the second part begins.
  [[nodiscard]] std::size_t partition(std::size_t begin, std::size_t end) const {
    exchange_side left{begin, begin, end, 0};
    exchange_side right{end, end, begin, 0};
    for (;;) {
      left.limit = right.wrong != 0 ? right.base : right.next;
      if (!look_left(left)) {
        break;
      }
      right.limit = left.next;
      if (!look_right(right)) {
        break;
      }
      exchange(left, right);
    }
    // Less than two times 64 are left; those of a side that waited are looked at again.
    const std::size_t rest = left.wrong != 0 ? left.base : left.next;
    const std::size_t rest_end = right.wrong != 0 ? right.base + mask_width : right.next;
    const It middle =
        std::partition(advanced(first, rest), advanced(first, rest_end), [this](auto&& x) -> bool {
          return static_cast<bool>(predicate(x));
        });
    return static_cast<std::size_t>(middle - first);
  }
};

/// Blocks of [first, n) that are claimed from both ends until they meet.
///
/// Threads: any.
class claims_from_both_ends {
 public:
  claims_from_both_ends(std::size_t first, std::size_t n, std::size_t block_size) noexcept
      : first_(first), n_(n), size_(block_size), num_blocks_((n - first) / block_size) {}

  /// The begin of a block on the left; none: too few elements are left.
  [[nodiscard]] std::optional<std::size_t> claim_left() noexcept {
    const std::optional<counts> before = claim(one_on_the_left);
    return before ? std::optional(first_ + before->left * size_) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::size_t> claim_right() noexcept {
    const std::optional<counts> before = claim(1);
    return before ? std::optional(n_ - (before->right + 1) * size_) : std::nullopt;
  }

  /// The end of the claimed blocks of either side. Only when no worker claims any more.
  [[nodiscard]] std::size_t left_end() const noexcept {
    return first_ + split(taken_.load(std::memory_order_relaxed)).left * size_;
  }
  [[nodiscard]] std::size_t right_begin() const noexcept {
    return n_ - split(taken_.load(std::memory_order_relaxed)).right * size_;
  }
  [[nodiscard]] std::size_t block_size() const noexcept { return size_; }
  [[nodiscard]] std::size_t num_blocks() const noexcept { return num_blocks_; }

 private:
  struct counts {
    std::size_t left = 0;
    std::size_t right = 0;
  };
  static constexpr unsigned half_bits = 32;
  static constexpr std::uint64_t one_on_the_left = std::uint64_t{1} << half_bits;

  [[nodiscard]] static counts split(std::uint64_t taken) noexcept {
    return {taken >> half_bits, taken & (one_on_the_left - 1)};
  }
  [[nodiscard]] std::optional<counts> claim(std::uint64_t one) noexcept {
    // relaxed: elements were there before the workers; what they leave is read after all ended
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    for (;;) {
      const counts before = split(taken);
      if (before.left + before.right >= num_blocks_) {
        return std::nullopt;
      }
      if (taken_.compare_exchange_weak(taken, taken + one, std::memory_order_relaxed)) {
        return before;
      }
    }
  }

  std::size_t first_;
  std::size_t n_;
  std::size_t size_;
  std::size_t num_blocks_;
  alignas(128) std::atomic<std::uint64_t> taken_{0};
};

/// The block that a share could not finish, since there was none to exchange with.
struct unfinished_block {
  enum class side : unsigned char { none, left, right };
  side where = side::none;
  std::size_t begin = 0;
};

/// Exchanges between blocks of both ends until there is none to claim.
template <class Work>
[[nodiscard]] unfinished_block exchange_blocks(const Work& work, claims_from_both_ends& claims) {
  const std::size_t size = claims.block_size();
  exchange_side left;
  exchange_side right;
  unfinished_block held_left;
  unfinished_block held_right;
  for (;;) {
    while (!work.look_left(left)) {
      const std::optional<std::size_t> begin = claims.claim_left();
      if (!begin) {
        return held_right;
      }
      left = {*begin, *begin, *begin + size, 0};
      held_left = {unfinished_block::side::left, *begin};
    }
    while (!work.look_right(right)) {
      const std::optional<std::size_t> begin = claims.claim_right();
      if (!begin) {
        return held_left;
      }
      right = {*begin + size, *begin + size, *begin, 0};
      held_right = {unfinished_block::side::right, *begin};
    }
    work.exchange(left, right);
  }
}

/// Brings unfinished blocks next to the middle, and returns where the middle then begins and ends.
template <class Work>
[[nodiscard]] tile gather_unfinished(const Work& work,
                                     const claims_from_both_ends& claims,
                                     unfinished_block* begin,
                                     unfinished_block* end) {
  using side = unfinished_block::side;
  const std::size_t size = claims.block_size();
  const auto swap_blocks = [&](std::size_t one, std::size_t other) {
    if (one != other) {
      std::swap_ranges(
          advanced(work.first, one), advanced(work.first, one + size), advanced(work.first, other));
    }
  };
  std::sort(begin, end, [](const unfinished_block& a, const unfinished_block& b) {
    return a.begin < b.begin;
  });
  std::size_t middle_end = claims.right_begin();
  for (const unfinished_block* i = begin; i != end; ++i) {
    if (i->where == side::right) {
      swap_blocks(i->begin, middle_end);
      middle_end += size;
    }
  }
  std::size_t middle = claims.left_end();
  for (const unfinished_block* i = end; i != begin;) {
    --i;
    if (i->where == side::left) {
      middle -= size;
      swap_blocks(i->begin, middle);
    }
  }
  return {.index = 0, .first = middle, .last = middle_end};
}

/// Partitions [first, n) by all that come and returns where the second part begins.
template <class How, class Work>
[[nodiscard]] std::size_t partition_by_all(const How& how,
                                           const Work& work,
                                           std::size_t first,
                                           std::size_t n,
                                           std::size_t bytes_per_element) {
  constexpr std::size_t block_bytes = std::size_t{16} << 10U;
  const std::size_t shares = num_shares(how);
  const std::size_t even = (n - first) / (8 * shares);
  const std::size_t in_cache = std::max<std::size_t>(mask_width, block_bytes / bytes_per_element);
  const std::size_t block = std::min(even, in_cache) / mask_width * mask_width;
  const std::unique_ptr<unfinished_block[]> unfinished(new (std::nothrow) unfinished_block[shares]);
  if (shares == 1 || block == 0 || unfinished == nullptr) {
    return work.partition(first, n);
  }
  claims_from_both_ends claims(first, n, block);
  region(
      how, shares, [&](std::size_t share) { unfinished[share] = exchange_blocks(work, claims); });
  const tile middle = gather_unfinished(work, claims, unfinished.get(), unfinished.get() + shares);
  return work.partition(middle.first, middle.last);
}

}  // namespace weft::algorithms::detail
