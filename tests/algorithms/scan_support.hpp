// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans past the caches whose tiles, operations and workers a test chooses.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/scanning/look_back.hpp"
#include "weft/algorithms/detail/scanning/scan_block.hpp"
#include "weft/algorithms/detail/scanning/scan_tiles.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft::test {

namespace detail = weft::algorithms::detail;

/// Lets scans of this process stream from now on, whatever their trial said.
inline void prefer_streams() {
  detail::stream_trial& trial = detail::trial_of(detail::stream_kind::scan);
  for (std::size_t turn = 0; turn < detail::stream_trial::num_turns; ++turn) {
    const std::size_t bytes = detail::stream_trial::turn_bytes;
    trial.note(turn, bytes, detail::stream_trial::streams(turn) ? 0 : 1'000'000'000);
  }
  ASSERT_EQ(trial.verdict(), detail::stream_trial::choice::streamed);
}

/// What three threads make of a scan past the caches in tiles of 100; how many of them threw.
template <class T, class Op, class Map>
int scan_by_three(const std::vector<T>& in, std::vector<T>& out, Op op, Map map) {
  using iterator = typename std::vector<T>::const_iterator;
  using work_type = detail::scan_work<detail::scan_kind::inclusive, true, T, iterator, T*, Op, Map>;
  work_type work{.in = in.begin(), .out = out.data(), .op = op, .map = map, .streams = true};
  constexpr std::size_t first = 3;
  detail::ordered_claims claims(in.size() - first, 100);
  detail::look_back<T> sums(claims.num_tiles(), T{7});
  std::atomic<int> num_thrown = 0;
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      try {
        detail::scan_claimed<false>(work, claims, first, sums);
      } catch (const std::runtime_error&) {
        ++num_thrown;
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  return num_thrown;
}

template <class T, class Op, class Map>
void expect_scan_by_three(Op op, Map map) {
  for (const std::size_t n : {3UL, 4UL, 103UL, 203UL, 1003UL, 5017UL}) {
    std::vector<T> in(n);
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = static_cast<T>(i % 11);
    }
    std::vector<T> expected(n, T{-1});
    T sum = T{7};
    for (std::size_t i = 3; i < n; ++i) {
      sum = op(sum, map(in[i]));
      expected[i] = sum;
    }
    std::vector<T> found(n, T{-1});
    EXPECT_EQ(scan_by_three(in, found, op, map), 0);
    ASSERT_EQ(found, expected) << n;
  }
}

/// Gives every other tile of 100 from `start` on; those between are another's.
class every_other_tile {
 public:
  every_other_tile(std::size_t n, std::size_t start) : n_(n), next_(start) {}
  std::optional<detail::tile> claim() {
    if (is_stopped || next_ * size >= n_) {
      return std::nullopt;
    }
    given.push_back(next_);
    next_ += 2;
    return tile_at(given.back());
  }
  void stop() { is_stopped = true; }
  [[nodiscard]] detail::tile tile_at(std::size_t i) const {
    return {.index = i, .first = i * size, .last = std::min(n_, (i + 1) * size)};
  }
  [[nodiscard]] std::size_t num_tiles() const { return (n_ + size - 1) / size; }

  static constexpr std::size_t size = 100;
  bool is_stopped = false;
  std::vector<std::size_t> given;

 private:
  std::size_t n_;
  std::size_t next_;
};

/// Writes every other tile of a scan behind 7, past the caches; the sums of the others are known.
template <detail::scan_kind kind, class T>
void expect_every_other_tile(std::size_t n, std::size_t start) {
  constexpr std::size_t first = 3;
  constexpr bool is_regrouped = true;
  std::vector<T> in(n + first);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<T>(i % 11);
  }
  std::vector<T> out(in.size(), T{50});
  std::plus<> op;
  detail::as_it_is map;
  const detail::scan_work<kind,
                          is_regrouped,
                          T,
                          typename std::vector<T>::const_iterator,
                          T*,
                          std::plus<>,
                          detail::as_it_is>
      work{.in = in.begin(), .out = out.data(), .op = op, .map = map, .streams = true};
  every_other_tile claims(n, start);
  detail::look_back<T> sums(claims.num_tiles(), T{7});
  for (std::size_t i = 1 - start; i < claims.num_tiles(); i += 2) {
    const detail::tile t = claims.tile_at(i);
    sums.publish_sum(i, work.sum(first + t.first, first + t.last));
  }
  detail::scan_claimed<false>(work, claims, first, sums);

  T sum = 7;
  for (std::size_t i = 0; i < n; ++i) {
    const T before = sum;
    sum += in[first + i];
    const T scanned = kind == detail::scan_kind::inclusive ? sum : before;
    const bool is_ours = i / every_other_tile::size % 2 == start;
    ASSERT_EQ(out[first + i], is_ours ? scanned : T{50}) << n << ", " << start << ", " << i;
  }
  EXPECT_EQ(claims.given.size(), (claims.num_tiles() + 1 - start) / 2);
}

