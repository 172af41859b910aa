// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies chosen elements to where there may be room for fewer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "weft/algorithms/copy_if.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/detail/calls/range_call.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/algorithms/unique.hpp"

namespace weft::algorithms::detail {

template <class It, class Output>
using copied = std::ranges::in_out_result<It, Output>;

/// Below this many elements a piece that does not fit is finished one by one.
inline constexpr std::ptrdiff_t smallest_piece = std::ptrdiff_t{1} << 14;

/// Copies piece after piece, each with at most as many chosen elements as there is room for.
/// `source.count` returns their number, `source.copy` copies them, and `source.copy_some` copies
/// until the room is full.
///
/// A piece with as many elements as there is room needs no count.
template <class It, class Output, class Source>
copied<It, Output> copy_into_room(bounds<It> in, sink<Output> out, Source source) {
  std::ptrdiff_t left = in.size();
  if (left <= out.room) {
    return {in.last, source.copy(in.first, in.last, std::move(out.first))};
  }
  while (left > 0) {
    const std::ptrdiff_t size = std::min(left, std::max(out.room, smallest_piece));
    It end = std::ranges::next(in.first, size);
    if (size > out.room && source.count(in.first, end) > out.room) {
      return source.copy_some(bounds<It>{in.first, end}, out);
    }
    Output reached = source.copy(in.first, end, out.first);
    out.room -= std::ranges::distance(out.first, reached);
    out.first = std::move(reached);
    in.first = std::move(end);
    left -= size;
  }
  return {std::move(in.first), std::move(out.first)};
}

/// Elements for which `keep` is true.
template <class How, class Keep>
struct kept_elements {
  const How& how;
  Keep keep;

  template <class It>
  auto count(It first, It last) {
    return weft::count_if(how, first, last, keep);
  }
  template <class It, class Output>
  Output copy(It first, It last, Output out) {
    return weft::copy_if(how, first, last, out, keep);
  }
  template <class It, class Output>
  copied<It, Output> copy_some(bounds<It> in, sink<Output> out) {
    for (; in.first != in.last; ++in.first) {
      if (std::invoke(keep, *in.first)) {
        if (out.room-- == 0) {
          break;
        }
        *out.first = *in.first;
        ++out.first;
      }
    }
    return {std::move(in.first), std::move(out.first)};
  }
};

/// The first of equal neighbours each; `begin` is where the whole range begins.
template <class How, class It, class Equal>
struct unique_elements {
  const How& how;
  It begin;
  Equal equal;

  std::ptrdiff_t count(It first, It last) {
    if (first == begin) {
      return 1 + differing(std::ranges::next(first), last, first);
    }
    return differing(first, last, std::ranges::prev(first));
  }
  template <class Output>
  Output copy(It first, It last, Output out) {
    if (first != begin) {
      const It before = std::ranges::prev(first);
      first = weft::find_if(how, first, last, [this, before](const auto& x) {
        return !static_cast<bool>(equal(*before, x));
      });
    }
    return weft::unique_copy(how, first, last, out, equal);
  }
  template <class Output>
  copied<It, Output> copy_some(bounds<It> in, sink<Output> out) {
    for (; in.first != in.last; ++in.first) {
      if (in.first == begin || !static_cast<bool>(equal(*std::ranges::prev(in.first), *in.first))) {
        if (out.room-- == 0) {
          break;
        }
        *out.first = *in.first;
        ++out.first;
      }
    }
    return {std::move(in.first), std::move(out.first)};
  }

 private:
  std::ptrdiff_t differing(It first, It last, It before) {
    return weft::transform_reduce(how,
                                  first,
                                  last,
                                  before,
                                  std::ptrdiff_t{0},
                                  std::plus<>(),
                                  [this](const auto& x, const auto& y) {
                                    return std::ptrdiff_t{!static_cast<bool>(equal(y, x))};
                                  });
  }
};

}  // namespace weft::algorithms::detail
