// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interleaves the samples of all contestants, so that a disturbance affects all of them.
#include "lab/mpi/halo/measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/counters/tick_clock.hpp"
#include "weft/counters/ticks.hpp"

#include "lab/mpi/halo/options.hpp"
#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

struct runner {
  finding found;
  std::unique_ptr<contestant> who;
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

/// Returns the seconds per call on the slowest rank.
template <class Call>
double time_calls(int calls, const place& where, const Call& call) {
  MPI_Barrier(where.comm);
  const double begin = MPI_Wtime();
  for (int n = 0; n < calls; ++n) {
    call();
  }
  return of_slowest(MPI_Wtime() - begin, where) / calls;
}

/// Returns the seconds per call of each step, the mean of all ranks.
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

/// Twice, as an exchange may be right at first and wrong when buffers are used again.
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

/// Computes seven-point sums of the first planes that need no halo, into its own memory.
class computation {
 public:
  explicit computation(const problem& what)
      : what_(what),
        result_(static_cast<std::size_t>(what.length(0) * what.length(1)) *
                static_cast<std::size_t>(what.length(2))) {}

  [[nodiscard]] std::ptrdiff_t max_planes() const { return what_.size[0] - 2 * what_.width; }

  /// Computes `num_planes` planes; starts again at the first if there are fewer. Calls `meanwhile`
  /// some times.
  template <class Meanwhile>
  void run(const fields& all, std::ptrdiff_t num_planes, const Meanwhile& meanwhile) {
    // few compared with the computation, if messages are fast
    constexpr std::ptrdiff_t num_calls = 64;
    const std::ptrdiff_t between = (num_planes + num_calls - 1) / num_calls;
    for (std::ptrdiff_t n = 0; n < num_planes; n += between) {
      planes(all, n, std::min(n + between, num_planes));
      meanwhile();
    }
  }
  void run(const fields& all, std::ptrdiff_t num_planes) {
    run(all, num_planes, [] {});
  }

 private:
  /// Not inlined: all ways to compute must use the same instructions.
  [[gnu::noinline]] void planes(const fields& all, std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t n = first; n < last; ++n) {
      plane(all, 2 * what_.width + n % max_planes());
    }
  }
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

/// Returns the number of planes that take `wanted_s`: the closest of those timed, beginning with
/// `guess`.
template <class SecondsOf>
std::ptrdiff_t planes_for(double wanted_s, std::ptrdiff_t guess, const SecondsOf& seconds_of) {
  constexpr int most_rounds = 6;  // the first round may be slow: its cells come from memory
  constexpr double close_enough = 0.03;
  std::ptrdiff_t closest = guess;
  double closest_off = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds && closest_off > close_enough; ++round) {
    const double found_s = seconds_of(guess);
    const double off = std::abs(std::log(found_s / wanted_s));
    if (off < closest_off) {
      closest_off = off;
      closest = guess;
    }
    guess = std::max<long>(1, std::lround(wanted_s / found_s * static_cast<double>(guess)));
  }
  return closest;
}

/// Returns the number of planes that take as long as the shortest exchange so far; the same on all
/// ranks.
std::ptrdiff_t planes_as_long(const runner& each, const place& where, computation& work) {
  const std::vector<double>& alone_s = each.found.times.front().samples_s;
  const std::vector<std::ptrdiff_t>& before = each.found.num_planes;
  constexpr int num_tries = 3;
  const int calls = std::max(1, each.found.calls_per_sample / num_tries);
  const auto seconds_of = [&](std::ptrdiff_t planes) {
    const auto once = [&] { work.run(each.who->cells(), planes); };
    double least_s = std::numeric_limits<double>::infinity();
    for (int n = 0; n < num_tries; ++n) {
      least_s = std::min(least_s, time_calls(calls, where, once));
    }
    return least_s;
  };
  return planes_for(
      std::ranges::min(alone_s), before.empty() ? work.max_planes() : before.back(), seconds_of);
}

/// The time within a contestant's calls while a program computes.
class stopwatch {
 public:
  template <class Call>
  void time(const Call& call) {
    const std::uint64_t begin = counters::ticks_now();
    call();
    ticks_ += counters::ticks_now() - begin;
  }
  /// Returns seconds, the mean of all ranks.
  [[nodiscard]] double mean_s(const place& where) const {
    double seconds = static_cast<double>(ticks_) * counters::seconds_per_tick();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, where.comm);
    int num_ranks = 1;
    MPI_Comm_size(where.comm, &num_ranks);
    return seconds / num_ranks;
  }

 private:
  std::uint64_t ticks_ = 0;
};

/// Adds a sample of a way to compute and exchange, and the time of the exchange in it.
template <class Way>
void sample_both(const Way& way,
                 int calls,
                 const place& where,
                 std::vector<series>::iterator into) {
  stopwatch exchanging;
  into[0].samples_s.push_back(time_calls(calls, where, [&] { way(exchanging); }));
  into[1].samples_s.push_back(exchanging.mean_s(where) / calls);
}

void sample_overlap(runner& each, const place& where, computation& work) {
  contestant& who = *each.who;
  const int calls = each.found.calls_per_sample;
  auto into = each.found.times.begin();
  const auto exchange = [&] { exchange_once(who, measuring::overlap); };
  (into++)->samples_s.push_back(time_calls(calls, where, exchange));
  // Determined again for each sample, since a machine's speed changes.
  const std::ptrdiff_t planes = planes_as_long(each, where, work);
  each.found.num_planes.push_back(planes);
  const auto compute = [&] { work.run(who.cells(), planes); };
  (into++)->samples_s.push_back(time_calls(calls, where, compute));
  const auto in_turn = [&](stopwatch& exchanging) {
    exchanging.time(exchange);
    compute();
  };
  const auto together = [&](stopwatch& exchanging) {
    exchanging.time([&] { who.start(); });
    compute();
    exchanging.time([&] { who.finish(); });
  };
  const auto progressed = [&](stopwatch& exchanging) {
    exchanging.time([&] { who.start(); });
    work.run(who.cells(), planes, [&] { exchanging.time([&] { who.progress(); }); });
    exchanging.time([&] { who.finish(); });
  };
  sample_both(in_turn, calls, where, into);
  sample_both(together, calls, where, into + 2);
  if (who.has_progress()) {
    sample_both(progressed, calls, where, into + 4);
  }
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
      sample_overlap(each, where, *work);
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
  std::vector<series> made{{"alone", {}},
                           {"compute", {}},
                           {"in_turn", {}},
                           {"in_turn_exchanging", {}},
                           {"together", {}},
                           {"together_exchanging", {}}};
  if (who.has_progress()) {
    made.push_back({"progressed", {}});
    made.push_back({"progressed_exchanging", {}});
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
    runner one{.found = {.contestant = each.name,
                         .mismatch = {},
                         .num_planes = {},
                         .times = {},
                         .report = {}},
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
  // Windows end in the same order on all ranks, the last one first.
  while (!all.empty()) {
    all.pop_back();
  }
  return found;
}

}  // namespace weft::lab::halo_bench
