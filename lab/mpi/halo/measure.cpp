// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples of all contestants are taken in turn, so that what disturbs one disturbs the others, too.
#include "lab/mpi/halo/measure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "lab/mpi/halo/options.hpp"
#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

struct runner {
  finding found;
  std::unique_ptr<contestant> who;
  std::ptrdiff_t num_planes = 1;  // that are computed meanwhile
};

std::string any_mismatch(const std::string& own, const place& where) {
  int is_wrong = own.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &is_wrong, 1, MPI_INT, MPI_MAX, where.comm);
  return is_wrong == 0 ? "" : own.empty() ? "another rank is wrong" : own;
}

double of_slowest(double own_s, const place& where) {
  MPI_Allreduce(MPI_IN_PLACE, &own_s, 1, MPI_DOUBLE, MPI_MAX, where.comm);
  return own_s;
}

/// Seconds per call on the slowest rank.
template <class Call>
double time_calls(int calls, const place& where, const Call& call) {
  MPI_Barrier(where.comm);
  const double begin = MPI_Wtime();
  for (int n = 0; n < calls; ++n) {
    call();
  }
  return of_slowest(MPI_Wtime() - begin, where) / calls;
}

/// Seconds per call of each step, the mean of all ranks.
std::array<double, 3> time_steps(contestant& who, int calls, const place& where) {
  std::array<double, 3> spent{};
  MPI_Barrier(where.comm);
  for (int n = 0; n < calls; ++n) {
    const double begin = MPI_Wtime();
    who.pack();
    const double packed = MPI_Wtime();
    who.transfer();
    const double transferred = MPI_Wtime();
    who.unpack();
    const double unpacked = MPI_Wtime();
    spent[0] += packed - begin;
    spent[1] += transferred - packed;
    spent[2] += unpacked - transferred;
  }
  MPI_Allreduce(MPI_IN_PLACE, spent.data(), 3, MPI_DOUBLE, MPI_SUM, where.comm);
  int num_ranks = 1;
  MPI_Comm_size(where.comm, &num_ranks);
  for (double& each : spent) {
    each /= static_cast<double>(calls) * num_ranks;
  }
  return spent;
}

/// Twice, as what is right at first may not be so when buffers are used again.
template <class Exchange>
void verify(runner& entry, const problem& what, const place& where, const Exchange& exchange) {
  for (int round = 0; round < 2 && entry.found.mismatch.empty(); ++round) {
    fill(what, where, entry.who->cells());
    exchange(*entry.who);
    MPI_Barrier(where.comm);
    entry.found.mismatch = any_mismatch(mismatch(what, where, entry.who->cells()), where);
  }
}

void exchange_once(contestant& who, measuring how) {
  switch (how) {
    case measuring::exchange:
      who.exchange();
      break;
    case measuring::steps:
      who.pack();
      who.transfer();
      who.unpack();
      break;
    case measuring::overlap:
      who.start();
      who.finish();
      break;
  }
}

/// Seven-point sums of the first planes that need no halo, into memory of their own.
class computation {
 public:
  explicit computation(const problem& what)
      : what_(what),
        result_(static_cast<std::size_t>(what.length(0) * what.length(1)) *
                static_cast<std::size_t>(what.length(2))) {}

  [[nodiscard]] std::ptrdiff_t max_planes() const { return what_.size[0] - 2 * what_.width; }

  /// The same planes again if there are more to do than there are. Calls `meanwhile` some times.
  template <class Meanwhile>
  void run(const fields& all, std::ptrdiff_t num_planes, const Meanwhile& meanwhile) {
    constexpr std::ptrdiff_t num_calls = 64;  // few where messages are as fast as a computation
    const std::ptrdiff_t between = (num_planes + num_calls - 1) / num_calls;
    for (std::ptrdiff_t n = 0; n < num_planes; ++n) {
      plane(all, 2 * what_.width + n % max_planes());
      if (n % between == between - 1) {
        meanwhile();
      }
    }
  }
  void run(const fields& all, std::ptrdiff_t num_planes) {
    run(all, num_planes, [] {});
  }

 private:
  void plane(const fields& all, std::ptrdiff_t i) {
    const std::ptrdiff_t row = all.row_length;
    const std::ptrdiff_t slab = row * what_.length(1);
    const double* const from = all.data.front();
    for (std::ptrdiff_t j = 2 * what_.width; j < what_.size[1]; ++j) {
      const double* const at = from + i * slab + j * row;
      double* const into = result_.data() + (i * what_.length(1) + j) * what_.length(2);
      for (std::ptrdiff_t k = 2 * what_.width; k < what_.size[2]; ++k) {
        into[k] = (at[k - slab] + at[k + slab] + at[k - row] + at[k + row] + at[k - 1] + at[k + 1] +
                   at[k]) /
                  7;
      }
    }
  }

