// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulates the workers of a runtime on a made-up machine, event by event, in one thread.
//
// The deques, the victim order, the search times and the back-off are the runtime's own code. The
// rest follows src/tasks/scheduler/{search,park}.cpp step by step, under the same names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/scaling/simulated/modelled_lines.hpp"
#include "lab/scaling/simulated/workload.hpp"

namespace weft::lab::scaling::simulated {

struct model_result {
  nanoseconds time{0};           // until the root call returned, or until all have work
  nanoseconds all_have_work{0};  // until the last worker had its first task; 0: not all had one
  nanoseconds bodies{0};         // the work of all calls
  std::uint64_t num_tasks = 0;   // calls, or chunks of a loop
  std::uint64_t num_lost_steals = 0;
  std::uint64_t longest_list = 0;  // links of the list of idle workers that one call followed
  std::uint64_t wake_steps = 0;    // the longest chain of workers that gave each other work
  std::array<operation_counts, num_operation_kinds> operations;  // by operation_kind
  bool operator==(const model_result&) const = default;
};

/// A call that runs or waits on a simulated stack, or a task in a deque.
struct frame : weft::tasks::detail::task {
  frame() : task(nullptr) {}

  enum class step : std::uint8_t { begin, called, joining };
  step at = step::begin;
  bool is_call = false;      // its parent continues on the same worker
  bool is_done = false;      // for a parent that has not joined yet
  bool is_awaited = false;   // its parent is suspended
  bool is_detached = false;  // its parent does not wait for it
  frame* parent = nullptr;
  node what;  // the call whose children [first, last) this frame runs
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  unsigned home = 0;  // the worker that pushed it
  weft::tasks::detail::split_deque::slot* place = nullptr;
  std::vector<frame*> pushed;  // not joined yet, oldest first
};

/// A worker of the simulation.
struct member {
  enum class phase : std::uint8_t {
    executing,
    next_task,
    searching,  // after the pause of a back-off
    probing,
    stealing,
    asking,
    forcing,
    publishing,  // for `victim`, after the barrier
    asking_sleepers,
    looking_for_more,
    parking,
    parking_last_look,
    asleep,
    woken
  };

  weft::tasks::detail::split_deque tasks;
  phase at = phase::searching;
  frame* current = nullptr;
  unsigned index = 0;
  unsigned position = 0;  // in the list of others that the phase visits
  unsigned victim = 0;
  unsigned passed_victim = 0;  // visited first; itself: none
  unsigned round = 0;
  std::uint32_t random = 0;
  std::uint32_t search_us = 0;
  std::uint32_t num_loop_runs = 0;
  std::uint32_t join_loop_runs = 0;
  bool is_parking = false;  // as `park_word`
  bool has_worked = false;
  std::uint64_t generation = 0;
  nanoseconds joined_at{0};  // 0: waits at no join
  nanoseconds found_at{0};
  nanoseconds stolen_from_at{0};
  nanoseconds back_off{0};
  nanoseconds search_begin{0};
  nanoseconds search_now{0};
  nanoseconds force_at{0};
  nanoseconds asleep_since{0};
  operation_counts look;  // at the victims, in this round
};

class simulation {
 public:
  explicit simulation(const model_options& options);

  /// Runs the workload once.
  /// Cost:    about 0.2 us for each event: a push, a claim, a transfer of a line.
  /// Errors:  `weft::error` if no event is left before the root call has returned.
  model_result run();

 private:
  using lines = operation_counts;

  // simulation.cpp: events, and the calls of the program
  void schedule(member& w, nanoseconds when);
  nanoseconds step(member& w);
  nanoseconds execute(member& w);
  nanoseconds call(member& w, frame& f);
  nanoseconds after_call(member& w, frame& f);
  nanoseconds fork(member& w, frame& f);
  nanoseconds join(member& w, frame& f);
  nanoseconds wait_for(member& w, frame& child);
  nanoseconds finish(member& w, frame& f);
  nanoseconds next_task(member& w);
  void begin_task(member& w, frame& t);
  nanoseconds push(member& w, frame& t);
  bool claim(member& w, frame& t, nanoseconds& cost);
  frame& new_frame(frame* parent, const node& what, std::uint32_t first, std::uint32_t last);
  void release(frame& f);

  // searching.cpp: searches, requests, parks and wakes
  nanoseconds begin_search(member& w);
  nanoseconds begin_round(member& w);
  nanoseconds probe(member& w);
  nanoseconds end_round(member& w);
  void end_look(member& w, operation_kind kind);
  nanoseconds steal(member& w);
  nanoseconds ask(member& w);
  nanoseconds force(member& w);
  nanoseconds publish_for_victim(member& w);
  nanoseconds wake_another(member& w);
  nanoseconds ask_sleepers(member& w);
  nanoseconds look_for_more(member& w);
  nanoseconds begin_park(member& w);
  nanoseconds look_before_sleep(member& w);
  nanoseconds cancel_park(member& w);
  nanoseconds wake_up(member& w);
  nanoseconds wake_to_share(member& w);
  nanoseconds wake_one(member& w, lines& counts);
  nanoseconds ask_one(member& w, unsigned other, std::uint32_t what, lines& counts);
  [[nodiscard]] unsigned victim_of(member& w, unsigned position);
  [[nodiscard]] unsigned num_victims() const;
  [[nodiscard]] unsigned num_asked_to_wake() const;
  [[nodiscard]] unsigned other_of(member& w, unsigned position);
  [[nodiscard]] unsigned asked_to_wake(member& w, unsigned position);
  [[nodiscard]] unsigned num_others() const { return options_.num_workers - 1; }
  template <class Visit>
  bool visit_some(member& w, unsigned num, nanoseconds& cost, Visit visit);

  lines& counts(operation_kind kind) { return result_.operations[static_cast<std::size_t>(kind)]; }
  member& at(unsigned index) { return *members_[index]; }
  nanoseconds read(const member& w, std::size_t line, lines& counts) {
    return lines_.read(w.index, line, now_, counts);
  }
  nanoseconds write(const member& w, std::size_t line, lines& counts) {
    return lines_.write(w.index, line, now_, counts);
  }

  struct event {
    nanoseconds when;
    std::uint64_t number;  // orders events of the same time
    unsigned worker;
    bool operator>(const event& other) const {
      return std::tie(when, number) > std::tie(other.when, other.number);
    }
  };

  model_options options_;
  made_up_machine machine_;
  modelled_lines lines_;
  workload work_;
  std::vector<std::unique_ptr<member>> members_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::deque<frame> frames_;
  std::vector<frame*> free_frames_;
  std::vector<unsigned> idle_;  // the last one is the head of the list
  std::uint64_t num_events_ = 0;
  unsigned num_with_work_ = 0;
  bool has_ended_ = false;
  bool is_loop_closed_ = false;
  nanoseconds now_;
  model_result result_;
};

}  // namespace weft::lab::scaling::simulated
