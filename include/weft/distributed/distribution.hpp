// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank owns each element of a distributed vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "weft/base/error.hpp"

namespace weft::distributed {

/// How the elements of a vector are spread over the ranks: `block` or `cyclic`.
struct distribution {
  std::size_t block_size = 0;  // 0: as few blocks as ranks
};

/// One contiguous block per rank, of ceil(size / ranks) elements; the last ranks may have fewer.
inline constexpr distribution block{};

/// Blocks of `block_size` elements, which the ranks get in turn.
/// Errors:  `weft::error` for blocks without elements.
[[nodiscard]] constexpr distribution cyclic(std::size_t block_size = 1) {
  if (block_size == 0) {
    throw error(errc::bad_parameter,
                "cyclic(0): a block has at least one element, as in cyclic(1)");
  }
  return {.block_size = block_size};
}

/// The owner and the local index of each element of a vector. The layout is block-cyclic: a block
/// distribution has one block for each rank.
/// Cost:    a few divisions for each function.
/// Example: tests/distributed/vector_test.cpp: layouts_place_each_element_once.
class element_layout {
 public:
  constexpr element_layout(std::size_t size, int num_ranks, distribution spread) noexcept
      : size_(size),
        num_ranks_(static_cast<std::size_t>(num_ranks)),
        block_size_(spread.block_size != 0
                        ? spread.block_size
                        : std::max(size / num_ranks_ + (size % num_ranks_ != 0 ? 1U : 0U),
                                   std::size_t{1})) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr int num_ranks() const noexcept { return static_cast<int>(num_ranks_); }
  [[nodiscard]] constexpr std::size_t block_size() const noexcept { return block_size_; }
  /// True if each rank has one contiguous range, in the order of the ranks.
  [[nodiscard]] constexpr bool is_contiguous() const noexcept {
    return size_ == 0 || (size_ - 1) / block_size_ < num_ranks_;
  }

  [[nodiscard]] constexpr int owner_of(std::size_t i) const noexcept {
    return static_cast<int>(i / block_size_ % num_ranks_);
  }
  /// The index of element `i` among those of its owner.
  [[nodiscard]] constexpr std::size_t local_index(std::size_t i) const noexcept {
    return i / block_size_ / num_ranks_ * block_size_ + i % block_size_;
  }
  /// The index in the whole vector of the i-th element of `rank`.
  [[nodiscard]] constexpr std::size_t global_index(int rank, std::size_t i) const noexcept {
    return (i / block_size_ * num_ranks_ + static_cast<std::size_t>(rank)) * block_size_ +
           i % block_size_;
  }
  /// The number of elements of `rank` whose index is less than `i`.
  [[nodiscard]] constexpr std::size_t num_before(int rank, std::size_t i) const noexcept {
    const std::size_t num_blocks = i / block_size_;
    const std::size_t last_owner = num_blocks % num_ranks_;
    const auto owner = static_cast<std::size_t>(rank);
    const std::size_t whole = num_blocks / num_ranks_ + (last_owner > owner ? 1 : 0);
    return whole * block_size_ + (last_owner == owner ? i % block_size_ : 0);
  }
  [[nodiscard]] constexpr std::size_t local_size(int rank) const noexcept {
    return num_before(rank, size_);
  }
  /// The number of elements from `i` to the end of its block.
  [[nodiscard]] constexpr std::size_t left_in_block(std::size_t i) const noexcept {
    return block_size_ - i % block_size_;
  }

  friend constexpr bool operator==(const element_layout&, const element_layout&) = default;

 private:
  std::size_t size_;
  std::size_t num_ranks_;
  std::size_t block_size_;
};

namespace detail {

/// Errors: `weft::error` unless the sizes and the distributions of two vectors are the same.
void require_same_layout(std::string_view function,
                         const element_layout& first,
                         const element_layout& second);
/// Errors: `weft::error` unless the sizes are the same.
void require_same_size(std::string_view function,
                       const element_layout& first,
                       const element_layout& second);

/// Calls `f(i, n, owner)` for runs of `rank`'s elements in `mine`: n elements from its i-th one on.
/// A run is contiguous in `other`, too, where it belongs to rank `owner`.
template <class F>
constexpr void for_each_run(const element_layout& mine,
                            int rank,
                            const element_layout& other,
                            F f) {
  const std::size_t size = mine.local_size(rank);
  for (std::size_t at = 0; at < size;) {
    const std::size_t i = mine.global_index(rank, at);
    const std::size_t n = std::min({size - at, mine.left_in_block(i), other.left_in_block(i)});
    f(at, n, other.owner_of(i));
    at += n;
  }
}

}  // namespace detail
}  // namespace weft::distributed
