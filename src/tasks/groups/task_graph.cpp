// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checking and running task graphs.
#include "weft/tasks/task_graph.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/tasks/annotation.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"

namespace weft {
namespace {

std::string in_quotes(const std::string& name) { return "\"" + name + "\""; }

struct cancel_group {
  task_group* group;
  void operator()() const noexcept { group->cancel(); }
};

}  // namespace

task_graph::task_graph(std::string name) : name_(std::move(name)) {}
task_graph::~task_graph() = default;

task_graph::entry::entry(std::string its_name, std::size_t its_index, call_function its_call)
    : member(nullptr, run_chain, [](member& /*me*/) noexcept {}),
      call(its_call),
      index(its_index),
      name(std::move(its_name)) {}

void task_graph::require_rest() const {
  if (is_running_.load(std::memory_order_relaxed)) {
    throw error("weft::task_graph " + in_quotes(name_) +
                ": it runs; add tasks and edges, and run it again, after this run has ended");
  }
}

void task_graph::node::add_edge(const node& first, const node& then) {
  task_graph& graph = *first.graph_;
  if (then.graph_ != first.graph_) {
    throw error("weft::task_graph " + in_quotes(graph.name_) + ": " + in_quotes(first.name()) +
                " cannot be before " + in_quotes(then.name()) + " of another graph, " +
                in_quotes(then.graph_->name_) + "; add a task here that runs the other graph");
  }
  graph.require_rest();
  graph.tasks_[first.index_]->after.push_back(graph.tasks_[then.index_].get());
  ++graph.tasks_[then.index_]->num_before;
  graph.is_checked_ = false;
}

/// Returns the tasks in an order in which each task follows those it depends on.
/// Errors: `weft::error` for a cycle.
std::vector<const task_graph::entry*> task_graph::in_order() const {
  std::vector<std::uint32_t> num_left;
  std::vector<const entry*> ordered;
  num_left.reserve(tasks_.size());
  ordered.reserve(tasks_.size());
  for (const auto& each : tasks_) {
    num_left.push_back(each->num_before);
    if (each->num_before == 0) {
      ordered.push_back(each.get());
    }
  }
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (const entry* after : ordered[i]->after) {
      if (--num_left[after->index] == 0) {
        ordered.push_back(after);
      }
    }
  }
  if (ordered.size() != tasks_.size()) {
    refuse_cycle(num_left);
  }
  return ordered;
}

/// Throws an error that names a cycle. `num_left`: for each task, how many of its predecessors are
/// on a cycle or behind one.
void task_graph::refuse_cycle(const std::vector<std::uint32_t>& num_left) const {
  // Each remaining task has a remaining predecessor, so following predecessors leads into a cycle.
  std::vector<const entry*> one_before(tasks_.size());
  for (const auto& each : tasks_) {
    if (num_left[each->index] != 0) {
      for (const entry* after : each->after) {
        one_before[after->index] = each.get();
      }
    }
  }
  const entry* at =
      tasks_[static_cast<std::size_t>(
                 std::ranges::find_if(num_left, [](auto n) { return n != 0; }) - num_left.begin())]
          .get();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    at = one_before[at->index];
  }
  std::string names = in_quotes(at->name);
  const entry* const end = at;
  do {
    at = one_before[at->index];
    names = in_quotes(at->name) + " -> " + names;
  } while (at != end);
  throw error("weft::task_graph " + in_quotes(name_) + ": the tasks " + names +
              " wait for each other, so none of them could begin; leave one of these edges out");
}

void task_graph::check() {
  if (is_checked_) {
    return;
  }
  static_cast<void>(in_order());
  first_.clear();
  for (const auto& each : tasks_) {
    if (each->num_before == 0) {
      first_.push_back(each.get());
    }
  }
  is_checked_ = true;
}

stop_source task_graph::source_of_stops() noexcept {
  const std::lock_guard guard(stop_lock_);
  return stop_;
}

void task_graph::cancel() noexcept { source_of_stops().request_stop(); }

task_group_status task_graph::run(const std::source_location& where) {
  // acquire: pairs with the end of a run
  if (is_running_.exchange(true, std::memory_order_acquire)) {
    throw error("weft::task_graph " + in_quotes(name_) +
                ": it runs already; wait for that run, or make two graphs");
  }
  struct run_end {
    std::atomic<bool>& is_running;
    ~run_end() { is_running.store(false, std::memory_order_release); }
  };
  const run_end end{is_running_};
  check();
  return run_checked(where);
}

task_group_status task_graph::run_checked(const std::source_location& where) {
  task_group group(on_exception::cancel_others, where);
  const stop_callback<cancel_group> stopping(stop_.get_token(), cancel_group{&group});
  try {
    const task_group_status ended = run_in(group);
    renew_stop_source();
    return ended;
  } catch (...) {
    group.cancel();  // for the case that not all tasks were started
    renew_stop_source();
    throw;
  }
}

/// Replaces the stop source after a run: a cancellation applies to one run only.
void task_graph::renew_stop_source() {
  if (stop_.stop_requested()) {
    stop_source fresh;
    const std::lock_guard guard(stop_lock_);
    stop_.swap(fresh);
  }
}

task_group_status task_graph::run_in(task_group& group) {
  for (const auto& each : tasks_) {
    each->group = &group;
    // relaxed: starting the first task makes these stores visible to all tasks
    each->num_left.store(each->num_before, std::memory_order_relaxed);
  }
  for (entry* first : first_) {
    group.start(*first);
  }
  return group.wait();
}

/// Runs a task, then the last task that it makes ready, and so on. Other ready tasks are queued.
void task_graph::run_chain(task_group::member& first) {
  auto* now = static_cast<entry*>(&first);
  task_group& group = *first.group;
  while (now != nullptr && !group.is_canceled()) {
    {
      const scoped_annotation named(now->name);
      now->call(*now);
    }
    entry* next = nullptr;
    for (entry* after : now->after) {
      // acq_rel: releases what this task did to its successor, and acquires what other predecessors
      // did
      if (after->num_before == 1 || after->num_left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        if (next != nullptr) {
          group.start(*next);
        }
        next = after;
      }
    }
    now = next;
  }
}

}  // namespace weft