  problem what_;
  std::vector<double> result_;
};

/// As many planes as take as long as an exchange. The same on all ranks.
std::ptrdiff_t planes_for(double exchange_s,
                          const fields& all,
                          computation& work,
                          const place& where) {
  long planes = std::max<long>(1, work.max_planes());
  for (int round = 0; round < 2; ++round) {  // the first is slow: its cells come from memory
    const double once_s = time_calls(3, where, [&] { work.run(all, planes); });
    planes =
        std::max<long>(1, static_cast<long>(exchange_s / once_s * static_cast<double>(planes)));
    MPI_Bcast(&planes, 1, MPI_LONG, 0, where.comm);
  }
  return planes;
}

void sample(runner& each, const options& how, const place& where, computation* work) {
  contestant& who = *each.who;
  const int calls = each.found.calls_per_sample;
  std::vector<series>& times = each.found.times;
  const auto exchange = [&] { exchange_once(who, how.how); };
  switch (how.how) {
    case measuring::exchange:
      times[0].samples_s.push_back(time_calls(calls, where, exchange));
      break;
    case measuring::steps: {
      const std::array<double, 3> spent = time_steps(who, calls, where);
      for (std::size_t n = 0; n < spent.size(); ++n) {
        times[n].samples_s.push_back(spent[n]);
      }
      break;
    }
    case measuring::overlap:
      times[0].samples_s.push_back(time_calls(calls, where, exchange));
      times[1].samples_s.push_back(
          time_calls(calls, where, [&] { work->run(who.cells(), each.num_planes); }));
      times[2].samples_s.push_back(time_calls(calls, where, [&] {
        exchange_once(who, how.how);
        work->run(who.cells(), each.num_planes);
      }));
      times[3].samples_s.push_back(time_calls(calls, where, [&] {
        who.start();
        work->run(who.cells(), each.num_planes);
        who.finish();
      }));
      if (who.has_progress()) {
        times[4].samples_s.push_back(time_calls(calls, where, [&] {
          who.start();
          work->run(who.cells(), each.num_planes, [&] { who.progress(); });
          who.finish();
        }));
      }
      break;
  }
}

std::vector<series> kinds(measuring how, const contestant& who) {
  switch (how) {
    case measuring::exchange:
      return {{"exchange", {}}};
    case measuring::steps:
      return {{"pack", {}}, {"transfer", {}}, {"unpack", {}}};
    case measuring::overlap:
      break;
  }
  std::vector<series> made{{"alone", {}}, {"compute", {}}, {"in_turn", {}}, {"together", {}}};
  if (who.has_progress()) {
    made.push_back({"progressed", {}});
  }
  return made;
}

}  // namespace

std::vector<finding> measure(const options& how,
                             const problem& what,
                             const place& where,
                             const std::vector<entry>& entries) {
  const own_fields own(what);
  const auto work = how.how == measuring::overlap ? std::make_unique<computation>(what) : nullptr;
  std::vector<runner> all;
  for (const entry& each : entries) {
    runner one{.found = {.contestant = each.name, .mismatch = {}, .times = {}, .report = {}},
               .who = each.make(what, where, own)};
    one.found.times = kinds(how.how, *one.who);
    if (how.how == measuring::steps && !one.who->has_steps()) {
      continue;
    }
    const auto exchange = [&](contestant& who) { exchange_once(who, how.how); };
    verify(one, what, where, exchange);
    if (how.how == measuring::overlap) {
      verify(one, what, where, [](contestant& who) {
        who.start();
        who.progress();
        who.finish();
      });
    }
    if (one.found.mismatch.empty()) {
      constexpr int warm_up = 3;
      const double once_s = time_calls(warm_up, where, [&] { exchange(*one.who); });
      one.found.calls_per_sample =
          std::max(1, static_cast<int>(std::min(1e5, how.min_sample_s / once_s)));
      MPI_Bcast(&one.found.calls_per_sample, 1, MPI_INT, 0, where.comm);
      if (work != nullptr) {
        one.num_planes = planes_for(once_s, one.who->cells(), *work, where);
      }
    }
    all.push_back(std::move(one));
  }
  for (std::size_t n = 0; n < how.num_samples; ++n) {
    for (runner& each : all) {
      if (each.found.mismatch.empty()) {
        sample(each, how, where, work.get());
      }
    }
  }
  std::vector<finding> found;
  for (runner& each : all) {
    each.found.report = each.who->report();
    found.push_back(std::move(each.found));
  }
  // Windows end in the same order on all ranks, the last made first.
  while (!all.empty()) {
    all.pop_back();
  }
  return found;
}

}  // namespace weft::lab::halo_bench
