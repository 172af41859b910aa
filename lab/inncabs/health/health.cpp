// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, published results and serial form of problem health.
#include "lab/inncabs/health/health.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lab/inncabs/health/country.hpp"
#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::health {
namespace {

constexpr input test_input{.levels = 3,
                           .cities = 18,
                           .expected = {.population = 7280,
                                        .hospitals = 343,
                                        .personnel = 728,
                                        .check_ins = 5531,
                                        .in_village = 7160,
                                        .waiting = 80,
                                        .in_assessment = 26,
                                        .inside = 14}};

constexpr input small_input{.levels = 4,
                            .cities = 18,
                            .expected = {.population = 131200,
                                         .hospitals = 6175,
                                         .personnel = 13120,
                                         .check_ins = 96718,
                                         .in_village = 128997,
                                         .waiting = 1406,
                                         .in_assessment = 525,
                                         .inside = 272}};

constexpr input medium_input{.levels = 4,
                             .cities = 36,
                             .expected = {.population = 988000,
                                          .hospitals = 47989,
                                          .personnel = 98800,
                                          .check_ins = 721934,
                                          .in_village = 971855,
                                          .waiting = 10249,
                                          .in_assessment = 3901,
                                          .inside = 1995}};

void step(country& where, std::size_t village) {
  for (const std::size_t child : where.children(village)) {
    step(where, child);
  }
  const auto leaving = where.treat(village);
  if (!leaving.empty()) {
    where.take_referred(where.parent(village), leaving);
  }
  where.admit(village);
}

constexpr std::array<std::pair<const char*, std::uint64_t result::*>, 8> counted{
    {{"population", &result::population},
     {"hospitals", &result::hospitals},
     {"personnel", &result::personnel},
     {"check-ins", &result::check_ins},
     {"patients in their village", &result::in_village},
     {"patients waiting", &result::waiting},
     {"patients in assessment", &result::in_assessment},
     {"patients inside", &result::inside}}};

}  // namespace

input make_input(input_class which, std::uint64_t /*seed*/) {
  switch (which) {
    case input_class::tiny:
      return test_input;
    case input_class::small:
      return small_input;
    case input_class::paper:
      break;
  }
  return medium_input;
}

result run_serial(const input& from) {
  country where(from);
  for (std::uint32_t i = 0; i < from.num_steps; ++i) {
    step(where, country::capital);
  }
  return where.count();
}

std::string mismatch(const input& from, const result& found) {
  for (const auto& [name, member] : counted) {
    if (found.*member != from.expected.*member) {
      return std::string("the number of ") + name + " is " + std::to_string(found.*member) +
             ", expected " + std::to_string(from.expected.*member);
    }
  }
  return "";
}

std::optional<std::uint64_t> num_tasks(const input& from) {
  std::uint64_t below_capital = 0;
  std::uint64_t of_level = 1;
  for (std::uint32_t i = 1; i < from.levels; ++i) {
    of_level *= from.cities;
    below_capital += of_level;
  }
  return below_capital * from.num_steps;
}

std::string scaled(input_class /*which*/) { return ""; }

}  // namespace weft::lab::inncabs::health
