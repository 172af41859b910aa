// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves a range by m places within itself, on several workers: element i becomes element i + m.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/memory/next_page.hpp"
#include "weft/algorithms/detail/memory/reserved.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

enum class toward : bool { front, back };

/// The places of a range, counted in the order in which one thread may fill them. The count begins
/// at the end towards which elements move. Place i takes the element of place i + m.
template <toward end, std::random_access_iterator It>
struct displacement {
  It base;        // of the whole range
  std::size_t n;  // elements of the whole range
  std::size_t m;  // how far each moves; at most n

  [[nodiscard]] std::size_t num_moved() const noexcept { return n - m; }

  /// The first element in memory of places [first, last).
  [[nodiscard]] It lowest(std::size_t first, std::size_t last) const {
    return at(base, end == toward::front ? first : n - last);
  }

  /// Fills places [first, last) in order.
  void fill(std::size_t first, std::size_t last) const {
    const It from = lowest(first + m, last + m);
    if constexpr (end == toward::front) {
      std::move(from, at(from, last - first), at(base, first));
    } else {
      std::move_backward(from, at(from, last - first), at(base, n - first));
    }
  }

  /// Fills places [first, last), of which none is m behind another.
  void fill_apart(std::size_t first, std::size_t last, bool streams) const {
    if constexpr (copies_bytes<It, It>) {
      copy_elements(std::to_address(lowest(first, last)),
                    std::to_address(lowest(first + m, last + m)),
                    last - first,
                    streams);
    } else {
      fill(first, last);
    }
  }
};

/// Borders of chunks of `n` columns: at pages, or at lines where pages are too few for all shares.
template <class T, class How>
[[nodiscard]] std::size_t column_multiple(const How& how, std::size_t n) {
  constexpr std::size_t pages_per_share = 8;
  constexpr std::size_t page = std::max<std::size_t>(read_page_bytes / sizeof(T), 1);
  return n / page < pages_per_share * num_shares(how) ? elements_per_line<T> : page;
}

/// Fills all places by columns of those that are m apart. Each place reads what only the next one
/// of its own column overwrites, so columns need not wait for each other.
template <class How, class Displacement>
void displace_by_columns(const How& how, const Displacement& d) {
  using element_type = std::iter_value_t<decltype(Displacement::base)>;
  // The cost of a column grows with its rows: a record for each power of two of them.
  static constinit std::array<cost_record, 16> costs;
  const std::size_t num_moved = d.num_moved();
  const std::size_t num_columns = std::min(d.m, num_moved);
  const std::size_t num_rows = ceil_div(num_moved, num_columns);
  const auto record =
      std::min(static_cast<std::size_t>(std::bit_width(num_rows)), costs.size()) - 1;
  const bool streams = should_stream(2 * num_moved * sizeof(element_type));
  const loop_shape shape{num_columns,
                         2 * sizeof(element_type) * num_rows,
                         column_multiple<element_type>(how, num_columns)};
  for_chunks(how, shape, costs[record], [&d, num_moved, streams](std::size_t from, std::size_t to) {
    for (std::size_t row = 0; row + from < num_moved; row += d.m) {
      d.fill_apart(row + from, std::min(row + to, num_moved), streams);
    }
  });
}

/// Fills places [first, num_moved) by pieces much longer than m. Each piece overwrites its first m
/// elements, which the piece before it reads. So these elements are copied to `saved` first, which
/// has enough capacity.
template <class How, class Displacement>
void displace_by_pieces(const How& how,
                        const Displacement& d,
                        std::size_t first,
                        std::size_t num_pieces,
                        std::vector<std::iter_value_t<decltype(Displacement::base)>>& saved) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<decltype(Displacement::base)>;
  const std::size_t length = (d.num_moved() - first) / num_pieces;
  for (std::size_t piece = 1; piece < num_pieces; ++piece) {
    const std::size_t begin = first + piece * length;
    const auto from = d.lowest(begin, begin + d.m);
    saved.insert(saved.end(), std::move_iterator(from), std::move_iterator(at(from, d.m)));
  }
  const loop_shape shape{num_pieces, 2 * sizeof(element_type) * length};
  for_chunks(how, shape, costs, [&](std::size_t from, std::size_t to) {
    for (std::size_t piece = from; piece < to; ++piece) {
      const std::size_t begin = first + piece * length;
      if (piece + 1 == num_pieces) {
        d.fill(begin, d.num_moved());
        continue;
      }
      const std::size_t last = begin + length;
      d.fill(begin, last - d.m);
      const auto kept = at(saved.begin(), piece * d.m);
      std::move(kept, at(kept, d.m), d.lowest(last - d.m, last));
    }
  });
}

/// Moves every element of the range m places toward one end of it; m of them are lost.
///
/// Cost: each element is read and written once. Up to an eighth of the range is copied aside when
///       m is small; without that memory one worker does the rest.
template <toward end, class How, class It>
void displace(const How& how, It base, std::size_t n, std::size_t m) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<It>;
  const displacement<end, It> d{base, n, m};
  if constexpr (copies_bytes<It, It>) {
    if (n <= few_bytes / sizeof(element_type)) {
      d.fill(0, d.num_moved());
      return;
    }
  }
  constexpr std::size_t column_bytes = std::size_t{256} << 10U;
  if (m * sizeof(element_type) >= column_bytes) {
    displace_by_columns(how, d);
    return;
  }
  const std::size_t done =
      run_front(how,
                loop_shape{d.num_moved(), 2 * sizeof(element_type)},
                costs,
                [&d](std::size_t first, std::size_t last) { d.fill(first, last); });
  if (done == d.num_moved()) {
    return;
  }
  constexpr std::size_t pieces_per_share = 8;
  constexpr std::size_t smallest_piece = 8;  // in units of m, so that little is copied aside
  const std::size_t num_pieces =
      std::min(num_shares(how) * pieces_per_share, (d.num_moved() - done) / (smallest_piece * m));
  if constexpr (std::is_move_constructible_v<element_type>) {
    if (num_pieces > 1) {
      std::vector<element_type> saved = reserved<element_type>((num_pieces - 1) * m);
      if (saved.capacity() != 0) {
        displace_by_pieces(how, d, done, num_pieces, saved);
        return;
      }
    }
  }
  d.fill(done, d.num_moved());
}

}  // namespace weft::algorithms::detail
