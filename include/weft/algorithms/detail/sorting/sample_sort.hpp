// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of values that are expensive to move or to compare. One pass moves each value to one of
// many buckets. Each value is moved out and back once. It is read from memory once, where quicksort
// reads it once per level.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft::algorithms::detail {

/// Elements that get to a buffer and back whatever happens.
template <class It>
inline constexpr bool is_sample_sortable =
    std::is_lvalue_reference_v<std::iter_reference_t<It>> &&
    !is_cheap_value<std::iter_value_t<It>> &&
    std::is_nothrow_move_constructible_v<std::iter_value_t<It>> &&
    std::is_nothrow_move_assignable_v<std::iter_value_t<It>>;

/// Elements of the range that divide it into buckets, as a search tree: node i has the children
/// 2 i and 2 i + 1. They stay where they are, unless copies are kept.
template <class It, class Compare>
class bucket_tree {
 public:
  static constexpr std::size_t most_leaves = 256;
  using value = std::iter_value_t<It>;

  static constexpr std::size_t samples_per_leaf = 8;

  /// About `num_leaves` buckets, a power of two, or fewer if equal elements are many; of a range
  /// with `samples_per_leaf` elements for each at least.
  bucket_tree(const It& first, std::size_t n, std::size_t num_leaves, Compare& comp) : comp_(comp) {
    std::array<value*, samples_per_leaf * most_leaves> sample;  // NOLINT: filled here
    const std::size_t size = samples_per_leaf * num_leaves;
    std::size_t mixed = n;
    for (std::size_t i = 0; i < size; ++i) {
      mixed = mixed * 6364136223846793005U + 1442695040888963407U;
      const std::size_t begin = part_begin(n, size, i);
      const std::size_t width = part_begin(n, size, i + 1) - begin;
      sample[i] = std::addressof(*advanced(first, begin + (mixed >> 33U) % width));
    }
    std::sort(sample.begin(),
              sample.begin() + static_cast<std::ptrdiff_t>(size),
              [&comp](value* a, value* b) { return static_cast<bool>(comp(*a, *b)); });
    std::size_t num_different = 0;
    for (std::size_t i = 1; i < num_leaves; ++i) {
      value* const next = sample[i * samples_per_leaf];
      if (num_different == 0 || static_cast<bool>(comp(*sorted_[num_different], *next))) {
        sorted_[++num_different] = next;
      } else {
        has_equal_ = true;
      }
    }
    // Fewer levels where fewer elements divide the range. The last one fills up the tree.
    const std::size_t num_used = std::bit_ceil(num_different + 1);
    std::fill(sorted_.begin() + static_cast<std::ptrdiff_t>(num_different) + 1,
              sorted_.begin() + static_cast<std::ptrdiff_t>(num_used),
              sorted_[num_different]);
    levels_ = static_cast<unsigned>(std::bit_width(num_used) - 1);
    plant(1, 1, num_used);
  }

  /// Copies those that divide the range, so that it may change: to `room`, with capacity for a leaf
  /// each.
  void keep_copies(std::vector<value>& room) {
    const std::size_t num_leaves = std::size_t{1} << levels_;
    for (std::size_t i = 1; i < num_leaves; ++i) {
      room.push_back(std::as_const(*sorted_[i]));
      sorted_[i] = std::addressof(room.back());
    }
    plant(1, 1, num_leaves);
  }

  /// Where equal ones are many, each bucket is followed by one of those equal to the first of the
  /// next bucket.
  [[nodiscard]] std::size_t num_buckets() const noexcept { return std::size_t{2} << levels_; }
  /// Whether all in it are equal.
  [[nodiscard]] static bool is_done(std::size_t bucket) noexcept { return bucket % 2 == 1; }

  [[nodiscard]] std::uint16_t bucket_of(value& x) const {
    std::size_t node = 1;
    for (unsigned level = 0; level < levels_; ++level) {
      node = 2 * node + static_cast<std::size_t>(!static_cast<bool>(comp_(x, *nodes_[node])));
    }
    const std::size_t leaf = node - (std::size_t{1} << levels_);
    // Not less than the one that begins its leaf; perhaps equal to it.
    if (has_equal_ && leaf != 0 && !static_cast<bool>(comp_(*sorted_[leaf], x))) {
      return static_cast<std::uint16_t>(2 * leaf - 1);
    }
    return static_cast<std::uint16_t>(2 * leaf);
  }

 private:
  /// Puts the middle of [first, last) of the sorted ones at `node`.
  void plant(std::size_t node, std::size_t first, std::size_t last) {
    if (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      nodes_[node] = sorted_[middle];
      plant(2 * node, first, middle);
      plant(2 * node + 1, middle + 1, last);
    }
  }

