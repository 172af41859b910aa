// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How patients move between their villages and the hospitals of problem health.
#include "lab/inncabs/health/country.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

#include "lab/inncabs/health/health.hpp"

namespace weft::lab::inncabs::health {
namespace {

constexpr std::int32_t schrage_quotient = 127773;  // (2^31 - 1) / 16807
constexpr std::int32_t modulus = 2147483647;

/// Removes the patients for whom `leaves` returns true; the others keep their order. Not
/// `std::erase_if`, because `leaves` may change its patient.
void sift(std::vector<patient>& list, auto leaves) {
  auto kept = list.begin();
  for (auto each = list.begin(); each != list.end(); ++each) {
    if (leaves(*each)) {
      continue;
    }
    if (kept != each) {
      *kept = *each;
    }
    ++kept;
  }
  list.erase(kept, list.end());
}

std::size_t num_villages_above(const input& from, std::uint32_t level) {
  std::size_t villages = 0;
  std::size_t of_level = 1;
  for (std::uint32_t i = from.levels; i > level; --i) {
    villages += of_level;
    of_level *= from.cities;
  }
  return villages;
}

}  // namespace

float next_random(std::uint32_t& state) {
  constexpr std::uint32_t mask = 123459876;
  const auto masked = std::bit_cast<std::int32_t>(state ^ mask);
  const std::int32_t product =
      16807 * (masked % schrage_quotient) - 2836 * (masked / schrage_quotient);
  auto deviate = std::bit_cast<std::int32_t>(std::bit_cast<std::uint32_t>(product) ^ mask);
  if (deviate < 0) {
    deviate += modulus;
  }
  state = std::bit_cast<std::uint32_t>(deviate) * static_cast<std::uint32_t>(modulus);
  return static_cast<float>(1.0 / modulus) * static_cast<float>(deviate);
}

country::country(const input& from)
    : rules_(from),
      villages_(num_villages_above(from, 0)),
      num_parents_(num_villages_above(from, 1)) {
  make_room();
  std::uint32_t next_id = 0;
  settle(capital, from.levels, next_id);
}

/// Siblings are adjacent, in the order in which the serial program visits them; visiting them
/// backwards is slower.
void country::make_room() {
  auto next = villages_.begin();
  std::size_t of_level = 1;
  for (std::uint32_t level = rules_.levels; level > 0; --level) {
    for (std::size_t i = 0; i < of_level; ++i) {
      next++->healthy.reserve(num_patients(level));
    }
    of_level *= rules_.cities;
  }
}

/// Patients are numbered village by village in preorder, the last child first.
void country::settle(std::size_t number, std::uint32_t level, std::uint32_t& next_id) {
  town& here = villages_[number];
  here.num_free_personnel = num_personnel(level);
  auto state = static_cast<std::uint32_t>(number * (schrage_quotient + rules_.seed));
  for (std::uint32_t i = 0; i < num_patients(level); ++i) {
    here.healthy.push_back({.id = next_id++, .random_state = state});
    next_random(state);
  }
  for (const std::size_t child : std::views::reverse(children(number))) {
    settle(child, level - 1, next_id);
  }
}

void country::check_in(town& where, patient who) const {
  ++who.num_check_ins;
  if (where.num_free_personnel > 0) {
    start_assessment(where, who);
  } else {
    where.waiting.push_back(who);
  }
}

void country::start_assessment(town& where, patient who) const {
  --where.num_free_personnel;
  who.steps_left = rules_.assessment_steps;
  where.in_assessment.push_back(who);
}

void country::release_recovered(town& where) const {
  sift(where.inside, [&where](patient& who) {
    if (--who.steps_left > 0) {
      return false;
    }
    ++where.num_free_personnel;
    where.healthy.push_back(who);
    return true;
  });
}

/// The capital cannot refer patients: all who need convalescence stay inside.
void country::assess(town& where, bool is_capital, std::vector<patient>& leaving) const {
  sift(where.in_assessment, [&, this](patient& who) {
    if (--who.steps_left > 0) {
      return false;
    }
    if (next_random(who.random_state) >= rules_.convalescence_probability) {
      ++where.num_free_personnel;
      where.healthy.push_back(who);
    } else if (next_random(who.random_state) > rules_.reallocation_probability || is_capital) {
      who.steps_left = rules_.convalescence_steps;
      where.inside.push_back(who);
    } else {
      ++where.num_free_personnel;
      leaving.push_back(who);
    }
    return true;
  });
}

void country::call_waiting(town& where) const {
  sift(where.waiting, [&where, this](const patient& who) {
    if (where.num_free_personnel == 0) {
      return false;
    }
    start_assessment(where, who);
    return true;
  });
}

std::vector<patient> country::treat(std::size_t village) {
  auto& here = villages_[village];
  std::vector<patient> leaving;
  release_recovered(here);
  assess(here, village == capital, leaving);
  call_waiting(here);
  return leaving;
}

void country::take_referred(std::size_t village, const std::vector<patient>& patients) {
  auto& referred = villages_[village].referred;
  referred.insert(referred.end(), patients.begin(), patients.end());
}

void country::admit(std::size_t village) {
  auto& here = villages_[village];
  std::ranges::sort(here.referred, {}, &patient::id);
  for (const patient& each : here.referred) {
    check_in(here, each);
  }
  here.referred.clear();
  sift(here.healthy, [&, this](patient& who) {
    if (next_random(who.random_state) >= rules_.sick_probability) {
      return false;
    }
    check_in(here, who);
    return true;
  });
}

result country::count() const {
  result sum{.hospitals = villages_.size()};
  for (const town& each : villages_) {
    sum.personnel += each.num_free_personnel + each.in_assessment.size() + each.inside.size();
    sum.in_village += each.healthy.size();
    sum.waiting += each.waiting.size();
    sum.in_assessment += each.in_assessment.size();
    sum.inside += each.inside.size();
    sum.population += each.referred.size();
    for (const auto* list :
         {&each.healthy, &each.waiting, &each.in_assessment, &each.inside, &each.referred}) {
      for (const patient& who : *list) {
        sum.check_ins += who.num_check_ins;
      }
    }
  }
  sum.population += sum.in_village + sum.waiting + sum.in_assessment + sum.inside;
  return sum;
}

}  // namespace weft::lab::inncabs::health
