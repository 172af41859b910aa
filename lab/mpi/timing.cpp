// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sampling loops.
#include "lab/mpi/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "lab/mpi/options.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

constexpr double batch_max = 1 << 16;
constexpr int warm_ups_max = 20;
constexpr double stable_within = 0.1;
constexpr std::size_t fixed_warm_ups_min = 10;

/// Returns this rank's seconds per call.
double time_batch(const world& ranks, std::size_t calls, const std::function<void()>& body) {
  ranks.barrier();
  const double begin_s = now_s();
  for (std::size_t call = 0; call < calls; ++call) {
    body();
  }
  return (now_s() - begin_s) / static_cast<double>(calls);
}

/// Returns the slowest rank's time: by its own time, a rank that takes no part in `body` would ask
/// for endless batches.
double slowest_of_batch(const world& ranks, std::size_t calls, const std::function<void()>& body) {
  return ranks.max_of({time_batch(ranks, calls, body)})[0];
}

std::size_t batch_of(const sampling& how, double call_s) {
  const double wanted = std::ceil(how.batch_s / std::max(call_s, 1e-9));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, batch_max));
}

/// Rank 0 decides whether to continue; the others follow.
bool goes_on(const world& ranks, const sampling& how, std::size_t taken, double begin_s) {
  const double elapsed_s = now_s() - begin_s;
  const bool has_enough = taken >= how.min_samples && elapsed_s >= how.min_time_s;
  const bool may =
      taken < how.max_samples && !has_enough && (elapsed_s < how.max_time_s || taken == 0);
  return ranks.agree(may ? 1 : 0) == 1;
}

/// Calls `body` until two successive batches agree; returns how many calls a batch needs.
std::size_t warmed_up(const world& ranks, const sampling& how, const std::function<void()>& body) {
  double last_s = slowest_of_batch(ranks, 1, body);
  auto calls = static_cast<std::size_t>(ranks.agree(static_cast<long long>(batch_of(how, last_s))));
  const double warm_up_end_s = now_s() + 0.2 * how.max_time_s;
  for (int round = 0; round < warm_ups_max; ++round) {
    const double call_s = slowest_of_batch(ranks, calls, body);
    const bool is_stable = std::abs(call_s / last_s - 1.0) < stable_within;
    last_s = call_s;
    calls = static_cast<std::size_t>(ranks.agree(static_cast<long long>(batch_of(how, call_s))));
    if (ranks.agree(is_stable || now_s() > warm_up_end_s ? 1 : 0) == 1) {
      break;
    }
  }
  return calls;
}

/// Runs a tenth of a batch whose number of calls is given.
std::size_t warmed_up(const world& ranks, std::size_t calls, const std::function<void()>& body) {
  static_cast<void>(
      slowest_of_batch(ranks, std::min(calls, std::max(fixed_warm_ups_min, calls / 10)), body));
  return calls;
}

}  // namespace

double now_s() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

timed sample(const world& ranks, const sampling& how, const std::function<void()>& body) {
  const std::size_t calls =
      how.calls == 0 ? warmed_up(ranks, how, body) : warmed_up(ranks, how.calls, body);
  timed found;
  found.calls_per_sample = calls;
  const double begin_s = now_s();
  while (goes_on(ranks, how, found.own_s.size(), begin_s)) {
    found.own_s.push_back(time_batch(ranks, calls, body));
  }
  found.samples_s = ranks.max_of(found.own_s);
  return found;
}

timed sample_own(const world& ranks, const sampling& how, const std::function<double()>& body) {
  timed found;
  static_cast<void>(body());
  const double begin_s = now_s();
  while (goes_on(ranks, how, found.own_s.size(), begin_s)) {
    found.own_s.push_back(body());
  }
  found.samples_s = ranks.max_of(found.own_s);
  return found;
}

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  const double upper = values[half];
  if (values.size() % 2 != 0) {
    return upper;
  }
  const double lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half));
  return 0.5 * (lower + upper);
}

}  // namespace weft::lab::mpi
