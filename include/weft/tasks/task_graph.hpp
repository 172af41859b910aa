// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks and the order between them, described once and run often.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/async.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"

namespace weft {

/// A directed acyclic graph of callables: each runs as a task once all before it have ended.
///
/// Describe it with `add` and the members of `node`, then call `run` as often as you like. It must
/// outlive its runs and what `run_async` returns.
/// Threads: one at a time, but for `cancel`, which may be called from any.
/// Example: tests/tasks/task_graph_test.cpp: runs_each_task_after_those_before_it.
class task_graph {
 public:
  class node;

  /// `name` is for messages and pictures.
  explicit task_graph(std::string name = "tasks");
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;
  ~task_graph();

  /// Adds a task that calls a copy of `call` in each run. What it returns is dropped.
  ///
  /// `name` stands in messages, pictures and traces, and may occur twice. A task may run another
  /// graph: its run is then nested in this one's.
  /// Cost:    one allocation.
  /// Errors:  std::bad_alloc; what copying throws; `weft::error` while the graph runs.
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  node add(std::string name, F&& call);

  /// Runs every task once and returns when all have ended.
  ///
  /// The tasks belong to a group of the caller, see `task_group`. They may wait and ask
  /// `this_task::stop_requested()`. If the caller is itself a task of a group, that group can
  /// cancel the run.
  /// Cost:    the first run after a change checks the graph, in time of its tasks and edges. Then
  ///          two stores a task, an atomic decrement for each edge to a task with several before
  ///          it, and no allocation. Of the tasks that a task makes ready the last is called by the
  ///          worker that ran it, and the others are queued.
  /// Errors:  a task's exception cancels the run and is rethrown; of several, that of the task that
  ///          was queued first. `weft::error` for a cycle, with the names of its tasks, and if the
  ///          graph runs already; nothing has run then.
  task_group_status run(const std::source_location& where = std::source_location::current());

  /// As `run`, in a task.
  [[nodiscard]] future<task_group_status> run_async(
      const std::source_location& where = std::source_location::current()) {
    return async([this, where] { return run(where); });
  }

  /// Cancels the current run or, if there is none, the next one: tasks that have not started do not
  /// run, and `run` returns `task_group_status::canceled`.
  void cancel() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] bool empty() const noexcept { return tasks_.empty(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The graph in Graphviz's language, also if it has a cycle: `dot -Tpdf graph.dot -o graph.pdf`.
  [[nodiscard]] std::string dot() const;

  /// A picture of the graph, each task below those before it: the text of an SVG file.
  ///
  /// Cost:    about quadratic in the number of rows times edges; meant for up to some hundred
  ///          tasks.
  /// Errors:  `weft::error` for a cycle, as `run`.
  /// Example: examples/task_graph.cpp
  [[nodiscard]] std::string svg() const;

 private:
  /// One task. In runs it is a member of the run's group, and is queued itself.
  struct entry : task_group::member {
    using call_function = void (*)(entry&);
    entry(std::string its_name, std::size_t its_index, call_function body);
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    virtual ~entry() = default;

    call_function call;
    std::uint32_t num_before = 0;
    std::atomic<std::uint32_t> num_left{0};  // of those, in this run
    std::vector<entry*> after;
    std::size_t index;
    std::string name;
  };

  template <class F>
  struct entry_of final : entry {
    template <class G>
    entry_of(std::string its_name, std::size_t its_index, G&& callable)
        : entry(std::move(its_name),
                its_index,
                [](entry& me) {
                  static_cast<void>(std::invoke(static_cast<entry_of&>(me).callable_));
                }),
          callable_(std::forward<G>(callable)) {}

   private:
    F callable_;
  };

  static void run_chain(task_group::member& first);
  void require_rest() const;
  void renew_stop_source();
  void add_edge(std::size_t before, std::size_t after);
  void check();
  [[nodiscard]] std::vector<const entry*> in_order() const;
  [[noreturn]] void refuse_cycle(const std::vector<std::uint32_t>& num_left) const;
  [[nodiscard]] stop_source source_of_stops() noexcept;
  [[nodiscard]] task_group_status run_checked(const std::source_location& where);
  task_group_status run_in(task_group& group);

  std::string name_;
  std::vector<std::unique_ptr<entry>> tasks_;
  std::vector<entry*> first_;  // those with none before them
  bool is_checked_ = true;
  std::atomic<bool> is_running_{false};
  tasks::detail::spin_lock stop_lock_;
  stop_source stop_;  // of this run or the next one
};

/// Names a task of a graph; copies name the same one.
class task_graph::node {
 public:
  /// Has this task end before each of `others` begins. Errors: `weft::error` for a task of another
  /// graph, and while the graph runs; std::bad_alloc.
  template <std::same_as<node>... Nodes>
  const node& before(const Nodes&... others) const {
    (add_edge(*this, others), ...);
    return *this;
  }
  /// Has each of `others` end before this task begins.
  template <std::same_as<node>... Nodes>
  const node& after(const Nodes&... others) const {
    (add_edge(others, *this), ...);
    return *this;
  }
  [[nodiscard]] const std::string& name() const noexcept { return graph_->tasks_[index_]->name; }
  friend bool operator==(const node&, const node&) noexcept = default;

 private:
  friend class task_graph;
  node(task_graph& graph, std::size_t index) noexcept : graph_(&graph), index_(index) {}
  static void add_edge(const node& first, const node& then);

  task_graph* graph_;
  std::size_t index_;
};

template <class F>
  requires std::invocable<std::decay_t<F>&>
task_graph::node task_graph::add(std::string name, F&& call) {
  require_rest();
  const std::size_t index = tasks_.size();
  tasks_.push_back(
      std::make_unique<entry_of<std::decay_t<F>>>(std::move(name), index, std::forward<F>(call)));
  is_checked_ = false;
  return {*this, index};
}

}  // namespace weft
