// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithm of problem fft, for every way to run the iterations of a loop.
#pragma once

#include <cstddef>
#include <utility>

#include "lab/inncabs/fft/fft.hpp"
#include "lab/inncabs/fft/passes.hpp"
#include "lab/inncabs/fft/radices.hpp"

namespace weft::lab::inncabs::fft {

/// Transforms `from.values`. `Loop` is called as `loop(range, alone, body)`. It calls `body`,
/// perhaps in parallel, for ranges that together make up `range`, and waits for the calls. If it
/// divides `range`, the parts have at most `alone` iterations.
template <class Loop>
class transform {
 public:
  transform(const input& from, Loop loop)
      : from_(from),
        loop_(loop),
        size_(from.values.size()),
        roots_(size_),
        found_(size_),
        spare_(size_) {}

  /// May be called once.
  result run() {
    loop_({0, size_ / 2 + 1}, roots_alone, [this](iterations range) {
      fill_roots(roots_.data(), size_, range);
    });
    solve(from_.values.data(), found_.data(), spare_.data(), size_);
    return std::move(found_);
  }

 private:
  /// Shape: `from` is unchanged unless it is `spare`; `to` overlaps neither.
  void solve(const complex_number* from,
             complex_number* to,
             complex_number* spare,
             std::size_t size) {
    if (is_small(size)) {
      transform_at_once(from, to, size);
      return;
    }
    const std::size_t radix = radix_of(size);
    const division by{radix, size / radix, roots_.data(), size_ / size};
    const complex_number* parts = from;
    if (by.part > 1) {
      loop_({0, by.part}, reordered_alone, [&by, from, to](iterations range) {
        by.reorder(from, to, range);
      });
      for (std::size_t first = 0; first < size; first += by.part) {
        solve(to + first, spare + first, to + first, by.part);
      }
      parts = spare;
    }
    loop_({0, by.part}, butterflies_alone_of(radix), [&by, parts, to](iterations range) {
      by.combine(parts, to, range);
    });
  }

  const input& from_;
  Loop loop_;
  std::size_t size_;
  result roots_;
  result found_;
  result spare_;
};

/// Divides a range into halves, which are two calls of `Fork`.
template <class Fork>
class loop_by_halves {
 public:
  explicit loop_by_halves(Fork fork) : fork_(fork) {}

  template <class Body>
  void operator()(iterations range, std::size_t alone, const Body& body) const {
    if (range.last - range.first <= alone) {
      body(range);
      return;
    }
    const std::size_t middle = range.first + (range.last - range.first) / 2;
    fork_([=, this, &body] { (*this)({range.first, middle}, alone, body); },
          [=, this, &body] { (*this)({middle, range.last}, alone, body); });
  }

 private:
  Fork fork_;
};

}  // namespace weft::lab::inncabs::fft
