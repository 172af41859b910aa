// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs objects in raw memory by chunks, and destroys what was made when a constructor throws.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/map.hpp"

namespace weft::algorithms::detail {

/// The index ranges whose objects exist.
class built_ranges {
 public:
  /// Threads: any.
  void add(std::size_t first, std::size_t last) {
    const std::scoped_lock lock(mutex_);
    if (first == prefix_) {
      prefix_ = last;
    } else {
      ranges_.emplace_back(first, last);
    }
  }

  /// Threads: one, after all others.
  template <class It>
  void destroy(It first) const noexcept {
    std::destroy(first, at(first, prefix_));
    for (const auto& [from, to] : ranges_) {
      std::destroy(at(first, from), at(first, to));
    }
  }

 private:
  std::mutex mutex_;
  std::size_t prefix_ = 0;  // all before it exist: what the caller builds alone needs no memory
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

/// As construct_chunks, where chunks that others made must not stay if one throws.
template <class How, class Out, class Construct>
[[gnu::noinline]] void construct_chunks_or_none(const How& how,
                                                loop_shape shape,
                                                cost_record& costs,
                                                Out out,
                                                const handed_body<Construct> construct) {
  built_ranges built;
  const auto construct_and_note = [&](std::size_t from, std::size_t to) {
    construct(from, to);
    if (to - from == shape.n) {
      return;
    }
    try {
      built.add(from, to);
    } catch (...) {
      std::destroy(at(out, from), at(out, to));
      throw;
    }
  };
  try {
    for_chunks(how, shape, costs, construct_and_note);
  } catch (...) {
    built.destroy(out);
    throw;
  }
}

/// Calls construct(from, to), which leaves nothing behind if it throws, for chunks of the shape.
template <bool can_throw, class How, class Out, class Construct>
[[gnu::always_inline]] inline void construct_chunks(
    const How& how, loop_shape shape, cost_record& costs, Out out, const Construct& construct) {
  if constexpr (!can_throw || std::is_trivially_destructible_v<std::iter_value_t<Out>>) {
    for_chunks(how, shape, costs, construct);
  } else if (may_be_short<How> && costs.is_short(shape.n, unordered_limits.short_ns)) {
    construct(std::size_t{0}, shape.n);
  } else {
    construct_chunks_or_none(how, shape, costs, out, handed_body<const Construct>(construct));
  }
}

}  // namespace weft::algorithms::detail
