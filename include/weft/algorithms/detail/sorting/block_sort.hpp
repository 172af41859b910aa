// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samplesort in place: elements go to one of many buckets through a small buffer for each. Full
// buffers are written back as blocks, and blocks are exchanged until every bucket has its own side
// by side.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/memory/reserved.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/block_exchange.hpp"
#include "weft/algorithms/detail/sorting/leaf_sort.hpp"
#include "weft/algorithms/detail/sorting/sample_sort.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft::algorithms::detail {

/// Elements that are copyable, whose moves never throw, and that are small enough for blocks of a
/// buffer's size.
template <class It>
inline constexpr bool is_block_sortable =
    std::is_lvalue_reference_v<std::iter_reference_t<It>> &&
    sizeof(std::iter_value_t<It>) <= largest_in_blocks &&
    std::copy_constructible<std::iter_value_t<It>> &&
    std::is_nothrow_move_constructible_v<std::iter_value_t<It>> &&
    std::is_nothrow_move_assignable_v<std::iter_value_t<It>>;

/// No element is lost whatever is thrown: only comparisons throw, and all are over before blocks
/// change places.
/// Shape:   parallel where `How` is; `least_elements` or more. A bucket of `deep_bytes` or more is
///          sorted the same way again, by one worker.
/// Cost:    about 2 KiB for each of at most 256 buckets and each worker, and a thousandth of the
///          range. Both are freed before the buckets are sorted; sorting a bucket may need as much.
/// Errors:  what a comparison throws, or a copy of one of the at most 128 elements that divide the
///          range.
/// Source:  Axtmann, Witt, Ferizovic, Sanders, "In-Place Parallel Super Scalar Samplesort
///          (IPSSSSo)", ESA 2017.
template <class How, class It, class Compare, std::size_t deep_bytes = (std::size_t{4} << 20U)>
class block_sort {
 public:
  static_assert(is_block_sortable<It>);
  using value = std::iter_value_t<It>;
  static constexpr std::size_t least_leaves = 4;
  static constexpr std::size_t least_elements =
      least_leaves * bucket_tree<It, Compare>::samples_per_leaf;

  block_sort(const How& how, const It& first, std::size_t n, Compare& comp)
      : how_(how),
        first_(first),
        n_(n),
        comp_(comp),
        tree_(first, n, leaves_for(n), comp),
        num_parts_(std::clamp<std::size_t>(
            n / (16 * leaves_for(n) * block), 1, std::min(num_shares(how), most_parts))),
        splitters_(reserved<value>(leaves_for(n))),
        buffers_(num_parts_ * tree_.num_buckets() * block),
        counts_(2 * num_parts_ * tree_.num_buckets()),
        parts_(num_parts_),
        begins_(tree_.num_buckets() + 1),
        blocks_(how, first, n, tree_.num_buckets()) {}

  /// False: memory was short, and nothing has happened.
  [[nodiscard]] bool run() {
    if (splitters_.capacity() == 0 || !buffers_ || !counts_ || !parts_ || !begins_ ||
        !blocks_.is_ready()) {
      return false;
    }
    tree_.keep_copies(splitters_);
    classify_all();
    sum_up();
    blocks_.exchange();
    fill_all();
    buffers_.reset();
    blocks_.release();
    for_tasks(how_, tree_.num_buckets(), [this](std::size_t bucket) { sort_bucket(bucket); });
    return true;
  }

 private:
  static constexpr std::size_t block = block_elements<value>;
  static constexpr std::size_t most_parts = 256;
  // 4 MiB by default: beyond a core's own caches.
  static constexpr std::size_t deep_from =
      std::max(deep_bytes / sizeof(value), least_elements* block);

  /// A part of the range while it is classified: blocks in [begin, written), nothing up to `read`.
  struct part_state {
    std::size_t written;
    std::size_t read;
  };

  [[nodiscard]] static std::size_t leaves_for(std::size_t n) noexcept {
    return std::bit_floor(std::clamp<std::size_t>(n / (32 * block), least_leaves, 128));
  }
  [[nodiscard]] std::size_t begin_of(std::size_t part) const noexcept {
    return part == num_parts_ ? n_ : part_begin(n_ / block, num_parts_, part) * block;
  }
  [[nodiscard]] value* buffer_of(std::size_t part, std::size_t bucket) const noexcept {
    return buffers_.data() + (part * tree_.num_buckets() + bucket) * block;
  }
  /// How many elements are in the part's buffers, and how many blocks were, by bucket.
  [[nodiscard]] std::size_t* fills_of(std::size_t part) const noexcept {
    return counts_.data() + 2 * part * tree_.num_buckets();
  }
  [[nodiscard]] std::size_t* full_of(std::size_t part) const noexcept {
    return fills_of(part) + tree_.num_buckets();
  }

