// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a hundred tasks and ends in one of several ways, for a test that looks at what it prints.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/session.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/this_task.hpp"

namespace {

void run_tasks() {
  std::vector<weft::future<void>> all;
  all.reserve(100);
  for (int i = 0; i < 100; ++i) {
    all.push_back(weft::async([] {}));
  }
  for (weft::future<void>& each : all) {
    each.get();
  }
}

constinit std::atomic<bool> is_static_ended{false};

struct noted_end {
  ~noted_end() { is_static_ended = true; }
};

/// Leaves a task that looks for the end of a static object made before it.
void leave_task_behind_static() {
  static const noted_end made_first;
  weft::post([] {
    constexpr int most_looks = 100'000;
    for (int i = 0; i < most_looks && !is_static_ended; ++i) {
      weft::this_task::yield();
    }
    std::puts(is_static_ended ? "static ended first" : "task ended first");
  });
}

void end_as(std::string_view way) {
  if (way == "exit") {
    std::exit(3);
  }
  if (way == "exit-in-task") {
    weft::async([] { std::exit(3); }).get();
  }
  if (way == "own-runtime") {
    weft::runtime own;
    own.run(run_tasks);
  }
  if (way == "phases") {
    weft::counters::evaluate_active("first");
    weft::counters::reset_active();
    run_tasks();
    run_tasks();
  }
}

}  // namespace

// The first argument says how to end; "plain" reads no options, and "decides" does so itself.
int main(int argc, char** argv) try {
  const std::string_view way = argc > 1 ? argv[1] : "";
  if (way == "decides") {
    const weft::init_result options = weft::try_init(argc, argv);
    std::printf("%s, %s\n",
                options.text.empty() ? "silent" : "text",
                options.should_exit ? "exit" : "stay");
    return 0;
  }
  if (way != "plain" && way != "own-runtime") {
    weft::init(argc, argv);
  }
  if (way == "static") {
    leave_task_behind_static();
    return 0;
  }
  if (way != "own-runtime") {
    run_tasks();
  }
  std::puts("done");
  end_as(way);
  return 0;
} catch (const weft::error& error) {
  std::fprintf(stderr, "caught: %s\n", error.what());
  return 3;
}
