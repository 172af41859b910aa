// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes records as JSON lines to standard output and flushes each, so that a rank that fails later
// loses none.
#include "lab/mpi/record.hpp"

#include <cstddef>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/mpi/halos.hpp"
#include "lab/mpi/placement.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

using nlohmann::json;
constexpr int schema = 1;

json described(const place& what) {
  json caches = json::object();
  for (std::size_t level = 0; level < what.cache_bytes.size(); ++level) {
    if (what.cache_bytes.at(level) > 0) {
      caches["L" + std::to_string(level + 1)] = what.cache_bytes.at(level);
    }
  }
  return {{"host", what.host},
          {"cpus", what.cpus},
          {"is_bound", what.is_bound},
          {"core", what.core},
          {"l2", what.l2},
          {"l3", what.l3},
          {"numa", what.numa},
          {"package", what.package},
          {"data_caches_bytes", std::move(caches)}};
}

std::string compiler() {
#if defined(__clang__)
  return "clang++ " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

void say_program(const world& ranks, const std::vector<place>& places, bool is_functional) {
  if (!ranks.is_root()) {
    return;
  }
  json all = json::array();
  for (const place& each : places) {
    all.push_back(described(each));
  }
  std::cout << json{{"schema", schema},
                    {"record", "mpi_program"},
                    {"suite", "mpi"},
                    {"library", library_version()},
                    {"compiler", compiler()},
                    {"num_ranks", ranks.size()},
                    {"halos", halo_names()},
                    {"ranks", std::move(all)},
                    {"is_functional_only", is_functional}}
            << '\n'
            << std::flush;
}

void say_result(const world& ranks, const json& what, const timed& times, bool is_functional) {
  const std::vector<double> medians = ranks.gather(median(times.own_s));
  if (!ranks.is_root()) {
    return;
  }
  json line{{"schema", schema},
            {"record", "mpi_result"},
            {"suite", "mpi"},
            {"status", "ok"},
            {"num_ranks", ranks.size()},
            {"is_functional_only", is_functional},
            {"calls_per_sample", times.calls_per_sample},
            {"samples_s", times.samples_s},
            {"rank_medians_s", medians}};
  line.update(what);
  std::cout << line << '\n' << std::flush;
}

void say_failure(std::string_view status, std::string_view message) {
  std::cout << json{{"schema", schema},
                    {"record", "mpi_result"},
                    {"suite", "mpi"},
                    {"status", status},
                    {"message", message},
                    {"samples_s", json::array()}}
            << '\n'
            << std::flush;
}

}  // namespace weft::lab::mpi
