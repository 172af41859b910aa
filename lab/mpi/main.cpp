// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The MPI bench program: reads a problem and its options, writes JSON lines, and returns an exit
// code.
#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "lab/mpi/options.hpp"
#include "lab/mpi/placement.hpp"
#include "lab/mpi/problems.hpp"
#include "lab/mpi/record.hpp"
#include "lab/mpi/world.hpp"

namespace {

namespace mpi = weft::lab::mpi;

constexpr int exit_refused = 2;
constexpr int exit_error = 3;
constexpr int exit_wrong = 4;

struct problem {
  std::string_view name;
  void (*run)(const mpi::setting&);
};

constexpr std::array<problem, 6> problems{{{"ring", mpi::run_ring},
                                           {"sum3d", mpi::run_sum3d},
                                           {"pingpong", mpi::run_pingpong},
                                           {"jacobi", mpi::run_jacobi},
                                           {"bandwidth", mpi::run_bandwidth},
                                           {"pack", mpi::run_pack}}};

const problem& named(std::string_view name) {
  std::string known;
  for (const problem& each : problems) {
    if (each.name == name) {
      return each;
    }
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  }
  throw mpi::bad_request("unknown problem '" + std::string(name) + "'; there are " + known);
}

/// `--functional yes`: ranks may share CPUs, and the result is marked as not a measurement.
/// `--expect-ranks n`: the launcher started n ranks; fewer means that launcher and library do not
/// match.
void run(const mpi::world& ranks, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    throw mpi::bad_request("no problem is named; type for example: mpirun -n 2 weft_mpi ring");
  }
  const problem& what = named(arguments.front());
  mpi::options given(arguments.subspan(1));
  const bool is_functional = given.yes("functional", false);
  const long long expected = given.number("expect-ranks", ranks.size(), 1);
  if (expected != ranks.size()) {
    throw mpi::bad_request(
        std::to_string(expected) + " ranks were started and this one is in a world of " +
        std::to_string(ranks.size()) +
        ": the launcher is not of the MPI that the program was built with; start it "
        "with the mpirun that lies beside its mpicxx");
  }
  const std::vector<mpi::place> places = mpi::all_places(ranks);
  if (mpi::share_a_cpu(places) && !is_functional) {
    throw mpi::bad_request(
        "ranks share a CPU, which makes messages a thousand times slower: start "
        "fewer ranks, bind them to cores, or add --functional yes to check "
        "answers only");
  }
  mpi::say_program(ranks, places, is_functional);
  what.run({ranks, places, given, is_functional});
}

/// All ranks find a refusal or a wrong answer alike, and rank 0 reports it. Any other error may be
/// known to one rank only, which then aborts all ranks.
int guarded(const mpi::world& ranks, std::span<const std::string> arguments) {
  const auto tell = [&ranks](std::string_view status, const std::exception& error) {
    if (ranks.is_root()) {
      mpi::say_failure(status, error.what());
      std::cerr << "weft_mpi: " << error.what() << '\n';
    }
  };
  try {
    run(ranks, arguments);
    return EXIT_SUCCESS;
  } catch (const mpi::bad_request& error) {
    tell("refused", error);
    return exit_refused;
  } catch (const mpi::wrong_answer& error) {
    tell("wrong", error);
    return exit_wrong;
  } catch (const std::exception& error) {
    mpi::say_failure("error", error.what());
    std::cerr << "weft_mpi: " << error.what() << '\n';
    MPI_Abort(ranks.comm(), exit_error);
    return exit_error;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::world ranks(&argc, &argv);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return guarded(ranks, arguments);
}
