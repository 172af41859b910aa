// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times calls between ranks by weft beside the same work by MPI. Every answer is checked.
//
//   mpirun -n 2 --bind-to core weft_mpi_calls round_trip,bandwidth --samples 11
//
// One JSON line per cell and contestant.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <malloc.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include "weft/tasks/runtime.hpp"

#include "lab/distributed/cells.hpp"
#include "lab/distributed/measure.hpp"
#include "lab/mpi/options.hpp"
#include "lab/mpi/placement.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::calls {
namespace {

using nlohmann::json;

constexpr int exit_refused = 2;
constexpr int exit_error = 3;
constexpr int exit_wrong = 4;

struct kind {
  std::string_view name;
  std::vector<cell> (*cells)(const setting&);
};

constexpr std::array<kind, 10> kinds{{{"round_trip", round_trip_cells},
                                      {"busy_round_trip", busy_round_trip_cells},
                                      {"post_rate", post_rate_cells},
                                      {"bandwidth", bandwidth_cells},
                                      {"collective", collective_cells},
                                      {"idle", idle_cells},
                                      {"memory", memory_cells},
                                      {"gups", gups_cells},
                                      {"heat", heat_cells},
                                      {"uts", uts_cells}}};

/// Cells by their names, separated by commas; `all`: all of them.
std::vector<kind> named(const std::string& names) {
  if (names == "all") {
    return {kinds.begin(), kinds.end()};
  }
  std::vector<kind> found;
  for (const auto part : std::views::split(names, ',')) {
    const std::string_view name(part.begin(), part.end());
    const auto* const one = std::ranges::find(kinds, name, &kind::name);
    if (one == kinds.end()) {
      std::string known = "all";
      for (const kind& each : kinds) {
        known += ", " + std::string(each.name);
      }
      throw mpi::bad_request("unknown cell '" + std::string(name) + "'; there are " + known);
    }
    found.push_back(*one);
  }
  return found;
}

void say_program(const mpi::world& ranks, bool is_functional) {
  json names = json::array();
  for (const kind& each : kinds) {
    names.push_back(each.name);
  }
  std::cout << json{{"schema", 1},
                    {"record", "mpi_program"},
                    {"suite", "distributed"},
                    {"library", mpi::library_version()},
                    {"num_ranks", ranks.size()},
                    {"num_workers", default_runtime().num_workers()},
                    {"cells", std::move(names)},
                    {"is_functional_only", is_functional}}
            << '\n'
            << std::flush;
}

void say_failure(std::string_view status, std::string_view message) {
  std::cout << json{{"schema", 1},
                    {"record", "mpi_result"},
                    {"suite", "distributed"},
                    {"status", status},
                    {"message", message}}
            << '\n'
            << std::flush;
  std::cerr << "weft_mpi_calls: " << message << '\n';
}

int run(const mpi::world& ranks, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    throw mpi::bad_request(
        "no cell is named; type for example: mpirun -n 2 weft_mpi_calls round_trip");
  }
  const std::vector<kind> wanted = named(arguments.front());
  mpi::options given(arguments.subspan(1));
  const bool is_functional = given.yes("functional", false);
  const long long expected = given.number("expect-ranks", ranks.size(), 1);
  sampling how;
  how.num_samples = static_cast<std::size_t>(given.number("samples", 11, 1));
  how.sample_s = 1e-3 * static_cast<double>(given.number("sample-ms", 20, 0));
  setting with{.ranks = ranks,
               .sizes_bytes = given.numbers(
                   "sizes", {8, 512, 8192, 65536, 262144, 1 << 20, 4 << 20, 16 << 20}, 0)};
  with.idle_s = 1e-3 * static_cast<double>(given.number("idle-ms", 1000, 1));
  given.refuse_rest();
  if (expected != ranks.size() || ranks.size() < 2) {
    throw mpi::bad_request("this rank is in a world of " + std::to_string(ranks.size()) +
                           " ranks: start two or more with the mpirun of the MPI that the "
                           "program was built with");
  }
  if (std::ranges::any_of(with.sizes_bytes, [](long long size) { return size < 8; })) {
    throw mpi::bad_request("--sizes are sizes of arrays of doubles, at least 8 bytes each");
  }
  if (mpi::share_a_cpu(mpi::all_places(ranks)) && !is_functional) {
    throw mpi::bad_request(
        "ranks share a CPU, so that times mean nothing: start fewer ranks, bind them to cores, or "
        "add --functional yes to check answers only");
  }
  if (ranks.is_root()) {
    say_program(ranks, is_functional);
  }
  bool are_right = true;
  for (const kind& each : wanted) {
    for (const cell& one : each.cells(with)) {
      are_right = measure(ranks, how, one, is_functional) && are_right;
    }
  }
  return are_right ? EXIT_SUCCESS : exit_wrong;
}

/// All ranks find a refusal alike, and rank 0 reports it. Any other error may be known to one rank
/// only, which then ends the job.
int guarded(const mpi::world& ranks, std::span<const std::string> arguments) {
  try {
    return run(ranks, arguments);
  } catch (const mpi::bad_request& error) {
    if (ranks.is_root()) {
      say_failure("refused", error.what());
    }
    return exit_refused;
  } catch (const std::exception& error) {
    say_failure("error", error.what());
    MPI_Abort(ranks.comm(), exit_error);
    return exit_error;
  }
}

}  // namespace
}  // namespace weft::lab::calls

int main(int argc, char** argv) {
  // Freed memory stays with the process, as other allocators do it. Otherwise the page faults of new
  // memory would differ between threads, and between messages.
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
  const weft::lab::mpi::world ranks(&argc, &argv, MPI_THREAD_SERIALIZED);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return weft::lab::calls::guarded(ranks, arguments);
}
