// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms and algorithms on keys with values, hand-written with loops and a sort, for libraries
// that lack them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

/// A key and its value, ordered by the key alone.
template <class T>
struct keyed {
  T key;
  T value;

  friend bool operator<(const keyed& a, const keyed& b) { return a.key < b.key; }
};

/// `Loops`: as for by_loops; `sort`: sorts pairs, and need not keep the order of equal ones.
template <class T, class Loops, void (*sort)(keyed<T>* first, keyed<T>* last)>
struct keyed_loops {
  using in = const T*;
  using counts = std::array<std::size_t, kernels::num_bins>;

  static void sort_by_key(T* first, T* last, T* values) {
    const auto size = static_cast<std::size_t>(last - first);
    const auto pairs = std::make_unique_for_overwrite<keyed<T>[]>(size);
    keyed<T>* const all = pairs.get();
    Loops::for_pieces(size, [=](std::size_t i, std::size_t end) {
      for (; i < end; ++i) {
        all[i] = {first[i], values[i]};
      }
    });
    sort(all, all + size);
    Loops::for_pieces(size, [=](std::size_t i, std::size_t end) {
      for (; i < end; ++i) {
        first[i] = all[i].key;
        values[i] = all[i].value;
      }
    });
  }

  /// Each piece has its own counts, which are summed.
  static void histogram(in first, in last, std::size_t* out) {
    const counts all = Loops::reduce_pieces(
        static_cast<std::size_t>(last - first),
        counts{},
        [=](std::size_t i, std::size_t end) {
          counts of_piece{};
          for (; i < end; ++i) {
            ++of_piece[kernels::bin_of{}(first[i])];
          }
          return of_piece;
        },
        [](counts sum, const counts& other) {
          for (std::size_t bin = 0; bin < sum.size(); ++bin) {
            sum[bin] += other[bin];
          }
          return sum;
        });
    for (std::size_t bin = 0; bin < all.size(); ++bin) {
      out[bin] = all[bin];
    }
  }

  /// A scan over the number of runs that begin in a piece. The piece with the beginning of a run
  /// sums the whole run.
  static two_ends<T> reduce_by_key(in first, in last, in values, T* keys_out, T* sums_out) {
    const auto size = static_cast<std::size_t>(last - first);
    const auto begins = [=](std::size_t i) { return i == 0 || first[i] != first[i - 1]; };
    const std::size_t num_runs = Loops::scan_pieces(
        size,
        std::size_t{0},
        [=](std::size_t i, std::size_t end) {
          std::size_t num = 0;
          for (; i < end; ++i) {
            num += begins(i) ? 1U : 0U;
          }
          return num;
        },
        [=](std::size_t i, std::size_t end, std::size_t run) {
          while (i < end && !begins(i)) {
            ++i;
          }
          for (; i < end; ++run) {
            keys_out[run] = first[i];
            T sum = values[i];
            for (++i; i < size && !begins(i); ++i) {
              sum += values[i];
            }
            sums_out[run] = sum;
          }
          return run;
        });
    return {keys_out + num_runs, sums_out + num_runs};
  }

  static void offer(operations<T>& to) {
    to.histogram = histogram;
    to.reduce_by_key = reduce_by_key;
    to.sort_by_key = sort_by_key;
  }
};

}  // namespace weft::lab::stl