  void classify_all() {
    std::uninitialized_fill_n(counts_.data(), 2 * num_parts_ * tree_.num_buckets(), std::size_t{0});
    for (std::size_t part = 0; part < num_parts_; ++part) {
      std::construct_at(parts_.data() + part, part_state{begin_of(part), begin_of(part)});
    }
    try {
      for_tasks(how_, num_parts_, [this](std::size_t part) { classify(part); });
    } catch (...) {
      for (std::size_t part = 0; part < num_parts_; ++part) {
        put_back(part);
      }
      throw;
    }
  }

  void classify(std::size_t part) {
    part_state at = parts_.data()[part];
    std::size_t* const fills = fills_of(part);
    std::size_t* const full = full_of(part);
    const std::size_t last = begin_of(part + 1);
    try {
      for (It it = advanced(first_, at.read); at.read != last; ++it, ++at.read) {
        const std::size_t bucket = tree_.bucket_of(*it);
        value* const buffer = buffer_of(part, bucket);
        if (fills[bucket] == block) {
          move_out(buffer, block, advanced(first_, at.written));
          blocks_.add(at.written / block, bucket);
          at.written += block;
          ++full[bucket];
          fills[bucket] = 0;
        }
        std::construct_at(buffer + fills[bucket]++, std::ranges::iter_move(it));
      }
    } catch (...) {
      parts_.data()[part] = at;
      throw;
    }
    parts_.data()[part] = at;
    blocks_.add_empty(at.written / block, last / block);
  }

  /// The content of the buffers of a part whose comparisons, or another part's, failed.
  void put_back(std::size_t part) noexcept {
    It to = advanced(first_, parts_.data()[part].written);
    for (std::size_t bucket = 0; bucket < tree_.num_buckets(); ++bucket) {
      const std::size_t fill = fills_of(part)[bucket];
      move_out(buffer_of(part, bucket), fill, to);
      to = advanced(to, fill);
    }
  }

  /// Where each bucket begins.
  void sum_up() noexcept {
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < tree_.num_buckets(); ++bucket) {
      std::construct_at(begins_.data() + bucket, sum);
      blocks_.begin_bucket(bucket, sum);
      for (std::size_t part = 0; part < num_parts_; ++part) {
        sum += full_of(part)[bucket] * block + fills_of(part)[bucket];
      }
    }
    std::construct_at(begins_.data() + tree_.num_buckets(), sum);
  }

  /// Fills what blocks leave of each bucket, by groups of buckets.
  void fill_all() {
    constexpr std::size_t most_groups = block_exchange<How, It>::most_groups;
    const std::size_t num_groups = std::min(2 * num_shares(how_), most_groups);
    const auto group_of = [this, num_groups](std::size_t i) {
      return tile{.index = i,
                  .first = part_begin(tree_.num_buckets(), num_groups, i),
                  .last = part_begin(tree_.num_buckets(), num_groups, i + 1)};
    };
    for (std::size_t i = 0; i < num_groups; ++i) {
      blocks_.save_behind(i, group_of(i), begins_.data());
    }
    for_tasks(how_, num_groups, [this, &group_of](std::size_t i) {
      const tile group = group_of(i);
      for (std::size_t bucket = group.first; bucket < group.last; ++bucket) {
        fill(bucket, group);
      }
    });
  }

  /// Brings home what of a bucket lies behind it and in buffers. What lay on its place of those in
  /// front has left by then.
  void fill(std::size_t bucket, const tile& group) noexcept {
    bucket_gaps<It> gaps = blocks_.gaps_of(bucket, begins_.data());
    blocks_.bring_back(gaps, bucket, group, begins_.data());
    for (std::size_t part = 0; part < num_parts_; ++part) {
      gaps.fill(buffer_of(part, bucket), fills_of(part)[bucket]);
    }
  }

  void sort_bucket(std::size_t bucket) {
    const std::size_t begin = begins_.data()[bucket];
    const std::size_t size = begins_.data()[bucket + 1] - begin;
    if (size < 2 || tree_.is_done(bucket)) {
      return;
    }
    It const first = advanced(first_, begin);
    // One bucket with more than half of all: another round would not bring much.
    if (size >= deep_from && size < n_ / 2 &&
        block_sort<sequenced_policy, It, Compare, deep_bytes>(seq, first, size, comp_).run()) {
      return;
    }
    leaf_sort(first, size, comp_);
  }

  const How& how_;
  It first_;
  std::size_t n_;
  Compare& comp_;
  bucket_tree<It, Compare> tree_;
  std::size_t num_parts_;
  std::vector<value> splitters_;
  scratch<value> buffers_;
  scratch<std::size_t> counts_;
  scratch<part_state> parts_;
  scratch<std::size_t> begins_;
  block_exchange<How, It> blocks_;
};

}  // namespace weft::algorithms::detail
