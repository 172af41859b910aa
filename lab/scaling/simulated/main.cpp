// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulates the scheduler with 1 to 1024 workers, and prints one JSON line.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "weft/base/error.hpp"

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/scaling/simulated/modelled_lines.hpp"
#include "lab/scaling/simulated/real_runtime.hpp"
#include "lab/scaling/simulated/simulation.hpp"

namespace {

using namespace weft::lab::scaling::simulated;

constexpr std::array<const char*, 4> workload_names{"tree", "uts", "loop", "spread"};
constexpr std::array<const char*, 2> order_names{"near", "random"};
constexpr std::array<const char*, 2> start_names{"parked", "searching"};
constexpr std::array<const char*, num_operation_kinds> operation_names{
    "spawn", "join", "found_search", "failed_search", "steal", "request", "force", "wake", "park"};

struct chosen_options : model_options {
  bool is_real = false;
};

struct named_option {
  const char* name;
  const char* help;
  std::int64_t least;
  std::int64_t most;
  void (*set)(chosen_options& options, std::int64_t value);
  std::span<const char* const> words = {};  // the value is one of these, by its number
};

template <nanoseconds step_costs::* cost>
void set_cost(chosen_options& options, std::int64_t value) {
  options.costs.*cost = nanoseconds(value);
}

template <nanoseconds step_costs::* cost>
constexpr named_option cost_option(const char* name, const char* help) {
  return {name, help, 0, 1'000'000'000, set_cost<cost>};
}

constexpr std::int64_t any = 1'000'000'000;

constexpr std::array named_options{
    named_option{"--workload",
                 "tree (default), uts, loop, or spread: the wake-up of an idle machine",
                 0,
                 0,
                 [](chosen_options& o, std::int64_t v) { o.work.kind = workload_kind(v); },
                 workload_names},
    named_option{"--workers",
                 "1 to 1024 (default 1)",
                 1,
                 1024,
                 [](chosen_options& o, std::int64_t v) { o.num_workers = unsigned(v); }},
    named_option{"--size",
                 "leaves of tree, depth limit of uts, chunks of loop (default 65536)",
                 1,
                 any,
                 [](chosen_options& o, std::int64_t v) { o.work.size = std::uint32_t(v); }},
    named_option{"--body-ns",
                 "the length of a leaf, node or chunk (default 1000)",
                 0,
                 any,
                 [](chosen_options& o, std::int64_t v) { o.work.body = nanoseconds(v); }},
    named_option{"--order",
                 "random (default: workers are not bound), or near: the nearest first",
                 0,
                 0,
                 [](chosen_options& o, std::int64_t v) { o.rules.order = victim_order(v); },
                 order_names},
    named_option{"--fan-out",
                 "victims that a search visits and asks; 0 (default): all",
                 0,
                 1024,
                 [](chosen_options& o, std::int64_t v) { o.rules.fan_out = unsigned(v); }},
    named_option{"--wakes",
                 "workers that a worker wakes which has found work (default 1)",
                 1,
                 1024,
                 [](chosen_options& o, std::int64_t v) { o.rules.num_wakes = unsigned(v); }},
    named_option{"--wake-fan-out",
                 "workers that a wake asks to wake more; 0 (default): all",
                 0,
                 1024,
                 [](chosen_options& o, std::int64_t v) { o.rules.wake_fan_out = unsigned(v); }},
    named_option{"--unlink-at-once",
                 "0: a cancelled park walks the list of idle workers; 1 (default): it does not",
                 0,
                 1,
                 [](chosen_options& o, std::int64_t v) { o.rules.unlinks_at_once = v != 0; }},
    named_option{"--pass-victim",
                 "1: a woken worker first visits the victim of the worker that woke it",
                 0,
                 1,
                 [](chosen_options& o, std::int64_t v) { o.rules.passes_victim = v != 0; }},
    named_option{"--planted-sweep",
                 "1: each steal reads a line of every worker, a planted mistake",
                 0,
                 1,
                 [](chosen_options& o, std::int64_t v) { o.rules.has_planted_sweep = v != 0; }},
    named_option{"--start",
                 "the other workers are parked (default) or searching at first",
                 0,
                 0,
                 [](chosen_options& o, std::int64_t v) { o.starts_searching = v != 0; },
                 start_names},
    named_option{"--seed",
                 "of the victims' random order (default 1)",
                 0,
                 any,
                 [](chosen_options& o, std::int64_t v) { o.seed = std::uint32_t(v); }},
    named_option{"--real",
                 "1: measure the real runtime instead, and print the shortest call",
                 0,
                 1,
                 [](chosen_options& o, std::int64_t v) { o.is_real = v != 0; }},
    named_option{"--cores-per-package",
                 "default 128",
                 1,
                 1024,
                 [](chosen_options& o, std::int64_t v) { o.machine.cores_per_package = int(v); }},
    named_option{"--cores-per-cache",
                 "cores that share a level 3 cache (default 8)",
                 1,
                 1024,
                 [](chosen_options& o, std::int64_t v) { o.machine.cores_per_cache = int(v); }},
    cost_option<&step_costs::fork>("--fork-ns", "a push (default 1)"),
    cost_option<&step_costs::join>("--join-ns", "a claim (default 1)"),
    cost_option<&step_costs::probe>("--probe-ns", "a look at a line in the own cache (default 1)"),
    cost_option<&step_costs::line_cache>("--line-cache-ns",
                                         "a line from a core of the same cache (default 60)"),
    cost_option<&step_costs::line_package>("--line-package-ns",
                                           "a line from the same package (default 110)"),
    cost_option<&step_costs::line_machine>("--line-machine-ns",
                                           "a line from another package (default 200)"),
    cost_option<&step_costs::read_gap>("--read-gap-ns",
                                       "between transfers of one line to two readers (default 10)"),
    cost_option<&step_costs::barrier>("--barrier-ns", "membarrier (default 1800)"),
    cost_option<&step_costs::wake_call>("--wake-call-ns", "the call that wakes (default 2400)"),
    cost_option<&step_costs::wake_latency>(
        "--wake-latency-ns", "from that call until the woken thread runs (default 1900)"),
    cost_option<&step_costs::suspend>("--suspend-ns", "default 50"),
    cost_option<&step_costs::resume>("--resume-ns", "default 50"),
};

std::int64_t value_of(const named_option& option, std::string_view text) {
  std::string allowed;
  for (std::size_t i = 0; i < option.words.size(); ++i) {
    if (text == option.words[i]) {
      return static_cast<std::int64_t>(i);
    }
    allowed += (i == 0 ? "" : ", ") + std::string(option.words[i]);
  }
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!option.words.empty() || problem != std::errc{} || end != text.data() + text.size() ||
      value < option.least || value > option.most) {
    allowed = option.words.empty()
                  ? std::to_string(option.least) + " to " + std::to_string(option.most)
                  : allowed;
    throw weft::error("\"" + std::string(text) + "\" is no value of " + std::string(option.name) +
                      ": give " + allowed);
  }
  return value;
}

chosen_options options_in(std::span<char*> arguments) {
  chosen_options result;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    const auto* const found = std::ranges::find(named_options, name, &named_option::name);
    if (found == named_options.end() || i + 1 == arguments.size()) {
      throw weft::error("\"" + std::string(name) +
                        "\" is no option with a value: see weft_scheduler_model --help");
    }
    found->set(result, value_of(*found, arguments[i + 1]));
  }
  return result;
}

