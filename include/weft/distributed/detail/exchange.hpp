// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common parts of the collective functions of distributed vectors: local work that may fail, and
// values that each rank sends to each other rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/distributed/collectives.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/local_of.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/future.hpp"

namespace weft::distributed::detail {

/// If a flag is set, throws on all ranks what `raised` is on the first rank with a flag. Collective.
void rethrow_first(std::span<const char> has_failed, const std::exception_ptr& raised);

template <class T, class Make>
std::vector<std::vector<T>> exchange(Make make);

/// The result of `part`, or the exception that it throws.
template <class Result>
struct part_outcome {
  char has_failed = 0;
  Result value{};
};

/// Calls `part` on each rank, and waits for all ranks; gives the results by rank. Collective.
/// Errors:  if `part` fails on some ranks, all ranks throw the exception of the first one.
template <class Part>
auto gather_parts(Part part) {
  using returned = decltype(part());
  using result = std::conditional_t<std::is_void_v<returned>, char, returned>;
  part_outcome<result> mine;
  std::exception_ptr raised;
  try {
    if constexpr (std::is_void_v<returned>) {
      part();
    } else {
      mine.value = part();
    }
  } catch (...) {
    raised = std::current_exception();
    mine.has_failed = 1;
  }
  std::vector<result> values;
  std::vector<char> has_failed;
  if constexpr (std::is_trivially_copyable_v<result>) {
    for (const part_outcome<result>& each : all_gather(mine).get()) {
      has_failed.push_back(each.has_failed);
      values.push_back(each.value);
    }
    rethrow_first(has_failed, raised);
  } else {
    has_failed = all_gather(mine.has_failed).get();
    rethrow_first(has_failed, raised);
    const auto to_all = [&] {
      return std::vector(has_failed.size(), std::vector<result>{mine.value});
    };
    for (std::vector<result>& each : exchange<result>(to_all)) {
      values.push_back(std::move(each.front()));
    }
  }
  return values;
}

/// Sends the r-th vector that `make` gives to each rank r; returns those that came, by rank.
/// Collective.
template <class T, class Make>
std::vector<std::vector<T>> exchange(Make make) {
  using vectors = std::vector<std::vector<T>>;
  const auto size = static_cast<std::size_t>(num_localities());
  const auto rank = static_cast<std::size_t>(here().rank());
  const local_of<vectors> received(size);
  static_cast<void>(gather_parts([&] {
    vectors to_each = make();
    std::vector<future<void>> sent;
    for (std::size_t i = 1; i < size; ++i) {
      const std::size_t to = (rank + i) % size;  // so that no rank is first for all
      if (!to_each[to].empty()) {
        sent.push_back(received[static_cast<int>(to)].async(
            [](vectors& all, std::size_t source, std::vector<T> values) {
              all[source] = std::move(values);
            },
            rank,
            std::move(to_each[to])));
      }
    }
    (*received)[rank] = std::move(to_each[rank]);
    for (future<void>& each : sent) {
      each.get();
    }
  }));
  return std::move(*received);
}

/// Moves elements between layouts of one size. Rank r passes the elements that rank `first_rank` + r
/// has in `from`, if any. It gets those of its elements in `to` that ranks pass. Collective.
template <class T>
void move_elements(const element_layout& from,
                   int first_rank,
                   std::span<const T> mine,
                   const element_layout& to,
                   std::span<T> into) {
  const int rank = here().rank();
  std::vector<std::vector<T>> pieces = exchange<T>([&] {
    std::vector<std::vector<T>> to_each(static_cast<std::size_t>(num_localities()));
    if (first_rank + rank < from.num_ranks()) {
      for_each_run(from, first_rank + rank, to, [&](std::size_t i, std::size_t n, int owner) {
        const std::span<const T> run = mine.subspan(i, n);
        auto& piece = to_each[static_cast<std::size_t>(owner)];
        piece.insert(piece.end(), run.begin(), run.end());
      });
    }
    return to_each;
  });
  static_cast<void>(gather_parts([&] {
    std::vector<std::size_t> num_taken(pieces.size());
    for_each_run(to, rank, from, [&](std::size_t i, std::size_t n, int owner) {
      const auto source = static_cast<std::size_t>(owner - first_rank);  // huge if before that rank
      if (source < pieces.size()) {
        const std::span<T> run = std::span(pieces[source]).subspan(num_taken[source], n);
        std::ranges::move(run, into.begin() + static_cast<std::ptrdiff_t>(i));
        num_taken[source] += n;
      }
    });
  }));
}

}  // namespace weft::distributed::detail
