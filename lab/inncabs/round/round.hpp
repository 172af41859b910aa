// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem round: philosophers who eat with two forks each until all are full.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::round {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// The durations of each philosopher's courses, in order; their sum is the same for all.
/// Shape:   at least two philosophers.
struct input {
  std::vector<std::vector<milliseconds>> courses;
  milliseconds full_after{};

  [[nodiscard]] std::size_t num_philosophers() const { return courses.size(); }
  /// The forks of philosopher `i` are i and this.
  [[nodiscard]] std::size_t right_fork(std::size_t i) const { return (i + 1) % courses.size(); }
};

/// The record of one philosopher.
struct meal {
  std::uint64_t num_courses = 0;
  nanoseconds eaten{};
};

struct result {
  std::vector<meal> meals;
  std::vector<std::uint64_t> fork_uses;
  /// How often a philosopher took a fork that another one was using.
  std::uint64_t num_conflicts = 0;
  nanoseconds duration{};
};

inline constexpr description about{
    .name = "round",
    .computes = "nothing: philosophers around a table spin while they hold two forks",
    .structure = task_structure::co_dependent,
    .tasks = "one per philosopher, made by one loop",
    .synchronisation = "a mutex per fork; each philosopher locks two at once for each course",
    .grain = granularity::coarse,
    .input =
        "8 philosophers who eat 4 ms each, 64 and 512 who eat 10 ms, in seeded courses of 1 "
        "to 10 ms",
    .check =
        "each ate every course for as long as meant; no fork was used twice at a time, and "
        "as often as its two neighbours ate; it took no less time than it can",
    .source =
        "Dijkstra, \"Hierarchical ordering of sequential processes\", Acta Informatica 1, "
        "1971; sizes as in Inncabs"};

input make_input(input_class which, std::uint64_t seed);

/// One philosopher after the other.
result run_serial(const input& of);

/// Returns the error in `found`, or an empty text.
std::string mismatch(const input& of, const result& found);

/// Returns the number of philosophers.
std::optional<std::uint64_t> num_tasks(const input& of);

/// Empty: no input was scaled down.
std::string scaled(input_class which);

/// Returns the least time of a meal on `num_workers` cores: neighbours cannot eat at the same time.
nanoseconds least_duration(const input& of, std::size_t num_workers);

/// Spins that long.
void eat(milliseconds duration);

}  // namespace weft::lab::inncabs::round