  Compare& comp_;
  unsigned levels_ = 1;
  bool has_equal_ = false;
  std::array<value*, most_leaves> nodes_{};
  std::array<value*, most_leaves> sorted_{};  // [i] begins leaf i
};

template <class How, class It, class Compare>
class sample_sort {
 public:
  using value = std::iter_value_t<It>;

  sample_sort(const How& how, const It& first, std::size_t n, Compare& comp)
      : how_(how),
        first_(first),
        n_(n),
        comp_(comp),
        tree_(first, n, leaves_for(n), comp),
        num_parts_(std::clamp<std::size_t>(n / smallest_part, 1, 4 * num_shares(how))),
        bucket_of_(n),
        room_(n),
        // One more row: where each bucket ends.
        ends_((num_parts_ + 1) * tree_.num_buckets()) {}

  /// False: memory was short, and nothing has happened.
  [[nodiscard]] bool run() {
    if (!bucket_of_ || !room_ || !ends_) {
      return false;
    }
    for_tasks(how_, num_parts_, [this](std::size_t part) { classify(part); });
    sum_up();
    for_tasks(how_, num_parts_, [this](std::size_t part) { distribute(part); });
    for_tasks(how_, num_parts_, [this](std::size_t part) { bring_back(part); });
    for_tasks(how_, tree_.num_buckets(), [this](std::size_t bucket) { sort_bucket(bucket); });
    return true;
  }

 private:
  static constexpr std::size_t smallest_part = 1U << 10U;
  static constexpr std::size_t elements_per_leaf = 512;

  [[nodiscard]] static std::size_t leaves_for(std::size_t n) noexcept {
    return std::bit_floor(
        std::clamp<std::size_t>(n / elements_per_leaf, 4, bucket_tree<It, Compare>::most_leaves));
  }
  [[nodiscard]] std::size_t* ends_of(std::size_t part) const noexcept {
    return ends_.data() + part * tree_.num_buckets();
  }
  [[nodiscard]] std::size_t begin_of(std::size_t part) const noexcept {
    return part_begin(n_, num_parts_, part);
  }

  void classify(std::size_t part) {
    std::size_t* const counts = ends_of(part);
    std::uninitialized_fill_n(counts, tree_.num_buckets(), std::size_t{0});
    const std::size_t last = begin_of(part + 1);
    for (std::size_t i = begin_of(part); i < last; ++i) {
      const std::uint16_t bucket = tree_.bucket_of(*advanced(first_, i));
      std::construct_at(bucket_of_.data() + i, bucket);
      ++counts[bucket];
    }
  }

  /// From counts to where each part's share of each bucket begins.
  void sum_up() {
    std::size_t sum = 0;
    std::size_t* const bucket_ends = ends_of(num_parts_);
    for (std::size_t bucket = 0; bucket < tree_.num_buckets(); ++bucket) {
      for (std::size_t part = 0; part < num_parts_; ++part) {
        sum += std::exchange(ends_of(part)[bucket], sum);
      }
      std::construct_at(bucket_ends + bucket, sum);
    }
  }

  void distribute(std::size_t part) noexcept {
    std::size_t* const next = ends_of(part);
    const std::size_t last = begin_of(part + 1);
    for (std::size_t i = begin_of(part); i < last; ++i) {
      std::construct_at(room_.data() + next[bucket_of_.data()[i]]++,
                        std::ranges::iter_move(advanced(first_, i)));
    }
  }

  void bring_back(std::size_t part) noexcept {
    value* const begin = room_.data() + begin_of(part);
    value* const end = room_.data() + begin_of(part + 1);
    std::move(begin, end, advanced(first_, begin_of(part)));
    std::destroy(begin, end);
  }

  void sort_bucket(std::size_t bucket) {
    const std::size_t* const ends = ends_of(num_parts_);
    const std::size_t begin = bucket == 0 ? 0 : ends[bucket - 1];
    const std::size_t size = ends[bucket] - begin;
    if (size < 2 || tree_.is_done(bucket)) {
      return;
    }
    It const first = advanced(first_, begin);
    // One bucket with more than half of all: another round would not bring much.
    if (size >= deep_from && size < n_ / 2 &&
        sample_sort<sequenced_policy, It, Compare>(seq, first, size, comp_).run()) {
      return;
    }
    std::sort(first, advanced(first, size), comp_);
  }

  static constexpr std::size_t deep_from = 1U << 14U;

  const How& how_;
  It first_;
  std::size_t n_;
  Compare& comp_;
  bucket_tree<It, Compare> tree_;
  std::size_t num_parts_;
  scratch<std::uint16_t> bucket_of_;
  scratch<value> room_;
  scratch<std::size_t> ends_;
};

}  // namespace weft::algorithms::detail
