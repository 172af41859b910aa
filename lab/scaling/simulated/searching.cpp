// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches, requests, parks and wakes of simulated workers, as in the runtime's search.cpp and
// park.cpp.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/placement.hpp"

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/scaling/simulated/modelled_lines.hpp"
#include "lab/scaling/simulated/simulation.hpp"
#include "tasks/scheduler/search_time.hpp"

namespace weft::lab::scaling::simulated {

namespace request = weft::tasks::detail::request;
using phase = member::phase;

namespace {

// As in search.cpp.
constexpr nanoseconds force_after{1500};
constexpr unsigned rounds_between_clock_reads = 8;
// Visits of other workers that take no longer are one event.
constexpr nanoseconds slice{50};

weft::tasks::detail::steal_times::time_point on_clock(nanoseconds time) {
  return weft::tasks::detail::steal_times::time_point(time);
}

}  // namespace

unsigned simulation::num_victims() const {
  const unsigned all = num_others();
  return options_.rules.fan_out == 0 ? all : std::min(options_.rules.fan_out, all);
}

/// Returns the victim at `position` of this round's list.
unsigned simulation::victim_of(member& w, unsigned position) {
  const std::uint32_t dice = w.random >> 16;
  const unsigned num = num_victims();
  if (position == 0 && w.passed_victim != w.index) {
    return w.passed_victim;
  }
  if (num < num_others() && position >= (num + 1) / 2) {
    w.random = w.random * 1664525U + 1013904223U;
    return other_of(w, (w.random >> 8) % num_others());
  }
  std::size_t rest = position;
  for (const weft::tasks::victim_group& group : machine_.victims[w.index]) {
    if (rest < group.workers.size()) {
      return static_cast<unsigned>(group.workers[(dice + rest) % group.workers.size()]);
    }
    rest -= group.workers.size();
  }
  return w.index;
}

unsigned simulation::num_asked_to_wake() const {
  const unsigned all = num_others();
  return options_.rules.wake_fan_out == 0 ? all : std::min(options_.rules.wake_fan_out, all);
}

/// Returns the worker at `position` of a list of all others: by number, as any_other.
unsigned simulation::other_of(member& w, unsigned position) {
  return position < w.index ? position : position + 1;
}

/// As other_of, or the victim and then random others.
unsigned simulation::asked_to_wake(member& w, unsigned position) {
  if (num_asked_to_wake() == num_others()) {
    return other_of(w, position);
  }
  if (position == 0) {
    return w.victim;
  }
  w.random = w.random * 1664525U + 1013904223U;
  return other_of(w, (w.random >> 8) % num_others());
}

/// Calls `visit` for the next positions of a list of `num` others until it returns true (then so
/// does this), the list ends, or the slice of time is used.
template <class Visit>
bool simulation::visit_some(member& w, unsigned num, nanoseconds& cost, Visit visit) {
  while (w.position < num && cost < slice) {
    const unsigned position = w.position++;
    cost += options_.costs.probe;
    if (visit(position)) {
      return true;
    }
  }
  return false;
}

nanoseconds simulation::ask_one(member& w, unsigned other, std::uint32_t what, lines& counts) {
  nanoseconds cost = read(w, lines_.of(other, line_kind::requests), counts);
  if (!at(other).tasks.is_asked_to(what)) {
    cost += write(w, lines_.of(other, line_kind::requests), counts);
    at(other).tasks.ask(what);
  }
  return cost;
}

nanoseconds simulation::begin_search(member& w) {
  const bool waits_at_join = w.num_loop_runs == w.join_loop_runs + 1;
  const nanoseconds gained = weft::tasks::detail::gained_by(
      {.found_at = on_clock(w.found_at),
       .stolen_from_at = on_clock(w.stolen_from_at),
       .joined_at = on_clock(waits_at_join ? w.joined_at : nanoseconds(0))},
      on_clock(now_));
  w.joined_at = nanoseconds(0);
  w.back_off = weft::tasks::detail::next_back_off(w.back_off, gained);
  w.round = 0;
  w.at = phase::searching;
  return w.back_off + 2 * options_.costs.clock_read;
}

nanoseconds simulation::begin_round(member& w) {
  if (w.round == 0) {
    w.search_begin = w.search_now = now_;
    w.force_at = now_ + force_after;
  }
  if (w.search_now - w.search_begin >= std::chrono::microseconds(w.search_us) ||
      num_others() == 0) {
    return begin_park(w);
  }
  ++w.round;
  w.random = w.random * 1664525U + 1013904223U;  // as steal_from_others
  w.position = 0;
  w.at = phase::probing;
  return nanoseconds(0);
}

nanoseconds simulation::probe(member& w) {
  nanoseconds cost{0};
  const bool is_found = visit_some(w, num_victims(), cost, [&](unsigned position) {
    w.victim = victim_of(w, position);
    cost += read(w, lines_.of(w.victim, line_kind::ends), w.look);
    return w.victim != w.index && at(w.victim).tasks.has_public();
  });
  w.look.time += cost;
  if (is_found) {
    w.passed_victim = w.index;
    end_look(w, operation_kind::found_search);
    w.at = phase::stealing;
    return cost;
  }
  return w.position < num_victims() ? cost : cost + end_round(w);
}

void simulation::end_look(member& w, operation_kind kind) {
  operation_counts& sum = counts(kind);
  ++sum.number;
  sum.visited += w.look.visited;
  sum.moved += w.look.moved;
  sum.time += w.look.time;
  w.look = {};
}

nanoseconds simulation::end_round(member& w) {
  const nanoseconds cost = read(w, lines_.of(shared_line::queue), w.look) + options_.costs.pause;
  w.look.time += cost;
  end_look(w, operation_kind::failed_search);
  w.position = 0;
  w.passed_victim = w.index;
  w.at = w.round % rounds_between_clock_reads == 1 ? phase::asking : phase::searching;
  return cost;
}

nanoseconds simulation::ask(member& w) {
  operation_counts& requests = counts(operation_kind::request);
  nanoseconds cost{0};
  visit_some(w, num_victims(), cost, [&](unsigned position) {
    const unsigned other =
        num_victims() < num_others() ? victim_of(w, position) : other_of(w, position);
    cost += ask_one(w, other, request::publish, requests);
    return false;
  });
  requests.time += cost;
  if (w.position < num_victims()) {
    return cost;
  }
  ++requests.number;
  w.search_now = now_ + cost + options_.costs.clock_read;
  w.at = phase::searching;
  if (w.search_now > w.force_at) {
    w.force_at = w.search_now + (w.search_now - w.search_begin);
    w.position = 0;
    w.at = phase::forcing;
    ++counts(operation_kind::force).number;
  }
  return cost + options_.costs.clock_read;
}

nanoseconds simulation::force(member& w) {
  operation_counts& forces = counts(operation_kind::force);
  nanoseconds cost{0};
  const bool is_found = visit_some(w, num_victims(), cost, [&](unsigned position) {
    w.victim = num_victims() < num_others() ? victim_of(w, position) : other_of(w, position);
    cost += read(w, lines_.of(w.victim, line_kind::ends), forces) +
            read(w, lines_.of(w.victim, line_kind::owner), forces);
    return !at(w.victim).tasks.has_public() && at(w.victim).tasks.size_estimate() != 0;
  });
  forces.time += cost;
  if (is_found) {
    w.at = phase::publishing;
    return cost + write(w, lines_.of(w.victim, line_kind::requests), forces) +
           options_.costs.barrier;
  }
  w.at = w.position < num_victims() ? phase::forcing : phase::searching;
  return cost;
}

nanoseconds simulation::publish_for_victim(member& w) {
  operation_counts& forces = counts(operation_kind::force);
  w.at = phase::forcing;
  if (!at(w.victim).tasks.force_publish([]() noexcept {})) {
    return nanoseconds(0);
  }
  w.at = phase::searching;
  const nanoseconds cost = write(w, lines_.of(w.victim, line_kind::lock), forces) +
                           write(w, lines_.of(w.victim, line_kind::ends), forces);
  forces.time += cost + options_.costs.barrier;
  return cost;
}

nanoseconds simulation::steal(member& w) {
  operation_counts& steals = counts(operation_kind::steal);
  member& victim = at(w.victim);
  nanoseconds cost = write(w, lines_.of(w.victim, line_kind::ends), steals);
  auto* const t = static_cast<frame*>(victim.tasks.steal());
  if (t == nullptr) {
    ++result_.num_lost_steals;
    steals.time += cost;
    w.at = phase::probing;
    return cost;
  }
  ++steals.number;
  cost += read(w, lines_.of(w.victim, line_kind::slots), steals) +
          lines_.pass(t->home, w.index, steals) +
          write(w, lines_.of(w.victim, line_kind::parking), steals) + options_.costs.clock_read;
  victim.stolen_from_at = now_ + cost;
  if (!victim.tasks.has_public()) {
    cost += ask_one(w, w.victim, request::publish, steals);
  }
  for (unsigned i = 0; options_.rules.has_planted_sweep && i < options_.num_workers; ++i) {
    cost += read(w, lines_.of(i, line_kind::parking), steals) + options_.costs.probe;
  }
  w.found_at = now_ + cost;
  w.generation = w.has_worked || w.generation != 0 ? w.generation : victim.generation + 1;
  w.current = t;
  steals.time += cost;
  return cost + wake_another(w);
}

/// Wakes another worker if there is more work, and then runs the task that was found.
nanoseconds simulation::wake_another(member& w) {
  operation_counts& wakes = counts(operation_kind::wake);
  const nanoseconds cost = options_.costs.fence + read(w, lines_.of(shared_line::idle_list), wakes);
  if (idle_.empty()) {
    begin_task(w, *w.current);
    return cost;
  }
  w.position = 0;
  w.at = phase::asking_sleepers;
  return cost;
}

nanoseconds simulation::ask_sleepers(member& w) {
  const bool is_parking = w.at == phase::parking;
  operation_counts& counted = counts(is_parking ? operation_kind::park : operation_kind::wake);
  const unsigned num = is_parking ? num_others() : num_asked_to_wake();
  nanoseconds cost{0};
  visit_some(w, num, cost, [&](unsigned position) {
    const unsigned other = is_parking ? other_of(w, position) : asked_to_wake(w, position);
    cost += ask_one(w, other, request::sleepers, counted);
    return false;
  });
  if (w.position < num) {
    counted.time += cost;
    return cost;
  }
  w.position = 0;
  if (is_parking) {
    cost += options_.costs.barrier;
    w.at = phase::parking_last_look;
  } else {
    cost += ask_one(w, w.index, request::sleepers, counted);
    w.at = phase::looking_for_more;
  }
  counted.time += cost;
  return cost;
}

nanoseconds simulation::look_for_more(member& w) {
  operation_counts& wakes = counts(operation_kind::wake);
  nanoseconds cost{0};
  bool is_left = visit_some(w, num_asked_to_wake(), cost, [&](unsigned position) {
    const unsigned other = asked_to_wake(w, position);
    cost += read(w, lines_.of(other, line_kind::ends), wakes) +
            read(w, lines_.of(other, line_kind::owner), wakes);
    return !at(other).tasks.looks_empty();
  });
  wakes.time += cost;
  if (!is_left && w.position < num_asked_to_wake()) {
    return cost;
  }
  is_left = is_left || !w.tasks.looks_empty();
  begin_task(w, *w.current);
  return is_left ? cost + wake_to_share(w) : cost;
}

nanoseconds simulation::wake_to_share(member& w) {
  operation_counts& wakes = counts(operation_kind::wake);
  nanoseconds cost{0};
  for (unsigned i = 0; i < options_.rules.num_wakes && !idle_.empty(); ++i) {
    ++wakes.number;
    cost += wake_one(w, wakes);
  }
  wakes.time += cost;
  return cost;
}

nanoseconds simulation::wake_one(member& w, lines& counts) {
  const nanoseconds cost = write(w, lines_.of(shared_line::idle_list), counts);
  member& sleeper = at(idle_.back());
  idle_.pop_back();
  if (options_.rules.passes_victim) {
    sleeper.passed_victim = at(w.victim).tasks.has_public() ? w.victim : w.index;
  }
  sleeper.is_parking = false;
  if (!sleeper.has_worked && sleeper.generation == 0) {
    sleeper.generation = w.generation + 1;
  }
  if (sleeper.at == phase::asleep) {
    sleeper.at = phase::woken;
    schedule(sleeper, now_ + cost + options_.costs.wake_latency);
  }
  return cost + write(w, lines_.of(sleeper.index, line_kind::parking), counts) +
         options_.costs.wake_call;
}

nanoseconds simulation::begin_park(member& w) {
  operation_counts& parks = counts(operation_kind::park);
  ++parks.number;
  w.is_parking = true;
  idle_.push_back(w.index);
  w.position = 0;
  w.at = phase::parking;
  const nanoseconds cost = write(w, lines_.of(shared_line::idle_list), parks);
  parks.time += cost;
  return cost;
}

/// Looks for work once more after the barrier, and sleeps if there is none.
nanoseconds simulation::look_before_sleep(member& w) {
  operation_counts& parks = counts(operation_kind::park);
  nanoseconds cost{0};
  const bool is_left = visit_some(w, num_others(), cost, [&](unsigned position) {
    const unsigned other = other_of(w, position);
    cost += read(w, lines_.of(other, line_kind::ends), parks) +
            read(w, lines_.of(other, line_kind::owner), parks);
    return !at(other).tasks.looks_empty();
  });
  parks.time += cost;
  if (is_left) {
    return cost + cancel_park(w);
  }
  if (w.position < num_others()) {
    return cost;
  }
  w.asleep_since = now_;
  w.at = w.is_parking ? phase::asleep : phase::woken;
  return cost;
}

/// Leaves the list of idle workers under its lock: at once, as leave_idle_list does, or by walking it.
nanoseconds simulation::cancel_park(member& w) {
  operation_counts& parks = counts(operation_kind::park);
  const std::size_t list = lines_.of(shared_line::idle_list);
  nanoseconds cost = write(w, list, parks);
  std::uint64_t num_walked = 0;
  for (std::size_t i = idle_.size(); w.is_parking && i-- > 0;) {
    const bool is_mine = idle_[i] == w.index;
    if (is_mine || !options_.rules.unlinks_at_once) {
      ++num_walked;
      cost += read(w, lines_.of(idle_[i], line_kind::parking), parks) + options_.costs.probe;
    }
    if (is_mine) {
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  result_.longest_list = std::max(result_.longest_list, num_walked);
  lines_.hold(list, now_ + cost);
  w.is_parking = false;
  parks.time += cost;
  return cost + begin_search(w);
}

nanoseconds simulation::wake_up(member& w) {
  w.search_us = weft::tasks::detail::next_search_us(w.search_us, false, now_ - w.asleep_since);
  return read(w, lines_.of(w.index, line_kind::parking), counts(operation_kind::wake)) +
         begin_search(w);
}

}  // namespace weft::lab::scaling::simulated
