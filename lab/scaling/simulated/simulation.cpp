// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events of a simulation, and how a worker runs the calls of the program.
#include "lab/scaling/simulated/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/scaling/simulated/modelled_lines.hpp"
#include "lab/scaling/simulated/workload.hpp"
#include "tasks/scheduler/search_time.hpp"

namespace weft::lab::scaling::simulated {

using weft::tasks::detail::split_deque;
namespace request = weft::tasks::detail::request;

namespace {

// Later than the last steal of a worker that has never stolen, as on a real clock.
constexpr nanoseconds start = std::chrono::seconds(1);

}  // namespace

simulation::simulation(const model_options& options)
    : options_(options),
      machine_(make_machine(options.num_workers, options.machine, options.rules.order)),
      lines_(machine_, options.num_workers, options.costs),
      work_(options.work, options.num_workers),
      now_(start) {
  for (unsigned i = 0; i < options.num_workers; ++i) {
    members_.push_back(std::make_unique<member>());
    member& w = at(i);
    w.index = w.victim = w.passed_victim = i;
    w.random = options.seed * 2654435761U + i + 1;
    w.search_us = weft::tasks::detail::shortest_search_us;
  }
}

void simulation::schedule(member& w, nanoseconds when) {
  events_.push({.when = when, .number = num_events_++, .worker = w.index});
}

model_result simulation::run() {
  for (unsigned i = options_.num_workers; i-- > 1;) {
    member& w = at(i);
    if (options_.starts_searching) {
      schedule(w, now_);
      continue;
    }
    w.at = member::phase::asleep;
    w.is_parking = true;
    w.asleep_since = now_;
    idle_.push_back(i);
  }
  if (!idle_.empty()) {
    std::ranges::for_each(members_, [](auto& w) { w->tasks.ask(request::sleepers); });
  }
  frame& root = new_frame(nullptr, work_.root(), 0, 0);
  root.at = frame::step::called;
  begin_task(at(0), root);
  result_.num_tasks = work_.is_loop() ? 0 : 1;
  result_.bodies = work_.body(root.what);
  schedule(at(0), now_ + result_.bodies);
  while (!has_ended_) {
    if (events_.empty()) {
      throw error("the simulation stands still: all workers sleep and a call has not returned");
    }
    const event next = events_.top();
    events_.pop();
    now_ = next.when;
    member& w = at(next.worker);
    const nanoseconds cost = step(w);
    if (w.at != member::phase::asleep) {
      schedule(w, now_ + cost);
    }
  }
  result_.time = now_ - start;
  return result_;
}

nanoseconds simulation::step(member& w) {
  switch (w.at) {
    case member::phase::executing:
      return execute(w);
    case member::phase::next_task:
      return next_task(w);
    case member::phase::searching:
      return begin_round(w);
    case member::phase::probing:
      return probe(w);
    case member::phase::stealing:
      return steal(w);
    case member::phase::asking:
      return ask(w);
    case member::phase::forcing:
      return force(w);
    case member::phase::publishing:
      return publish_for_victim(w);
    case member::phase::asking_sleepers:
    case member::phase::parking:
      return ask_sleepers(w);
    case member::phase::looking_for_more:
      return look_for_more(w);
    case member::phase::parking_last_look:
      return look_before_sleep(w);
    case member::phase::woken:
      return wake_up(w);
    case member::phase::asleep:
      break;
  }
  throw error("a simulated worker ran while it slept");
}

frame& simulation::new_frame(frame* parent,
                             const node& what,
                             std::uint32_t first,
                             std::uint32_t last) {
  if (free_frames_.empty()) {
    free_frames_.push_back(&frames_.emplace_back());
  }
  frame& f = *free_frames_.back();
  free_frames_.pop_back();
  f.at = frame::step::begin;
  f.is_call = f.is_done = f.is_awaited = f.is_detached = false;
  f.parent = parent;
  f.what = what;
  f.first = first;
  f.last = last;
  return f;
}

void simulation::release(frame& f) { free_frames_.push_back(&f); }

void simulation::begin_task(member& w, frame& t) {
  w.current = &t;
  w.at = member::phase::executing;
  if (!w.has_worked) {
    w.has_worked = true;
    ++num_with_work_;
    result_.wake_steps = std::max(result_.wake_steps, w.generation);
    if (num_with_work_ == options_.num_workers) {
      result_.all_have_work = now_ - start;
      has_ended_ = work_.ends_when_spread();
    }
  }
}

nanoseconds simulation::execute(member& w) {
  frame& f = *w.current;
  switch (f.at) {
    case frame::step::begin:
      return f.last - f.first > 1 ? fork(w, f) : call(w, f);
    case frame::step::called:
      return after_call(w, f);
    case frame::step::joining:
      break;
  }
  return join(w, f);
}

nanoseconds simulation::call(member& w, frame& f) {
  f.what = work_.child(f.what, f.first);
  f.at = frame::step::called;
  if (work_.is_loop()) {
    return write(w, lines_.of(shared_line::crew), counts(operation_kind::join));
  }
  ++result_.num_tasks;
  const nanoseconds body = work_.body(f.what);
  result_.bodies += body;
  return body;
}

nanoseconds simulation::after_call(member& w, frame& f) {
  const std::uint32_t num_children = work_.num_children(f.what);
  if (num_children != 0) {
    f.at = frame::step::begin;
    f.first = 0;
    f.last = num_children;
    return nanoseconds(0);
  }
  if (work_.is_loop() && !is_loop_closed_) {
    const nanoseconds cost =
        write(w, lines_.of(shared_line::loop_counter), counts(operation_kind::join));
    if (work_.claim_chunk()) {
      ++result_.num_tasks;
      result_.bodies += work_.chunk();
      return cost + work_.chunk();
    }
    return cost + finish(w, f);
  }
  return finish(w, f);
}

/// Pushes the second half of the children, or each of them, and runs the first here.
nanoseconds simulation::fork(member& w, frame& f) {
  const std::uint32_t middle = work_.is_flat() ? f.last - 1 : f.first + (f.last - f.first) / 2;
  frame& other = new_frame(&f, f.what, middle, f.last);
  f.pushed.push_back(&other);
  f.last = middle;
  const nanoseconds cost = options_.costs.fork + push(w, other);
  if (f.last - f.first > 1 && work_.is_flat()) {
    return cost;
  }
  if (work_.is_loop()) {
    w.tasks.publish_all();  // as work_offer::finish
  }
  frame& here = new_frame(&f, f.what, f.first, f.last);
  here.is_call = true;
  f.at = frame::step::joining;
  w.current = &here;
  return cost;
}

nanoseconds simulation::push(member& w, frame& t) {
  operation_counts& spawns = counts(operation_kind::spawn);
  ++spawns.number;
  t.home = w.index;
  nanoseconds cost = write(w, lines_.of(w.index, line_kind::slots), spawns) +
                     write(w, lines_.of(w.index, line_kind::owner), spawns) +
                     read(w, lines_.of(w.index, line_kind::requests), spawns);
  t.place = w.tasks.push(t);
  bool must_wake = false;
  if (w.tasks.is_asked()) {
    const std::uint64_t before = w.tasks.num_publications();
    must_wake = w.tasks.answer();
    cost += write(w, lines_.of(w.index, line_kind::lock), spawns) +
            write(w, lines_.of(w.index, line_kind::requests), spawns);
    if (w.tasks.num_publications() != before) {
      cost += write(w, lines_.of(w.index, line_kind::ends), spawns);
    }
  }
  spawns.time += cost;
  return must_wake ? cost + wake_to_share(w) : cost;
}

/// Takes `t` back as fork_join does. False: a thief has it.
bool simulation::claim(member& w, frame& t, nanoseconds& cost) {
  operation_counts& joins = counts(operation_kind::join);
  ++joins.number;
  cost += options_.costs.join + write(w, lines_.of(w.index, line_kind::owner), joins) +
          read(w, lines_.of(w.index, line_kind::requests), joins);
  joins.time += cost;
  const split_deque::claiming begun = w.tasks.begin_claim(t, t.place);
  if (begun == split_deque::claiming::mine) {
    return true;
  }
  cost += write(w, lines_.of(w.index, line_kind::lock), joins) +
          write(w, lines_.of(w.index, line_kind::ends), joins);
  return (begun == split_deque::claiming::asked && w.tasks.confirm_top(t.place)) ||
         w.tasks.claim_slowly(t, t.place) == weft::tasks::detail::claim::mine;
}

nanoseconds simulation::join(member& w, frame& f) {
  is_loop_closed_ = work_.is_loop();
  if (f.pushed.empty()) {
    return finish(w, f);
  }
  frame& child = *f.pushed.back();
  nanoseconds cost{0};
  if (!child.is_done && claim(w, child, cost)) {
    f.pushed.pop_back();
    if (work_.is_loop()) {
      release(child);  // the loop needs no more help
    } else {
      child.is_call = true;
      w.current = &child;
    }
    return cost;
  }
  if (!child.is_done && work_.is_loop() && child.at == frame::step::begin) {
    f.pushed.pop_back();
    child.is_detached = true;
    return cost;
  }
  return cost + wait_for(w, child);
}

/// Consumes the result of a stolen task, or suspends the parent of `child` until there is one.
nanoseconds simulation::wait_for(member& w, frame& child) {
  if (child.is_done) {
    child.parent->pushed.pop_back();
    const nanoseconds cost = lines_.pass(child.home, w.index, counts(operation_kind::join));
    release(child);
    return cost;
  }
  child.is_awaited = true;
  w.joined_at = now_;
  w.join_loop_runs = w.num_loop_runs;
  w.current = nullptr;
  w.at = member::phase::next_task;
  return options_.costs.suspend;
}

nanoseconds simulation::finish(member& w, frame& f) {
  frame* const parent = f.parent;
  w.current = nullptr;
  w.at = member::phase::next_task;
  if (parent == nullptr) {
    has_ended_ = true;
    return nanoseconds(0);
  }
  if (f.is_call) {
    w.current = parent;
    w.at = member::phase::executing;
    release(f);
    return nanoseconds(0);
  }
  if (f.is_detached) {
    release(f);
    return nanoseconds(0);
  }
  f.is_done = true;
  nanoseconds cost = lines_.pass(f.home, w.index, counts(operation_kind::join));
  f.home = w.index;  // has the line of the result now
  if (f.is_awaited) {
    w.current = parent;
    w.at = member::phase::executing;
    w.joined_at = nanoseconds(0);
    cost += options_.costs.resume;
  }
  return cost;
}

nanoseconds simulation::next_task(member& w) {
  operation_counts& joins = counts(operation_kind::join);
  ++w.num_loop_runs;
  const nanoseconds cost = write(w, lines_.of(w.index, line_kind::owner), joins) +
                           write(w, lines_.of(w.index, line_kind::ends), joins);
  if (auto* const own = static_cast<frame*>(w.tasks.pop())) {
    begin_task(w, *own);
    return cost;
  }
  return cost + begin_search(w);
}

}  // namespace weft::lab::scaling::simulated
