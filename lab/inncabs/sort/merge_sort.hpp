// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithm of problem sort, for every way to run calls at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "lab/inncabs/sort/sort.hpp"

namespace weft::lab::inncabs::sort {

/// Two sorted sequences and the destination of their merge.
/// Shape: `into` has room for both and overlaps neither.
struct merge_piece {
  std::span<const std::int64_t> longer;
  std::span<const std::int64_t> shorter;
  std::int64_t* into;

  static merge_piece of(std::span<const std::int64_t> one,
                        std::span<const std::int64_t> other,
                        std::int64_t* into) {
    return one.size() < other.size() ? merge_piece{other, one, into}
                                     : merge_piece{one, other, into};
  }

  /// The lower and the upper part, divided in the middle of the longer sequence. Neither is empty.
  /// Shape: the longer has at least two elements.
  [[nodiscard]] std::pair<merge_piece, merge_piece> divided() const;
  void merge_alone() const;
};

/// Copies a part of the input to its place in the result and sorts it there.
void sort_part(std::span<const std::int64_t> from, std::int64_t* into);

/// Sorts `from.numbers` into `sorted`. `Fork` takes two or four callables, calls them, perhaps at
/// the same time, and waits for them.
template <class Fork>
class merge_sort {
 public:
  merge_sort(const input& from, Fork& fork)
      : from_(from), fork_(fork), sorted_(from.numbers.size()), spare_(from.numbers.size()) {}

  /// May be called once.
  result run() {
    sort({0, sorted_.size()});
    return std::move(sorted_);
  }

 private:
  struct part {
    std::size_t first;
    std::size_t last;
    [[nodiscard]] std::size_t size() const { return last - first; }
  };

  void sort(part whole) {
    if (whole.size() < from_.sorted_alone_below) {
      sort_alone(whole);
      return;
    }
    const std::size_t quarter = whole.size() / 4;
    const std::array<part, 4> quarters{{{whole.first, whole.first + quarter},
                                        {whole.first + quarter, whole.first + 2 * quarter},
                                        {whole.first + 2 * quarter, whole.first + 3 * quarter},
                                        {whole.first + 3 * quarter, whole.last}}};
    fork_([this, each = quarters[0]] { sort(each); },
          [this, each = quarters[1]] { sort(each); },
          [this, each = quarters[2]] { sort(each); },
          [this, each = quarters[3]] { sort(each); });
    merge_quarters(quarters);
  }

  void sort_alone(part whole) {
    sort_part(std::span(from_.numbers).subspan(whole.first, whole.size()),
              sorted_.data() + whole.first);
  }

  /// Pairs of quarters into the spare memory, then both halves back.
  void merge_quarters(const std::array<part, 4>& quarters) {
    const part low{quarters[0].first, quarters[1].last};
    const part high{quarters[2].first, quarters[3].last};
    fork_([=, this] { merge(piece(sorted_, quarters[0], quarters[1], &spare_[low.first])); },
          [=, this] { merge(piece(sorted_, quarters[2], quarters[3], &spare_[high.first])); });
    merge(piece(spare_, low, high, &sorted_[low.first]));
  }

  static merge_piece piece(const result& of, part one, part other, std::int64_t* into) {
    const std::span<const std::int64_t> all(of);
    return merge_piece::of(
        all.subspan(one.first, one.size()), all.subspan(other.first, other.size()), into);
  }

  void merge(const merge_piece& whole) {
    if (whole.shorter.size() < from_.merged_alone_below) {
      whole.merge_alone();
      return;
    }
    const auto [low, high] = whole.divided();
    fork_([this, each = low] { merge(each); }, [this, each = high] { merge(each); });
  }

  const input& from_;
  Fork& fork_;
  result sorted_;
  result spare_;
};

}  // namespace weft::lab::inncabs::sort
