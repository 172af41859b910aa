// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cache lines of a made-up machine: which worker has a copy, and how long a transfer takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/tasks/placement.hpp"

#include "lab/scaling/simulated/model_options.hpp"

namespace weft::lab::scaling::simulated {

/// Who steals from whom first on the made-up machine, and how far apart workers are.
struct made_up_machine {
  std::vector<std::vector<weft::tasks::victim_group>> victims;  // of each worker, as the runtime's
  std::vector<weft::tasks::distance> distances;                 // row by row
};

/// Builds the machine for as many workers as cores.
made_up_machine make_machine(unsigned num_workers, const machine_shape& shape, victim_order order);

/// The operations of the scheduler that lines and time are counted for.
enum class operation_kind : std::uint8_t {
  spawn,          // a push, with the answer to requests
  join,           // a claim, or a wait for a stolen task
  found_search,   // one look at the victims that finds a task
  failed_search,  // one look at the victims that finds none
  steal,          // a successful steal, and the lost attempts before it
  request,        // one round of requests to publish
  force,          // one attempt to publish for another worker
  wake,           // a wake, with the search for more work before it
  park            // a park, with the last look for work
};
inline constexpr std::size_t num_operation_kinds = 9;

struct operation_counts {
  std::uint64_t number = 0;
  std::uint64_t visited = 0;  // accesses to lines of other workers, also to copies in the own cache
  std::uint64_t moved = 0;    // transfers: reads of what another wrote, writes of what others hold
  nanoseconds time{0};
  bool operator==(const operation_counts&) const = default;
};

/// The kinds of lines that each worker has, as the members of `split_deque` and `worker` lie.
enum class line_kind : std::uint8_t { owner, requests, ends, lock, slots, parking };
inline constexpr unsigned num_line_kinds = 6;
/// Lines of the whole runtime.
enum class shared_line : std::uint8_t { idle_list, queue, loop_counter, crew };
inline constexpr unsigned num_shared_lines = 4;

/// A directory of all lines, for one simulation.
///
/// Formula: the states of MESI without evictions, as lab/scaling/line_directory.hpp. A transfer
///          occupies its line: the next one of the same line begins when the line is free again.
class modelled_lines {
 public:
  modelled_lines(const made_up_machine& machine, unsigned num_workers, const step_costs& costs);

  [[nodiscard]] std::size_t of(unsigned worker, line_kind kind) const {
    return static_cast<std::size_t>(kind) * num_workers_ + worker;
  }
  [[nodiscard]] std::size_t of(shared_line which) const {
    return num_line_kinds * std::size_t{num_workers_} + static_cast<std::size_t>(which);
  }

  /// Returns how long `worker` takes to read or write `line`, beyond what a hit costs.
  nanoseconds read(unsigned worker, std::size_t line, nanoseconds now, operation_counts& counts);
  nanoseconds write(unsigned worker, std::size_t line, nanoseconds now, operation_counts& counts);
  /// Keeps other workers from `line`, which holds a lock, until `end`.
  void hold(std::size_t line, nanoseconds end);
  /// Returns how long one line takes from one worker to the other, and counts it.
  nanoseconds pass(unsigned from, unsigned to, operation_counts& counts) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct state {
    std::uint32_t version = 0;  // grows when another worker writes
    std::uint32_t owner = none;
    std::uint32_t last_reader = none;
    std::uint32_t num_readers = 0;  // besides the owner
    nanoseconds free_at{0};
  };

  [[nodiscard]] nanoseconds latency(unsigned from, unsigned to) const;
  [[nodiscard]] std::uint32_t& seen(unsigned worker, std::size_t line) {
    return seen_[line * num_workers_ + worker];
  }
  void count_visit(unsigned worker, std::size_t line, operation_counts& counts) const;

  const made_up_machine& machine_;
  step_costs costs_;
  unsigned num_workers_;
  std::vector<state> lines_;
  std::vector<std::uint32_t> seen_;  // the version that each worker has of each line
};

}  // namespace weft::lab::scaling::simulated
