// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts distributed vectors: each rank sorts its elements, and gets one range of the result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/merge.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/stable_sort.hpp"
#include "weft/distributed/algorithms.hpp"
#include "weft/distributed/detail/exchange.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/vector.hpp"

namespace weft::distributed {

namespace detail {

/// An element and its position, which orders equal elements.
template <class T>
struct sample {
  T value{};
  int rank = 0;
  std::size_t index = 0;
};

/// Evenly spaced elements.
template <class T>
std::vector<sample<T>> samples_of(std::span<const T> sorted, int rank, std::size_t most) {
  const std::size_t number = std::min(most, sorted.size());
  std::vector<sample<T>> chosen;
  chosen.reserve(number);
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t at = (2 * i + 1) * sorted.size() / (2 * number);
    chosen.push_back({sorted[at], rank, at});
  }
  return chosen;
}

/// The elements that begin the ranges of ranks 1, 2, ...; fewer if there are few samples.
template <class T, class Compare>
std::vector<sample<T>> splitters_from(std::vector<std::vector<sample<T>>>&& by_rank,
                                      Compare& comp) {
  const std::size_t num_ranks = by_rank.size();
  std::vector<sample<T>> all;
  for (auto& each : by_rank) {
    std::ranges::move(each, std::back_inserter(all));
  }
  std::ranges::sort(all, [&](const sample<T>& a, const sample<T>& b) {
    return comp(a.value, b.value) ||
           (!comp(b.value, a.value) && std::pair(a.rank, a.index) < std::pair(b.rank, b.index));
  });
  std::vector<sample<T>> chosen;
  for (std::size_t i = 1; i < num_ranks && !all.empty(); ++i) {
    chosen.push_back(all[i * all.size() / num_ranks]);
  }
  return chosen;
}

/// The number of elements of `sorted`, which are those of `rank`, in front of a splitter.
template <class T, class Compare>
std::size_t num_in_front(std::span<const T> sorted,
                         int rank,
                         const sample<T>& splitter,
                         Compare& comp) {
  if (rank == splitter.rank) {
    return splitter.index;
  }
  const auto found =
      rank < splitter.rank
          ? std::upper_bound(sorted.begin(), sorted.end(), splitter.value, std::ref(comp))
          : std::lower_bound(sorted.begin(), sorted.end(), splitter.value, std::ref(comp));
  return static_cast<std::size_t>(found - sorted.begin());
}

template <class T, class Compare>
std::vector<sample<T>> agree_on_splitters(std::span<const T> sorted, Compare& comp) {
  const int rank = here().rank();
  const auto num_ranks = static_cast<std::size_t>(num_localities());
  auto samples = exchange<sample<T>>([&] {
    std::vector<std::vector<sample<T>>> to_each(num_ranks);
    to_each[0] = samples_of(sorted, rank, 4 * num_ranks);
    return to_each;
  });
  return exchange<sample<T>>([&] {
           std::vector<std::vector<sample<T>>> to_each(num_ranks);
           if (rank == 0) {
             to_each.assign(num_ranks, splitters_from(std::move(samples), comp));
           }
           return to_each;
         })
      .front();
}

/// Merges sorted runs; of equal elements those of earlier runs come first.
template <class Policy, class T, class Compare>
std::vector<T> merge_runs(Policy& policy, std::vector<std::vector<T>> runs, Compare& comp) {
  while (runs.size() > 1) {
    const std::size_t num_pairs = runs.size() / 2;
    for (std::size_t i = 0; i < num_pairs; ++i) {
      const std::vector<T> first = std::move(runs[2 * i]);
      const std::vector<T> second = std::move(runs[2 * i + 1]);
      std::vector<T> both(first.size() + second.size());
      weft::merge(
          policy, first.begin(), first.end(), second.begin(), second.end(), both.begin(), comp);
      runs[i] = std::move(both);
    }
    if (runs.size() % 2 != 0) {
      runs[num_pairs] = std::move(runs.back());
    }
    runs.resize((runs.size() + 1) / 2);
  }
  return std::move(runs.front());
}

/// Cuts the elements `sorted` at the splitters.
template <class T, class Compare>
std::vector<std::vector<T>> cut(std::span<T> sorted,
                                const std::vector<sample<T>>& splitters,
                                Compare& comp) {
  const int rank = here().rank();
  std::vector<std::vector<T>> pieces(static_cast<std::size_t>(num_localities()));
  std::vector<std::size_t> ends;
  ends.reserve(pieces.size());
  for (const sample<T>& each : splitters) {
    ends.push_back(num_in_front(std::span<const T>(sorted), rank, each, comp));
  }
  ends.resize(pieces.size(), sorted.size());
  std::size_t begin = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::span<T> piece = sorted.subspan(begin, ends[i] - begin);
    pieces[i].assign(std::make_move_iterator(piece.begin()), std::make_move_iterator(piece.end()));
    begin = ends[i];
  }
  return pieces;
}

