// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting in place by several workers: all split the range, then each takes parts of it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <sched.h>

#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/detail/sorting/leaf_sort.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::algorithms::detail {

/// Part of a range that is still to be sorted.
struct unsorted_part {
  std::size_t first = 0;
  std::size_t size = 0;
  unsigned levels_left = 0;  // of splits, before a plain sort takes it

  friend bool operator<(const unsorted_part& a, const unsorted_part& b) { return a.size < b.size; }
};

/// The index of an element with about as many before as behind it.
template <class It, class Compare>
[[nodiscard]] std::size_t sample_median(It first, std::size_t n, Compare& comp) {
  constexpr std::size_t sample_size = 255;
  std::array<std::size_t, sample_size> sample;
  std::size_t mixed = n;
  for (std::size_t i = 0; i < sample_size; ++i) {
    mixed = mixed * 6364136223846793005U + 1442695040888963407U;
    const std::size_t begin = part_begin(n, sample_size, i);
    const std::size_t width = std::max<std::size_t>(part_begin(n, sample_size, i + 1) - begin, 1);
    sample[i] = begin + (mixed >> 33U) % width;
  }
  const auto middle = sample.begin() + sample_size / 2;
  std::nth_element(sample.begin(), middle, sample.end(), [&](std::size_t a, std::size_t b) {
    return comp(*advanced(first, a), *advanced(first, b));
  });
  return *middle;
}

/// Where the two parts that a split leaves to be sorted end and begin.
struct split_result {
  std::size_t left_size;
  std::size_t right_first;
};

/// Splits by element `pivot`, after which [left_size, right_first) is in its place.
template <class It, class Compare, class Together>
split_result split_at_element(
    It first, std::size_t n, std::size_t pivot, Compare& comp, Together&& together) {
  if constexpr (is_cheap_value<std::iter_value_t<It>>) {
    const std::iter_value_t<It> by = *advanced(first, pivot);
    const auto part_of = [&](It part, std::size_t size, split_kind kind) {
      return together(part, size, [&comp, &by, kind](It it, std::size_t count) {
        return split_one(it, count, comp, by, kind);
      });
    };
    const std::size_t num_before = part_of(first, n, split_kind::before);
    if (num_before >= n / 8) {
      return {num_before, num_before};
    }
    return {
        num_before,
        num_before + part_of(advanced(first, num_before), n - num_before, split_kind::not_after)};
  } else {
    std::ranges::iter_swap(first, advanced(first, pivot));  // the pivot waits in front
    const auto& by = *first;
    const auto part_of = [&](std::size_t begin, split_kind kind) {
      return together(
          advanced(first, begin), n - begin, [&comp, &by, kind](const It& it, std::size_t count) {
            return split_one(it, count, comp, by, kind);
          });
    };
    const std::size_t num_before = part_of(1, split_kind::before);
    std::size_t num_done = num_before + 1;
    if (num_before < n / 8) {
      num_done += part_of(num_done, split_kind::not_after);
    }
    std::ranges::iter_swap(first, advanced(first, num_before));
    return {num_before, num_done};
  }
}

/// Sorts together what is too much for one.
template <class How, class It, class Compare>
class shared_sort {
 public:
  shared_sort(const How& how, const It& first, std::size_t n, Compare& comp)
      : how_(how),
        first_(first),
        comp_(comp),
        num_shares_(num_shares(how)),
        leaf_size_(std::max(n / (num_shares_ * parts_per_share), smallest_leaf)),
        parts_(most_parts(num_shares_)),
        num_unsorted_(n) {}

  void run() {
    if (!parts_ || num_shares_ == 1) {
      leaf_sort(first_, num_unsorted_.load(std::memory_order_relaxed), comp_);
      return;
    }
    const std::size_t n = num_unsorted_.load(std::memory_order_relaxed);
    add({0, n, 2 * static_cast<unsigned>(std::bit_width(n))});
    // As long as there are fewer parts than workers, all work on the largest.
    while (num_parts_ != 0 && num_parts_ < num_shares_ && parts_.data()->size > leaf_size_) {
      split(take(), [this](const It& part, std::size_t size, auto&& by) {
        return split_together(how_, part, size, by);
      });
    }
    region(how_, num_shares_, [this](std::size_t /*share*/) { work(); });
  }

 private:
  static constexpr std::size_t parts_per_share = 8;
  static constexpr std::size_t smallest_leaf = 1U << 12U;
  static constexpr std::size_t most_parts(std::size_t shares) {
    return 16 * parts_per_share * shares;
  }

  void work() {
    try {
      while (num_unsorted_.load(std::memory_order_relaxed) != 0 &&
             !is_stopped_.load(std::memory_order_relaxed)) {
        unsorted_part mine;
        {
          const std::lock_guard guard(lock_);
          if (num_parts_ != 0) {
            mine = take();
          }
        }
        if (mine.size != 0) {
          sort_part(mine);
        } else {
          sched_yield();
        }
      }
    } catch (...) {
      is_stopped_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

  void sort_part(const unsorted_part& part) {
    if (part.size <= leaf_size_ || part.levels_left == 0 || !split_alone(part)) {
      leaf_sort(advanced(first_, part.first), part.size, comp_);
      done(part.size);
    }
  }

  /// False: there is no room for two more parts.
  bool split_alone(const unsorted_part& part) {
    {
      const std::lock_guard guard(lock_);
      if (num_parts_ + num_shares_ * 2 > parts_.size()) {
        return false;
      }
    }
    split(part, [](const It& it, std::size_t size, auto&& by) { return by(it, size); });
    return true;
  }

  template <class Together>
  void split(const unsorted_part& part, Together&& together) {
    It const begin = advanced(first_, part.first);
    const std::size_t pivot = sample_median(begin, part.size, comp_);
    const split_result at = split_at_element(begin, part.size, pivot, comp_, together);
    const std::lock_guard guard(lock_);
    add({part.first, at.left_size, part.levels_left - 1});
    add({part.first + at.right_first, part.size - at.right_first, part.levels_left - 1});
    done(at.right_first - at.left_size);
  }

  void add(const unsorted_part& part) {
    if (part.size != 0) {
      std::construct_at(parts_.data() + num_parts_++, part);
      std::push_heap(parts_.data(), parts_.data() + num_parts_);
    }
  }

  unsorted_part take() {
    std::pop_heap(parts_.data(), parts_.data() + num_parts_);
    return parts_.data()[--num_parts_];
  }

  // Relaxed: parts are passed on under the lock, and the region's end orders the rest.
  void done(std::size_t n) { num_unsorted_.fetch_sub(n, std::memory_order_relaxed); }

  const How& how_;
  It first_;
  Compare& comp_;
  std::size_t num_shares_;
  std::size_t leaf_size_;
  scratch<unsorted_part> parts_;  // a heap, the largest in front
  std::size_t num_parts_ = 0;
  tasks::spin_lock lock_;
  std::atomic<std::size_t> num_unsorted_;
  std::atomic<bool> is_stopped_{false};  // relaxed: seen sooner or later
};

}  // namespace weft::algorithms::detail