/// Reads ahead with an operation of our own, and remembers what is written.
struct work_that_may_throw {
  using T = int;
  static constexpr bool may_read_ahead = true;
  struct allowed_sums {
    int left;
    int operator()(int x, int y) { return left-- == 0 ? throw std::runtime_error("add") : x + y; }
  };
  const std::vector<int>& in;
  allowed_sums& op;
  std::vector<std::size_t>& written;
  int& num_read_ahead;

  [[nodiscard]] static bool reads_ahead() { return true; }
  [[nodiscard]] int sum(std::size_t first, std::size_t last) const {
    int all = 0;
    for (std::size_t i = first; i < last; i += every_other_tile::size / 4) {
      all = op(all, in[i]);
    }
    return all;
  }
  [[nodiscard]] int scan(int before, std::size_t first, std::size_t last) const {
    const int all = op(before, sum(first, last));
    written.push_back(first / every_other_tile::size);
    return all;
  }
  [[nodiscard]] int scan_and_sum(int before,
                                 const detail::tile& mine,
                                 const detail::tile& next) const {
    ++num_read_ahead;
    const int ahead = sum(next.first, next.last);
    static_cast<void>(scan(before, mine.first, mine.last));
    return ahead;
  }
};

/// Whether an operation threw after `allowed` ones; then those behind give up, and nobody waits.
inline bool throws_after(int allowed) {
  const std::vector<int> in(1003, 1);
  work_that_may_throw::allowed_sums op{.left = allowed};
  std::vector<std::size_t> written;
  int num_read_ahead = 0;
  const work_that_may_throw work{
      .in = in, .op = op, .written = written, .num_read_ahead = num_read_ahead};
  every_other_tile claims(in.size(), 1);
  detail::look_back<int> sums(claims.num_tiles(), 7);
  for (std::size_t i = 0; i < claims.num_tiles(); i += 2) {
    sums.publish_sum(i, 4);
  }
  bool has_thrown = false;
  try {
    detail::scan_claimed<false>(work, claims, 0, sums);
  } catch (const std::runtime_error&) {
    has_thrown = true;
  }
  EXPECT_EQ(claims.is_stopped, has_thrown) << allowed;
  std::plus<> add;
  std::size_t num_whole = 0;
  for (const std::size_t i : claims.given) {
    const bool is_whole = std::ranges::count(written, i) == 1;
    num_whole += is_whole ? 1 : 0;
    // A tile that was written while the sum of the next one failed has failed, too.
    const std::optional<int> known = sums.before(i + 1, add);
    EXPECT_EQ(known.has_value(), is_whole) << allowed << ", " << i;
    if (known) {
      EXPECT_EQ(*known, 7 + 4 * static_cast<int>(i + 1)) << allowed;
    }
  }
  EXPECT_EQ(num_whole, written.size());
  EXPECT_TRUE(has_thrown || (num_read_ahead == 4 && written.size() == 5)) << allowed;
  return has_thrown;
}

/// Scans what is behind the third number, as the caller does with what is larger than the caches;
/// whether it was the caller alone, and past them.
struct call_past_caches {
  template <class How, class Op>
  static bool run(const How& how,
                  const std::vector<double>& in,
                  std::vector<double>& out,
                  const Op& op) {
    static constinit detail::cost_record costs;
    const detail::as_it_is map;
    detail::scan_work<detail::scan_kind::inclusive,
                      true,
                      double,
                      std::vector<double>::const_iterator,
                      double*,
                      const Op,
                      const detail::as_it_is>
        work{.in = in.begin(), .out = out.data(), .op = op, .map = map, .streams = false};
    double sum = 7;
    detail::scan_past_caches(how, work, 3, in.size(), costs, sum);
    return work.streams;  // by tiles, so few would not
  }
};

template <class Op>
void expect_past_caches(const decltype(weft::par)& policy, bool is_alone, const Op& op) {
  for (const std::size_t n : {4UL, 1003UL, 50'000UL, 50'001UL}) {
    std::vector<double> in(n);
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = static_cast<double>(i * i % 11);
    }
    std::vector<double> expected(n, -1.0);
    double sum = 7;
    for (std::size_t i = 3; i < n; ++i) {
      sum = op(sum, in[i]);
      expected[i] = sum;
    }
    std::vector<double> out(n, -1.0);
    const bool streamed = detail::launch<call_past_caches>(policy, in, out, op);
    ASSERT_EQ(out, expected) << n;
    EXPECT_TRUE(streamed || !is_alone) << n;
  }
}

}  // namespace weft::test
