// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times halo exchanges of weft and others on the same cells. Every contestant is checked before it
// is timed. Samples of all contestants are interleaved.
//
//   mpirun -n 2 weft_mpi_halo --size 250 --halo 3 --fields 3 --dims 2,1,1 --samples 11
//
// One JSON line per case and contestant.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <nlohmann/json.hpp>

#include "lab/mpi/halo/measure.hpp"
#include "lab/mpi/halo/neighbours.hpp"
#include "lab/mpi/halo/options.hpp"
#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

using nlohmann::json;

std::vector<entry> entries_of(const options& how) {
  std::vector<entry> found;
  std::vector<std::string> unknown = how.only;
  for (const std::span<const entry> some : {by_hand(),
                                            by_datatypes(),
                                            by_petsc(),
                                            by_gcl(),
                                            by_ghex(),
                                            by_weft(),
                                            by_weft_parts(),
                                            by_cuda()}) {
    for (const entry& each : some) {
      if (how.only.empty() ? !each.must_be_named
                           : std::ranges::find(how.only, each.name) != how.only.end()) {
        found.push_back(each);
        std::erase(unknown, std::string(each.name));
      }
    }
  }
  if (!unknown.empty()) {
    throw std::invalid_argument("error: --only: no contestant is called \"" + unknown.front() +
                                "\" in this build\n");
  }
  return found;
}

place arranged(problem& what, const options& how) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (how.expect_ranks != 0 && how.expect_ranks != size) {
    throw std::invalid_argument("error: " + std::to_string(how.expect_ranks) +
                                " ranks were started and this one is in a "
                                "world of " +
                                std::to_string(size) +
                                ": use the launcher of the MPI it was built with\n");
  }
  int fixed = 1;
  bool is_free = false;
  for (const int each : what.dims) {
    fixed *= std::max(each, 1);
    is_free = is_free || each == 0;
  }
  if (is_free ? size % fixed != 0 : size != fixed) {
    throw std::invalid_argument("error: --dims do not fit " + std::to_string(size) +
                                " ranks; put 0 where MPI may choose\n");
  }
  MPI_Dims_create(size, 3, what.dims.data());
  const int is_periodic = what.is_periodic ? 1 : 0;
  const std::array<int, 3> periodic{is_periodic, is_periodic, is_periodic};
  place made;
  made.dims = what.dims;
  MPI_Cart_create(MPI_COMM_WORLD, 3, what.dims.data(), periodic.data(), 0, &made.comm);
  MPI_Comm_rank(made.comm, &made.rank);
  MPI_Cart_coords(made.comm, made.rank, 3, made.coords.data());
  return made;
}

std::string_view name_of(measuring how) {
  switch (how) {
    case measuring::exchange:
      return "exchange";
    case measuring::steps:
      return "steps";
    case measuring::overlap:
      break;
  }
  return "overlap";
}

void say(const json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

void say_program(const options& how, const std::vector<entry>& entries) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view library(text.data(), static_cast<std::size_t>(length));
  int num_ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  json names = json::array();
  for (const entry& each : entries) {
    names.push_back(each.name);
  }
  say({{"schema", 1},
       {"record", "mpi_program"},
       {"suite", "halo"},
       {"library", library.substr(0, library.find_first_of("\n,"))},
       {"num_ranks", num_ranks},
       {"contestants", names},
       {"is_functional_only", how.is_functional}});
}

json described(const problem& what, const place& where) {
  const traffic bytes = traffic_of(what, where);
  return {{"size", what.size},
          {"halo", what.width},
          {"fields", what.num_fields},
          {"dims", where.dims},
          {"periodic", what.is_periodic},
          {"face_bytes", bytes.face_bytes},
          {"edge_bytes", bytes.edge_bytes},
          {"corner_bytes", bytes.corner_bytes},
          {"sent_bytes", bytes.sent_bytes},
          {"num_directions", bytes.num_directions},
          {"num_peers", bytes.num_peers}};
}

void say_result(const finding& found, const options& how, const json& params) {
  int num_ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  json line{{"schema", 1},
            {"record", "mpi_result"},
            {"suite", "halo"},
            {"problem", name_of(how.how)},
            {"contestant", found.contestant},
            {"params", params},
            {"num_ranks", num_ranks},
            {"is_functional_only", how.is_functional},
            {"status", found.mismatch.empty() ? "ok" : "wrong"}};
  if (found.mismatch.empty()) {
    line["calls_per_sample"] = found.calls_per_sample;
    if (!found.num_planes.empty()) {
      line["planes_per_exchange"] = found.num_planes;
    }
    for (const series& each : found.times) {
      line[std::string(each.name) + "_s"] = each.samples_s;
    }
    if (how.wants_reports && !found.report.empty()) {
      line["report"] = found.report;
    }
  } else {
    line["message"] = std::string(found.contestant) + ": " + found.mismatch;
  }
  say(line);
}

int run(const options& how) {
  const std::vector<entry> entries = entries_of(how);
  int exit_code = 0;
  bool is_first = true;
  for (problem what : how.cases) {
    const place where = arranged(what, how);
    if (is_first && where.rank == 0) {
      say_program(how, entries);
    }
    is_first = false;
    const json params = described(what, where);
    for (const finding& each : measure(how, what, where, entries)) {
      exit_code = each.mismatch.empty() ? exit_code : 4;
      if (where.rank == 0) {
        say_result(each, how, params);
      }
    }
    MPI_Comm comm = where.comm;
    MPI_Comm_free(&comm);
  }
  return exit_code;
}

}  // namespace
}  // namespace weft::lab::halo_bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int exit_code = 2;
  try {
    const auto how = weft::lab::halo_bench::parsed({argv + 1, argv + argc});
    if (how.wants_help) {
      if (rank == 0) {
        std::fputs(std::string(weft::lab::halo_bench::help()).c_str(), stdout);
      }
      exit_code = 0;
    } else {
      exit_code = weft::lab::halo_bench::run(how);
    }
  } catch (const std::invalid_argument& wrong) {
    if (rank == 0) {
      std::fputs(wrong.what(), stderr);
    }
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "rank %d: %s\n", rank, failed.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  weft::lab::halo_bench::end_petsc();
  MPI_Finalize();
  return exit_code;
}
