// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft_tune: measures what a machine profile holds, and how much a profile helps.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <ratio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "weft/algorithms.hpp"
#include "weft/algorithms/detail/memory/page_memory.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/base/options.hpp"
#include "weft/base/profile.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"

#include "tasks/counters/calibration.hpp"

namespace {

using json = nlohmann::ordered_json;
using steady = std::chrono::steady_clock;
namespace detail = weft::algorithms::detail;

constexpr std::string_view help =
    "weft_tune: measure what ./weft tune writes into a machine profile\n"
    "\n"
    "usage: weft_tune values | start | first-calls | in-force\n"
    "\n"
    "  values       one launch's samples of every value, with WEFT_PROFILE=off\n"
    "  start        how long starting the workers took in this launch\n"
    "  first-calls  how long the first calls of a program take, with the profile in force\n"
    "  in-force     every value of the profile that this machine uses, and where it comes from\n"
    "  --help       print this text\n"
    "\n"
    "Each prints one JSON object. Times are in microseconds.\n"
    "example: WEFT_PROFILE=off weft_tune values\n";

double elapsed_us(steady::time_point since) {
  return std::chrono::duration<double, std::micro>(steady::now() - since).count();
}

template <class F>
double time_us(F&& f) {
  const steady::time_point begun = steady::now();
  f();
  return elapsed_us(begun);
}

/// Returns what the caches of the highest level hold together.
std::size_t all_caches_bytes() {
  static const std::size_t bytes = [] {
    const std::vector<weft::base::cache> caches = weft::base::read_topology().caches;
    int highest = 0;
    for (const weft::base::cache& each : caches) {
      highest = std::max(highest, each.level);
    }
    std::size_t sum = 0;
    for (const weft::base::cache& each : caches) {
      sum += each.level == highest ? static_cast<std::size_t>(each.size_bytes) : 0;
    }
    return std::max(sum, detail::last_level_cache_bytes());
  }();
  return bytes;
}

/// An array whose pages the workers touch first, so that they lie on all NUMA nodes.
template <class T>
class placed_array {
 public:
  placed_array(std::size_t n, T value)
      : data_(detail::allocate_placed<T>(n, detail::page_placement::blocked)), n_(n) {
    weft::uninitialized_fill(weft::par, begin(), end(), value);
  }
  placed_array(const placed_array&) = delete;
  placed_array& operator=(const placed_array&) = delete;
  ~placed_array() { detail::release_placed(data_, n_); }

  [[nodiscard]] T* begin() const noexcept { return data_; }
  [[nodiscard]] T* end() const noexcept { return data_ + n_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return n_ * sizeof(T); }

