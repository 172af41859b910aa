// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of ranges of forward iterators.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/scanning/look_back.hpp"
#include "weft/algorithms/detail/scanning/scan_tiles.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"

namespace weft::algorithms::detail {

/// The prefix of a chunk, passed from each chunk to the next.
///
/// Threads: the worker with chunk i owns the value from its arrival until it is passed on.
template <class T>
class handed_sum {
 public:
  explicit handed_sum(T&& start) : sum_(std::in_place, std::move(start)) {}

  [[nodiscard]] bool is_there(std::size_t chunk) const noexcept {
    return chunk_.load(std::memory_order_acquire) == chunk;  // acquire: pairs with hand_on()
  }
  /// False: a chunk in front failed.
  [[nodiscard]] bool wait_for(std::size_t chunk) const {
    for (patience neighbour; !is_there(chunk); neighbour.wait()) {
      if (has_failed_.load(std::memory_order_relaxed)) {  // relaxed: what it did is not looked at
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] T take() { return *std::move(sum_); }  // NOLINT(bugprone-unchecked-optional-access)
  void hand_on(std::size_t chunk, T&& sum) {
    sum_.emplace(std::move(sum));                        // T need not be assignable
    chunk_.store(chunk + 1, std::memory_order_release);  // pairs with is_there()
  }
  /// Lets those behind give up.
  void fail() noexcept { has_failed_.store(true, std::memory_order_relaxed); }

 private:
  std::optional<T> sum_;
  std::atomic<std::size_t> chunk_{0};
  std::atomic<bool> has_failed_{false};
};

/// A scan's operation and map, applied to places of input and output.
template <scan_kind kind, class T, class Op, class Map>
struct place_scan {
  Op& op;
  Map& map;

  /// Scans places behind `sum`, which is what comes behind them then: `run(f)` calls `f` at each
  /// and returns for how many.
  template <class Run>
  std::size_t each_of(Run&& run, T& sum) const {
    T here = std::move(sum);  // which no element can be
    const std::size_t done = run([&](const auto& in, const auto& out) {
      if constexpr (kind == scan_kind::inclusive) {
        here = op(std::move(here), map(*in));
        *out = here;
      } else {
        T next = op(here, map(*in));  // before the output, which may be the input
        *out = std::move(here);
        here = std::move(next);
      }
    });
    sum = std::move(here);
    return done;
  }

  /// Scans a chunk of several that are scanned at once; false: one in front failed.
  ///
  /// The prefix is usually there; otherwise the chunk's own sum can be passed on when it arrives.
  template <class Walk>
  [[nodiscard]] bool operator()(walked_chunk<Walk>& chunk, handed_sum<T>& before) const {
    std::optional<T> own;
    if constexpr (has_own_sum<mapped<Walk>>) {
      if (chunk.size > 1 && !before.is_there(chunk.index)) {
        own.emplace(sum_of(chunk.places, chunk.size));
      }
    }
    if (!before.wait_for(chunk.index)) {
      return false;
    }
    const auto run = [&chunk](auto&& f) { return chunk.run(f); };
    T front = before.take();
    if (own) {
      before.hand_on(chunk.index, op(front, *std::move(own)));
      each_of(run, front);
    } else {
      each_of(run, front);
      before.hand_on(chunk.index, std::move(front));
    }
    return true;
  }

 private:
  template <class Walk>
  using mapped =
      decltype(std::declval<Map&>()(*std::declval<const typename Walk::position&>().first()));
  /// Whether elements can be summed without the total before them. Mapped values need not be
  /// convertible to T, and the operation need not accept two mapped values.
  template <class U>
  static constexpr bool has_own_sum =
      std::is_convertible_v<U, T> || std::is_invocable_r_v<T, Op&, U, U>;

  /// Of `n` places, at least two, in T and not in the elements' own type, which may be narrower.
  template <class Walk>
  [[nodiscard]] T sum_of(Walk places, std::size_t n) const {
    T all = first_sum(places, n);
    places.run(n, [&](const auto& in, const auto& /*out*/) { all = op(std::move(all), map(*in)); });
    return all;
  }
  /// Of the first place, or two, which are passed.
  template <class Walk>
  [[nodiscard]] T first_sum(Walk& places, std::size_t& n) const {
    const typename Walk::position first = places.at();
    places.skip(1);
    --n;
    if constexpr (std::is_convertible_v<mapped<Walk>, T>) {
      return static_cast<T>(map(*first.first()));
    } else {
      const typename Walk::position second = places.at();
      places.skip(1);
      --n;
      // in one expression: what is mapped may refer to an element that is gone behind it
      return op(map(*first.first()), map(*second.first()));
    }
  }
};

/// In a chain of chunks, each worker but one has to sum before it scans.
[[nodiscard]] constexpr float twice_but_one(std::size_t shares) noexcept {
  return 2 - 1 / static_cast<float>(shares);
}

/// Scans a walk over input and output behind `init`, by all that come; returns the end.
template <scan_kind kind, class T, class How, class Walk, class Op, class Map>
Walk scan_walk(const How& how, Walk all, T&& init, Op& op, Map& map) {
  static constinit cost_record costs;
  const place_scan<kind, std::remove_cvref_t<T>, Op, Map> scan{op, map};
  std::remove_cvref_t<T> sum = std::forward<T>(init);
  const auto some = [&](Walk& walked, std::size_t n) {
    return scan.each_of([&](auto&& f) { return walked.run(n, f); }, sum);
  };
  const walk_beginning so_far = begin_walk<twice_but_one>(how, all, costs, some);
  if (so_far.is_over) {
    report_alone(how, so_far.done);
    return all;
  }
  shared_walk<Walk> rest = rest_of_walk(how, all, so_far);
  handed_sum<std::remove_cvref_t<T>> before(std::move(sum));
  const auto visit = [&](walked_chunk<Walk>& chunk) {
    try {
      return scan(chunk, before);
    } catch (...) {
      before.fail();
      throw;
    }
  };
  share_walk(how, num_shares(how), rest, costs, visit);
  return rest.rest();
}

}  // namespace weft::algorithms::detail