/// Moves sorted elements, which follow those of the ranks before, to the owners of their places.
template <class T>
void deal_out(std::span<T> sorted, std::size_t first, vector<T>& to) {
  auto pieces = exchange<T>([&] {
    std::vector<std::vector<T>> to_each(static_cast<std::size_t>(num_localities()));
    for (std::size_t at = 0; at < sorted.size();) {
      const std::size_t n = std::min(sorted.size() - at, to.layout().left_in_block(first + at));
      const std::span<T> piece = sorted.subspan(at, n);
      to_each[static_cast<std::size_t>(to.layout().owner_of(first + at))].assign(
          std::make_move_iterator(piece.begin()), std::make_move_iterator(piece.end()));
      at += n;
    }
    return to_each;
  });
  static_cast<void>(gather_parts([&] {
    auto out = to.local().begin();
    for (std::vector<T>& each : pieces) {
      out = std::ranges::move(each, out).out;
    }
  }));
}

/// `sort_local` sorts the elements of a rank.
template <class Policy, class T, class Compare, class SortLocal>
void sort_by_samples(Policy& policy, vector<T>& all, Compare comp, SortLocal sort_local) {
  if (!all.layout().is_contiguous()) {
    vector<T> blocks = redistribute(all, block);
    sort_by_samples(policy, blocks, comp, sort_local);
    distributed::copy(policy, blocks, all);
    return;
  }
  const std::span<T> mine = all.local();
  static_cast<void>(gather_parts([&] { sort_local(mine); }));
  if (num_localities() == 1) {
    return;
  }
  const auto splitters = agree_on_splitters(std::span<const T>(mine), comp);
  auto runs = exchange<T>([&] { return cut(mine, splitters, comp); });
  std::vector<T> merged;
  const std::vector<std::size_t> sizes = gather_parts([&] {
    merged = merge_runs(policy, std::move(runs), comp);
    return merged.size();
  });
  deal_out(std::span(merged), std::reduce(sizes.begin(), sizes.begin() + here().rank()), all);
}

}  // namespace detail

/// Sorts a vector by `comp`; each element may move to another rank, and the distribution stays.
///
/// Each rank sorts its elements. Regular samples divide the result into a range for each rank; equal
/// elements count by their positions, so that many equal elements do no harm. Each rank gets the
/// elements of its range, merges them, and passes on those that belong to its neighbours.
/// Cost:    the elements once more on each rank, at most about 1.3 times the mean, plus its own; each
///          is sent at most twice. A cyclic vector is copied to blocks first, and back.
/// Errors:  those of `for_each`, of `comp`.
/// Source:  Shi and Schaeffer, "Parallel sorting by regular sampling", 1992.
/// Example: tests/distributed/vector_sort_test.cpp: vectors_are_sorted_over_all_ranks.
template <blocking_policy Policy, class T, class Compare = std::less<>>
void sort(Policy&& policy, vector<T>& all, Compare comp = {}) {
  detail::sort_by_samples(policy, all, comp, [&](std::span<T> mine) {
    weft::sort(policy, mine.begin(), mine.end(), comp);
  });
}

/// As `sort`; equal elements keep their order.
template <blocking_policy Policy, class T, class Compare = std::less<>>
void stable_sort(Policy&& policy, vector<T>& all, Compare comp = {}) {
  detail::sort_by_samples(policy, all, comp, [&](std::span<T> mine) {
    weft::stable_sort(policy, mine.begin(), mine.end(), comp);
  });
}

}  // namespace weft::distributed
