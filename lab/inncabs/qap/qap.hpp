// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem qap: the cheapest assignment of facilities to locations, by branch and bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::qap {

constexpr std::size_t max_size = 16;

/// Flows between facilities, distances between locations: row-major `size` x `size` matrices.
struct input {
  std::string name;
  std::size_t size = 0;
  std::vector<std::int32_t> flow;
  std::vector<std::int32_t> distance;
  std::int64_t optimum = 0;
  /// The largest number of tasks. This is the fixed-task-limit variant, whose answer may be worse.
  std::optional<std::uint64_t> task_limit = {};

  [[nodiscard]] std::int64_t flow_between(std::size_t from, std::size_t to) const {
    return flow[from * size + to];
  }
  [[nodiscard]] std::int64_t distance_between(std::size_t from, std::size_t to) const {
    return distance[from * size + to];
  }
};

/// The first facilities in their locations, and the cost among them.
struct partial {
  std::array<std::uint8_t, max_size> location{};
  std::uint32_t used = 0;  // bit l: location l is used
  std::uint32_t num_placed = 0;
  std::int64_t cost = 0;

  [[nodiscard]] bool uses(std::size_t where) const { return ((used >> where) & 1U) != 0; }
};

struct result {
  std::int64_t cost = 0;
  /// The location of each facility; empty if a task limit ended the search before any assignment
  /// was complete.
  std::vector<std::size_t> location = {};
  /// Partial assignments whose cost was computed: depends on the order of the tasks.
  std::uint64_t nodes = 0;
  /// False if a task limit made the search skip branches.
  bool is_complete = true;
};

/// Returns `from` with the next facility in `where`, a location that it does not use.
[[nodiscard]] inline partial with_next(const input& of, const partial& from, std::size_t where) {
  const std::size_t next = from.num_placed;
  partial grown = from;
  grown.cost += of.flow_between(next, next) * of.distance_between(where, where);
  for (std::size_t other = 0; other < next; ++other) {
    const std::size_t there = from.location[other];
    grown.cost += of.flow_between(next, other) * of.distance_between(where, there) +
                  of.flow_between(other, next) * of.distance_between(there, where);
  }
  grown.location[next] = static_cast<std::uint8_t>(where);
  grown.used |= std::uint32_t{1} << where;
  ++grown.num_placed;
  return grown;
}

/// Larger than the cost of any assignment.
[[nodiscard]] std::int64_t worse_than_all(const input& of);

/// Returns the result whose best assignment is `best`; without one if `best` is not complete.
[[nodiscard]] result make_result(const input& of, const partial& best, std::uint64_t nodes);

inline constexpr description about{
    .name = "qap",
    .computes = "the cheapest assignment of facilities to locations",
    .structure = task_structure::recursive_unbalanced,
    .tasks = "one per facility and location, those in use included; about half of them do nothing",
    .synchronisation = "one atomic minimum, read by every task, prunes",
    .grain = granularity::very_fine,
    .input = "8 of the facilities and locations of QAPLIB's chr12a; chr12a; chr12c",
    .check = "the assignment costs what is claimed, and that is the optimum",
    .source =
        "Christofides and Benavent, \"An exact algorithm for the quadratic assignment "
        "problem on a tree\", Operations Research 37 (5), 1989; data and optima: Burkard, "
        "Karisch and Rendl, \"QAPLIB\", J. of Global Optimization 10, 1997"};

/// `chr12a`, `chr12b` and `chr12c` of QAPLIB; `chr12a_8`, the first 8 facilities and
/// locations of `chr12a`.
/// Errors:  `std::invalid_argument` if the name is unknown; the message lists the known ones.
[[nodiscard]] input make_instance(std::string_view name);

/// Published data: the same for every seed.
[[nodiscard]] input make_input(input_class which, std::uint64_t seed);

[[nodiscard]] result run_serial(const input& of);

/// Returns the error in `found`, or an empty text.
[[nodiscard]] std::string mismatch(const input& of, const result& found);

/// Unknown: it depends on the order in which solutions are found.
[[nodiscard]] inline std::optional<std::uint64_t> num_tasks(const input& /*of*/) { return {}; }

[[nodiscard]] std::string scaled(input_class which);

}  // namespace weft::lab::inncabs::qap
