// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times halo exchanges, weft's and those written by hand, on the same cells; every contestant is
// checked before it is timed, and samples of all of them are taken in turn.
//
//   mpirun -n 2 weft_mpi_halo --size 250 --halo 3 --fields 3 --dims 2,1,1 --samples 11
//
// One JSON line per contestant: seconds per exchange, the slowest rank's.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <mpi.h>
#include <nlohmann/json.hpp>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

struct options {
  problem what;
  std::size_t num_samples = 11;
  double min_sample_s = 0.02;
  std::vector<std::string> only;  // names of contestants; empty: all
  bool wants_help = false;
};

constexpr const char* help =
    "mpirun -n RANKS weft_mpi_halo [--size CELLS] [--halo CELLS] [--fields 1..3] [--dims I,J,K]\n"
    "  [--samples N] [--sample-ms T] [--open] [--only NAME,NAME]\n"
    "  --size    inner cells per rank and dimension (64)   --dims    processes, 0: MPI's choice\n"
    "  --open    boundaries are not periodic               --samples per contestant (11)\n";

[[noreturn]] void bad_value(std::string_view option, std::string_view value) {
  throw std::invalid_argument("error: " + std::string(option) + " does not take \"" +
                              std::string(value) + "\"\n" + help);
}

int whole_number(std::string_view option, std::string_view text, int least) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < least) {
    bad_value(option, text);
  }
  return number;
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

void take(options& into, std::string_view option, std::string_view value) {
  if (option == "--size") {
    into.what.size = whole_number(option, value, 1);
  } else if (option == "--halo") {
    into.what.width = whole_number(option, value, 0);
  } else if (option == "--fields") {
    into.what.num_fields = whole_number(option, value, 1);
    if (into.what.num_fields > 3) {
      bad_value(option, value);
    }
  } else if (option == "--samples") {
    into.num_samples = static_cast<std::size_t>(whole_number(option, value, 1));
  } else if (option == "--sample-ms") {
    into.min_sample_s = whole_number(option, value, 0) * 1e-3;
  } else if (option == "--only") {
    into.only = listed(value);
  } else if (option == "--dims") {
    const std::vector<std::string> parts = listed(value);
    if (parts.size() != 3) {
      bad_value(option, value);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      into.what.dims[d] = whole_number(option, parts[d], 0);
    }
  } else {
    throw std::invalid_argument("error: no option " + std::string(option) + "\n" + help);
  }
}

options parsed(const std::vector<std::string_view>& arguments) {
  options made;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    if (arguments[n] == "--help") {
      made.wants_help = true;
    } else if (arguments[n] == "--open") {
      made.what.is_periodic = false;
    } else if (n + 1 < arguments.size()) {
      take(made, arguments[n], arguments[n + 1]);
      ++n;
    } else {
      throw std::invalid_argument("error: " + std::string(arguments[n]) + " needs a value\n" +
                                  help);
    }
  }
  if (made.what.width > made.what.size) {
    throw std::invalid_argument("error: --halo " + std::to_string(made.what.width) +
                                " is wider than --size " + std::to_string(made.what.size) + "\n");
  }
  return made;
}

place arranged(problem& what) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
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

struct timed {
  contestant* who = nullptr;
  std::string mismatch;  // of any rank
  int calls_per_sample = 1;
  std::vector<double> samples_s;
};

std::string any_mismatch(const std::string& own, const place& where) {
  int is_wrong = own.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &is_wrong, 1, MPI_INT, MPI_MAX, where.comm);
  return is_wrong == 0 ? "" : own.empty() ? "another rank is wrong" : own;
}

double time_calls(contestant& who, int calls, const place& where) {
  MPI_Barrier(where.comm);
  const double begin = MPI_Wtime();
  for (int n = 0; n < calls; ++n) {
    who.exchange();
  }
  double took = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, where.comm);
  return took / calls;
}

/// Twice, as what is right at first may not be so when buffers are used again.
void verify(timed& entry, const options& how, const place& where) {
  for (int round = 0; round < 2 && entry.mismatch.empty(); ++round) {
    fill(how.what, where, entry.who->cells());
    entry.who->exchange();
    MPI_Barrier(where.comm);
    entry.mismatch = any_mismatch(mismatch(how.what, where, entry.who->cells()), where);
  }
}

void measure(std::vector<timed>& all, const options& how, const place& where) {
  for (timed& each : all) {
    verify(each, how, where);
    if (each.mismatch.empty()) {
      constexpr int warm_up = 3;
      const double once_s = time_calls(*each.who, warm_up, where);
      each.calls_per_sample =
          std::max(1, static_cast<int>(std::min(1e5, how.min_sample_s / once_s)));
      MPI_Bcast(&each.calls_per_sample, 1, MPI_INT, 0, where.comm);
    }
  }
  for (std::size_t sample = 0; sample < how.num_samples; ++sample) {
    for (timed& each : all) {
      if (each.mismatch.empty()) {
        each.samples_s.push_back(time_calls(*each.who, each.calls_per_sample, where));
      }
    }
  }
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void print(const std::vector<timed>& all, const options& how, const place& where) {
  int ranks = 0;
  MPI_Comm_size(where.comm, &ranks);
  for (const timed& each : all) {
    nlohmann::json line{{"schema", 1},
                        {"record", "exchange"},
                        {"suite", "halo"},
                        {"contestant", each.who->name()},
                        {"ranks", ranks},
                        {"dims", where.dims},
                        {"size", how.what.size},
                        {"halo", how.what.width},
                        {"fields", how.what.num_fields},
                        {"periodic", how.what.is_periodic},
                        {"status", each.mismatch.empty() ? "ok" : "wrong"}};
    if (each.mismatch.empty()) {
      line["calls_per_sample"] = each.calls_per_sample;
      line["samples_s"] = each.samples_s;
      line["median_s"] = median(each.samples_s);
    } else {
      line["message"] = each.mismatch;
    }
    std::printf("%s\n", line.dump().c_str());
  }
}

int run(options how) {
  const place where = arranged(how.what);
  int exit_code = 0;
  {
    const own_fields own(how.what);
    std::vector<std::unique_ptr<contestant>> contestants;
    contestants.push_back(make_row_copies(how.what, where, own));
    contestants.push_back(make_cell_copies(how.what, where, own));
    contestants.push_back(make_datatypes(how.what, where, own));
    for (auto& each : make_weft(how.what, where, own)) {
      contestants.push_back(std::move(each));
    }
    std::vector<timed> all;
    for (const auto& each : contestants) {
      if (how.only.empty() || std::ranges::find(how.only, each->name()) != how.only.end()) {
        all.push_back({.who = each.get(), .mismatch = {}, .samples_s = {}});
      }
    }
    measure(all, how, where);
    if (where.rank == 0) {
      print(all, how, where);
    }
    const bool any_wrong =
        std::ranges::any_of(all, [](const timed& each) { return !each.mismatch.empty(); });
    exit_code = any_wrong ? 4 : 0;
  }
  MPI_Comm comm = where.comm;
  MPI_Comm_free(&comm);
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
        std::fputs(weft::lab::halo_bench::help, stdout);
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
  MPI_Finalize();
  return exit_code;
}
