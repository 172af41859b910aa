// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulation of the scheduler assumes: costs, rules and the workload.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft::lab::scaling::simulated {

using std::chrono::nanoseconds;

/// How long each step takes. docs/scheduler_scaling.md names the source of every default.
struct step_costs {
  nanoseconds fork{1};  // a push and its part of the call, all lines in the worker's cache
  nanoseconds join{1};
  nanoseconds probe{1};  // a load of another worker's line that is in the own cache
  // a transfer of a line from another core, by the nearest part of the machine that both share
  nanoseconds line_core{20};
  nanoseconds line_cache{60};
  nanoseconds line_package{110};
  nanoseconds line_machine{200};
  nanoseconds read_gap{10};  // between two transfers of one line to two readers
  nanoseconds fence{8};
  nanoseconds pause{13};
  nanoseconds clock_read{25};
  nanoseconds barrier{1800};       // membarrier while other threads of the process run
  nanoseconds wake_call{2400};     // of the thread that wakes
  nanoseconds wake_latency{1900};  // from the call until the woken thread runs
  nanoseconds suspend{50};
  nanoseconds resume{50};
};

/// The order in which a searching worker visits the others.
enum class victim_order : std::uint8_t { near, random };

/// The rules that may be varied. The defaults are those of the runtime.
struct scheduling_rules {
  victim_order order = victim_order::random;  // `near`: workers are bound to CPUs
  /// Victims that a search visits and asks: half of them the nearest, half random; 0: all.
  unsigned fan_out = 0;
  unsigned num_wakes = 1;  // how many workers a worker wakes that has found work
  /// Workers that a wake asks to wake more and looks at for more work, the victim first; 0: all.
  unsigned wake_fan_out = 0;
  bool unlinks_at_once = true;  // a park is cancelled without a walk over the list of idle workers
  bool passes_victim = false;   // a woken worker first visits the victim of the worker that woke it
  bool has_planted_sweep = false;  // a mistake for tests: each steal reads a line of every worker
};

/// The made-up machine, on which worker i is bound to core i.
struct machine_shape {
  int cores_per_package = 128;
  int cores_per_cache = 8;
};

enum class workload_kind : std::uint8_t {
  tree,   // a balanced fork-join tree
  uts,    // the unbalanced tree T1 of the UTS benchmark, cut at a depth
  loop,   // a parallel loop: each worker is offered a share, shares claim chunks from one counter
  spread  // as many tasks as workers, which end only when every worker has one
};

struct workload_options {
  workload_kind kind = workload_kind::tree;
  std::uint32_t size = 1U << 16;  // leaves, the depth limit of uts, or chunks
  nanoseconds body{1000};         // the length of a leaf, of a node of uts, or of a chunk
};

struct model_options {
  unsigned num_workers = 1;
  std::uint32_t seed = 1;
  bool starts_searching = false;  // all workers search at first; else all but one are parked
  step_costs costs = {};
  scheduling_rules rules = {};
  machine_shape machine = {};
  workload_options work = {};
};

}  // namespace weft::lab::scaling::simulated