 private:
  T* data_;
  std::size_t n_;
};

/// Returns a size in bytes that no cache holds, and that leaves most of the memory free.
std::size_t large_bytes() {
  const std::size_t wanted = std::max(4 * all_caches_bytes(), std::size_t{64} << 20U);
  const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::min(wanted, memory / 16);
}

/// How long a first task takes: it starts the workers.
double measure_start_us() {
  return time_us([] { weft::async([] {}).get(); });
}

/// From starting a task to its beginning on a worker that sleeps.
std::vector<double> measure_wakes_us() {
  constexpr int num_wakes = 100;
  std::vector<double> samples;
  for (int i = 0; i != num_wakes; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // they search for a millisecond
    const steady::time_point begun = steady::now();
    samples.push_back(weft::async([begun] { return elapsed_us(begun); }).get());
  }
  return samples;
}

/// Lets the library itself decide how it writes to large ranges. "open": it cannot tell.
json measure_stores() {
  const std::size_t n = large_bytes() / sizeof(float);
  const placed_array from(n, 1.0F);
  const placed_array to(n, 0.0F);
  const auto positive = [](float x) { return x > 0; };
  for (int turn = 0; turn != 3; ++turn) {
    weft::fill(weft::par, to.begin(), to.end(), static_cast<float>(turn + 1));
    weft::fill(weft::par, to.begin(), to.end(), 0.0F);
    weft::copy(weft::par, from.begin(), from.end(), to.begin());
    weft::transform(weft::par, from.begin(), from.end(), to.begin(), [](float x) { return x + 1; });
    weft::inclusive_scan(weft::par, from.begin(), from.end(), to.begin());
    weft::copy_if(weft::par, from.begin(), from.end(), to.begin(), positive);
  }
  constexpr std::array<std::string_view, weft::base::num_store_kinds> names{
      "fill", "copy", "map", "scan", "compact", "clear"};
  json verdicts;
  for (std::size_t kind = 0; kind != names.size(); ++kind) {
    using choice = detail::stream_trial::choice;
    const choice verdict = detail::trial_of(static_cast<detail::stream_kind>(kind)).verdict();
    verdicts[std::string(names[kind])] = verdict == choice::open    ? "open"
                                         : verdict == choice::plain ? "plain"
                                                                    : "streamed";
  }
  return verdicts;
}

/// The time to copy a range by all workers, and then to read the copy.
double time_copy_and_read_us(const placed_array<float>& from,
                             const placed_array<float>& to,
                             bool streamed) {
  const std::size_t num_bytes = from.size_bytes();
  const std::size_t num_parts = 8 * static_cast<std::size_t>(weft::default_runtime().num_workers());
  return time_us([&] {
    weft::for_loop(weft::par.with(weft::static_chunk_size(1)),
                   std::size_t{0},
                   num_parts,
                   [&](std::size_t part) {
                     const std::size_t first = part * num_bytes / num_parts / 64 * 64;
                     const std::size_t last = part + 1 == num_parts
                                                  ? num_bytes
                                                  : (part + 1) * num_bytes / num_parts / 64 * 64;
                     auto* const target = reinterpret_cast<char*>(to.begin()) + first;
                     const auto* const source = reinterpret_cast<const char*>(from.begin()) + first;
                     if (streamed) {
                       detail::stream_copy(target, source, last - first);
                       detail::stream_fence();
                     } else {
                       std::copy_n(source, last - first, target);
                     }
                   });
    const float sum = weft::reduce(weft::par, to.begin(), to.end(), 0.0F);
    asm volatile("" : : "g"(&sum) : "memory");
  });
}

/// From which size on non-temporal stores pay in a copy that is read next: pairs of times for growing
/// sizes.
json measure_stream_sizes() {
  json rows = json::array();
  const std::size_t cache = detail::last_level_cache_bytes();
  for (std::size_t touched = cache / 4; touched <= std::min(4 * cache, 2 * large_bytes());
       touched *= 2) {
    const std::size_t n = touched / 2 / sizeof(float);
    const placed_array from(n, 1.0F);
    const placed_array to(n, 0.0F);
    json plain = json::array();
    json streamed = json::array();
    for (int turn = 0; turn != 8; ++turn) {
      const double plain_us = time_copy_and_read_us(from, to, false);
      const double streamed_us = time_copy_and_read_us(from, to, true);
      if (turn != 0) {  // the first ones touch memory
        plain.push_back(plain_us);
        streamed.push_back(streamed_us);
      }
    }
    rows.push_back({{"bytes", touched}, {"plain_us", plain}, {"streamed_us", streamed}});
  }
  return rows;
}

/// How fast 1, 2, 4, ... workers read memory, in GB/s.
json measure_reading() {
  const std::size_t n = 2 * large_bytes() / sizeof(double);
  const placed_array values(n, 1.0);
  const auto all = static_cast<std::size_t>(weft::default_runtime().num_workers());
  std::vector<std::size_t> counts;
  for (std::size_t workers = 1; workers < all; workers *= 2) {
    counts.push_back(workers);
  }
  counts.push_back(all);
  std::vector<json> rates(counts.size(), json::array());
  for (int turn = 0; turn != 6; ++turn) {
    for (std::size_t i = 0; i != counts.size(); ++i) {
      double sum = 0;
      const double us = time_us([&] {
        sum =
            weft::reduce(weft::par.with(weft::num_cores(counts[i])), values.begin(), values.end());
      });
      if (sum != static_cast<double>(n)) {
        throw std::runtime_error("a sum of ones is wrong");
      }
      if (turn != 0) {
        rates[i].push_back(static_cast<double>(n * sizeof(double)) / us / 1000);
      }
    }
  }
  json rows = json::array();
  for (std::size_t i = 0; i != counts.size(); ++i) {
    rows.push_back({{"workers", counts[i]}, {"gb_per_s", rates[i]}});
  }
  return rows;
}

json origin_json() {
  const weft::base::profile_origin here = weft::base::this_origin();
  return {{"processor", here.processor},
          {"cpus", here.cpus},
          {"weft", here.weft},
          {"build", here.build}};
}

json values() {
  json all{{"origin", origin_json()}};
  measure_start_us();
  all["wake_us"] = measure_wakes_us();
  using weft::tasks::detail::run_kind;
  weft::tasks::detail::timing_cost cost = weft::tasks::detail::timing_cost_of_process();
  all["timing"] = {{"called_ticks", cost.added_to(run_kind::called)},
                   {"looped_ticks", cost.added_to(run_kind::looped)},
                   {"grouped_ticks", cost.added_to(run_kind::grouped)},
                   {"cost_ticks", cost.cost_ticks}};
  all["cache_bytes"] = all_caches_bytes();
  all["reading"] = measure_reading();
  all["stores"] = measure_stores();
  all["stream_sizes"] = measure_stream_sizes();
  return all;
}

/// A program's first task, its first short loop, and its first loops over large ranges.
json first_calls() {
  json times;
  times["first task"] = measure_start_us();
  std::vector<float> small(100'000, 1.0F);
  times["first loop of 100,000 elements"] = time_us([&] {
    weft::for_each(weft::par, small.begin(), small.end(), [](float& x) { x = x * x + 1; });
  });
  const std::size_t n = large_bytes() / sizeof(float);
  std::vector<float> from(n, 1.0F);
  std::vector<float> to(n, 1.0F);
  times["first copy of " + std::to_string(n * sizeof(float) >> 20U) + " MiB"] =
      time_us([&] { weft::copy(weft::par, from.begin(), from.end(), to.begin()); });
  times["first transform of as much"] = time_us([&] {
    weft::transform(weft::par, from.begin(), from.end(), to.begin(), [](float x) { return 2 * x; });
  });
  times["first fill of as much"] =
      time_us([&] { weft::fill(weft::par, to.begin(), to.end(), 3.0F); });
  return times;
}

json in_force() {
  const weft::base::profile_reading found =
      weft::base::read_profile(weft::base::process_environment, weft::base::this_origin());
  json rows = json::array();
  for (const weft::base::profile_value& value : found.all) {
    rows.push_back({{"name", value.name},
                    {"text", value.text.empty() ? json(nullptr) : json(value.text)},
                    {"line", value.line},
                    {"default", value.default_text},
                    {"meaning", value.meaning}});
  }
  return {{"file", found.file},
          {"is_there", found.is_there},
          {"problem", found.problem},
          {"origin", origin_json()},
          {"values", rows}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc == 2 ? argv[1] : "";
  if (wanted == "--help") {
    std::cout << help;
    return EXIT_SUCCESS;
  }
  constexpr std::array<std::pair<std::string_view, json (*)()>, 4> verbs{
      {{"values", values},
       {"start", [] { return json{{"start_us", measure_start_us()}}; }},
       {"first-calls", first_calls},
       {"in-force", in_force}}};
  const auto* const verb =
      std::ranges::find(verbs, wanted, &std::pair<std::string_view, json (*)()>::first);
  if (verb == verbs.end()) {
    std::cerr << "weft_tune: "
              << (argc == 2 ? "there is no '" + std::string(wanted) + "'" : "it takes one word")
              << "; weft_tune --help lists what it does\n";
    return 2;
  }
  try {
    std::cout << verb->second().dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    return EXIT_SUCCESS;
  } catch (const std::exception& problem) {
    std::cerr << "weft_tune: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
}
