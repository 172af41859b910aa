// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interleaves the samples of all contestants, so that a disturbance affects all of them.
#include "lab/distributed/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/distributed.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

using nlohmann::json;
constexpr double most_calls = 1 << 22;

struct runner {
  const contestant& who;
  std::size_t calls = 1;
  bool is_right = true;
  std::map<std::string_view, std::vector<double>> samples;
};

/// One sample. The largest values of all ranks.
outcome sample(const mpi::world& ranks, runner& each, std::size_t calls) {
  outcome found;
  {
    std::optional<distributed::runtime> job;
    if (each.who.is_weft) {
      job.emplace();
    }
    found = each.who.run(calls);
  }
  std::vector<double> values;
  values.reserve(found.readings.size());
  for (const reading& one : found.readings) {
    values.push_back(one.value);
  }
  values = ranks.max_of(values);
  for (std::size_t n = 0; n < values.size(); ++n) {
    found.readings[n].value = values[n];
  }
  each.is_right = ranks.all(found.is_right) && each.is_right;
  return found;
}

/// How many calls a sample has, from trials that grow.
std::size_t calls_for(const mpi::world& ranks, const sampling& how, runner& each) {
  constexpr double growth_max = 100;
  double calls = 1;
  for (int trial = 0; trial < 4; ++trial) {
    const outcome found = sample(ranks, each, static_cast<std::size_t>(calls));
    const double wanted = how.sample_s / std::max(found.readings.front().value, 1e-9);
    calls = std::clamp(std::floor(wanted), 1.0, std::min(growth_max * calls, most_calls));
  }
  return static_cast<std::size_t>(ranks.agree(static_cast<long long>(calls)));
}

void say(const mpi::world& ranks, const cell& what, const runner& each, bool is_functional) {
  json line{{"schema", 1},
            {"record", "mpi_result"},
            {"suite", "distributed"},
            {"cell", what.name},
            {"contestant", each.who.name},
            {"params", what.params},
            {"num_ranks", ranks.size()},
            {"is_functional_only", is_functional},
            {"status", each.is_right ? "ok" : "wrong"}};
  if (each.is_right) {
    line["calls_per_sample"] = each.calls;
    for (const auto& [name, values] : each.samples) {
      line[std::string(name)] = values;
    }
  } else {
    line["message"] = std::string(what.name) + " by " + std::string(each.who.name) +
                      ": an answer was wrong, so nothing was timed";
  }
  std::cout << line << '\n' << std::flush;
}

}  // namespace

bool measure(const mpi::world& ranks, const sampling& how, const cell& what, bool is_functional) {
  std::vector<runner> all;
  for (const contestant& each : what.contestants) {
    all.push_back({.who = each, .samples = {}});
    runner& one = all.back();
    static_cast<void>(sample(ranks, one, std::max<std::size_t>(1, what.fixed_calls / 10)));
    one.calls = what.fixed_calls;
    if (one.calls == 0) {
      one.calls = calls_for(ranks, how, one);
    }
  }
  for (std::size_t n = 0; n < how.num_samples; ++n) {
    for (runner& each : all) {
      if (each.is_right) {
        for (const reading& one : sample(ranks, each, each.calls).readings) {
          each.samples[one.name].push_back(one.value);
        }
      }
    }
  }
  bool are_right = true;
  for (const runner& each : all) {
    are_right = are_right && each.is_right;
    if (ranks.is_root()) {
      say(ranks, what, each, is_functional);
    }
  }
  return are_right;
}

}  // namespace weft::lab::calls