void print_help() {
  std::puts(
      "Simulates weft's scheduler on a made-up machine and prints one JSON line.\n"
      "weft_scheduler_model --workload tree --workers 256 --size 1048576 --body-ns 500\n");
  for (const named_option& each : named_options) {
    std::printf("  %-20s %s\n", each.name, each.help);
  }
}

void print(const model_options& options, const model_result& found) {
  std::printf(
      "{\"workload\": \"%s\", \"workers\": %u, \"size\": %u, \"seed\": %u, "
      "\"order\": \"%s\", \"fan_out\": %u, \"wakes\": %u, ",
      workload_names[static_cast<std::size_t>(options.work.kind)],
      options.num_workers,
      options.work.size,
      options.seed,
      order_names[static_cast<std::size_t>(options.rules.order)],
      options.rules.fan_out,
      options.rules.num_wakes);
  std::printf("\"time_ns\": %lld, \"all_have_work_ns\": ",
              static_cast<long long>(found.time.count()));
  if (found.all_have_work.count() == 0 && options.num_workers > 1) {
    std::printf("null");
  } else {
    std::printf("%lld", static_cast<long long>(found.all_have_work.count()));
  }
  std::printf(
      ", \"wake_steps\": %llu, \"bodies_ns\": %lld, \"tasks\": %llu, "
      "\"lost_steals\": %llu, \"longest_list\": %llu, \"operations\": {",
      static_cast<unsigned long long>(found.wake_steps),
      static_cast<long long>(found.bodies.count()),
      static_cast<unsigned long long>(found.num_tasks),
      static_cast<unsigned long long>(found.num_lost_steals),
      static_cast<unsigned long long>(found.longest_list));
  for (std::size_t i = 0; i < num_operation_kinds; ++i) {
    const operation_counts& each = found.operations[i];
    std::printf(
        "%s\"%s\": {\"number\": %llu, \"visited\": %llu, \"moved\": %llu, \"time_ns\": %lld}",
        i == 0 ? "" : ", ",
        operation_names[i],
        static_cast<unsigned long long>(each.number),
        static_cast<unsigned long long>(each.visited),
        static_cast<unsigned long long>(each.moved),
        static_cast<long long>(each.time.count()));
  }
  std::printf("}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::span arguments(argv + 1, static_cast<std::size_t>(argc - 1));
    if (!arguments.empty() && std::string_view(arguments[0]) == "--help") {
      print_help();
      return 0;
    }
    const chosen_options options = options_in(arguments);
    if (options.is_real) {
      std::printf("{\"time_ns\": %lld}\n",
                  static_cast<long long>(shortest_real_call(options).count()));
      return 0;
    }
    print(options, simulation(options).run());
    return 0;
  } catch (const weft::error& e) {
    static_cast<void>(std::fprintf(stderr, "weft_scheduler_model: %s\n", e.what()));
    return 2;
  }
}
