// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The courses of problem round, a meal without tasks, and the conditions of every valid meal.
#include "lab/inncabs/round/round.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/round/dining_table.hpp"

namespace weft::lab::inncabs::round {
namespace {

/// Random integers of ms from 1 to 10 whose sum is `full_after`: the last one is shortened.
std::vector<milliseconds> courses_of(std::mt19937_64& random, milliseconds full_after) {
  // Uses the modulus, because the numbers of standard distributions differ between libraries.
  constexpr std::uint64_t longest_ms = 10;
  std::vector<milliseconds> courses;
  for (milliseconds left = full_after; left > milliseconds::zero(); left -= courses.back()) {
    courses.push_back(std::min(left, milliseconds(1 + random() % longest_ms)));
  }
  return courses;
}

std::string text_of_ns(nanoseconds duration) { return std::to_string(duration.count()) + " ns"; }

std::string mismatch_of_meal(const input& of, std::size_t i, const meal& found) {
  const std::string who = "philosopher " + std::to_string(i) + " ate ";
  if (found.num_courses != of.courses[i].size()) {
    return who + std::to_string(found.num_courses) + " courses, expected " +
           std::to_string(of.courses[i].size());
  }
  if (found.eaten < of.full_after) {
    return who + "for " + text_of_ns(found.eaten) + ", expected at least " +
           text_of_ns(of.full_after);
  }
  return {};
}

std::string mismatch_of_fork(const input& of, std::size_t i, std::uint64_t uses) {
  const std::size_t left_neighbour = (i + of.num_philosophers() - 1) % of.num_philosophers();
  const std::size_t expected = of.courses[i].size() + of.courses[left_neighbour].size();
  if (uses == expected) {
    return {};
  }
  return "fork " + std::to_string(i) + " was used " + std::to_string(uses) + " times, expected " +
         std::to_string(expected);
}

std::string mismatch_of_table(const input& of, const result& found) {
  if (found.meals.size() != of.num_philosophers() ||
      found.fork_uses.size() != of.num_philosophers()) {
    return std::to_string(found.meals.size()) + " meals with " +
           std::to_string(found.fork_uses.size()) + " forks, expected " +
           std::to_string(of.num_philosophers()) + " of each";
  }
  if (found.num_conflicts > 0) {
    return std::to_string(found.num_conflicts) + " times a fork was used by two at once";
  }
  const nanoseconds least = least_duration(of, of.num_philosophers());
  if (found.duration < least) {
    return "it took " + text_of_ns(found.duration) + ", it cannot take less than " +
           text_of_ns(least);
  }
  return {};
}

}  // namespace

void eat(milliseconds duration) {
  using clock = std::chrono::steady_clock;
  const clock::time_point end = clock::now() + duration;
  while (clock::now() < end) {
  }
}

input make_input(input_class which, std::uint64_t seed) {
  struct size {
    std::size_t num_philosophers;
    milliseconds full_after;
  };
  constexpr std::array<size, input_classes.size()> sizes{
      {{8, milliseconds(4)}, {64, milliseconds(10)}, {512, milliseconds(10)}}};
  const size& chosen = sizes[static_cast<std::size_t>(which)];
  std::mt19937_64 random(seed);
  input made{.courses = {}, .full_after = chosen.full_after};
  for (std::size_t i = 0; i < chosen.num_philosophers; ++i) {
    made.courses.push_back(courses_of(random, chosen.full_after));
  }
  return made;
}

result run_serial(const input& of) {
  dining_table<no_mutex> table(of);
  for (std::size_t i = 0; i < of.num_philosophers(); ++i) {
    table.dine(i, [](no_mutex& /*left*/, no_mutex& /*right*/) {});
  }
  return table.cleared();
}

std::string mismatch(const input& of, const result& found) {
  if (std::string wrong = mismatch_of_table(of, found); !wrong.empty()) {
    return wrong;
  }
  for (std::size_t i = 0; i < of.num_philosophers(); ++i) {
    if (std::string wrong = mismatch_of_meal(of, i, found.meals[i]); !wrong.empty()) {
      return wrong;
    }
    if (std::string wrong = mismatch_of_fork(of, i, found.fork_uses[i]); !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

std::optional<std::uint64_t> num_tasks(const input& of) { return of.num_philosophers(); }

std::string scaled(input_class /*which*/) { return {}; }

nanoseconds least_duration(const input& of, std::size_t num_workers) {
  const std::size_t most_at_once =
      std::min(num_workers, std::max<std::size_t>(1, of.num_philosophers() / 2));
  const nanoseconds all = of.full_after * of.num_philosophers();
  return std::max<nanoseconds>(of.full_after, all / static_cast<std::int64_t>(most_at_once));
}

}  // namespace weft::lab::inncabs::round
