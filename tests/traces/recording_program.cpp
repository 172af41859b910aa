// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers without a runtime that record known events, and end in the way that the argument names.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>
#include <thread>

#include <signal.h>  // SIGKILL is POSIX's
#include <unistd.h>

#include "weft/counters/ticks.hpp"
#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"

namespace {

using weft::counters::trace_kind;

// Functions with names to look for, never called.
void bake_bread() { std::puts("baked"); }
void knead_dough() { std::puts("kneaded"); }

class worker {
 public:
  worker(std::uint32_t pool, std::uint32_t index) {
    block_.pool = pool;
    block_.worker = index;
    ring_ = weft::counters::ring_for(block_);
  }

  [[nodiscard]] bool is_traced() const { return ring_ != nullptr; }

  void write(trace_kind kind, std::uint64_t subject = 0, void (*function)() = nullptr) {
    if (ring_ != nullptr) {
      ring_->write({.ticks = weft::counters::ticks_now(),
                    .subject = subject,
                    .label = reinterpret_cast<std::uint64_t>(function),
                    .kind = kind});
    }
  }

  void run(std::uint64_t task, void (*function)()) {
    write(trace_kind::begin, task, function);
    write(trace_kind::end);
  }

 private:
  weft::counters::worker_block block_;
  weft::counters::trace_ring* ring_;
};

/// Five tasks: two spawned, one a call within another; with that other one it waits and goes on
/// elsewhere, and one waits that nobody saw begin.
void record_day(std::uint32_t pool) {
  worker first(pool, 0);
  first.write(trace_kind::wake);
  first.write(trace_kind::spawn, 1);
  first.write(trace_kind::spawn, 2);
  first.run(1, bake_bread);
  first.write(trace_kind::begin, 2, bake_bread);
  first.write(trace_kind::begin, 3, knead_dough);  // as a call within it
  first.write(trace_kind::suspend, 77);
  first.write(trace_kind::search);
  first.write(trace_kind::park);
  std::thread([pool] {
    worker second(pool, 1);
    second.write(trace_kind::steal, 0);
    second.write(trace_kind::ready, 77, knead_dough);  // the label is only an address here
    second.write(trace_kind::spawn, reinterpret_cast<std::uint64_t>(&knead_dough));
    second.write(trace_kind::resume, 77);
    second.write(trace_kind::end);
    second.run(4, knead_dough);
    second.write(trace_kind::suspend, 78);
    second.write(trace_kind::resume, 78);
    second.write(trace_kind::end);
    second.run(5, knead_dough);
  }).join();
}

/// Whoever takes a task, or goes on with one, may be faster than who told so.
void overtake() {
  worker first(0, 0);
  std::thread([&first] {
    worker second(0, 1);
    second.write(trace_kind::begin, 1, bake_bread);
    first.write(trace_kind::spawn, 1);
    second.write(trace_kind::suspend, 77);
    first.write(trace_kind::ready, 77, knead_dough);  // the label is only an address here
    second.write(trace_kind::resume, 77);
    first.write(trace_kind::spawn, reinterpret_cast<std::uint64_t>(&knead_dough));
    second.write(trace_kind::end);
    second.run(2, knead_dough);  // from outside
    first.write(trace_kind::spawn, 3);
    second.run(3, knead_dough);
  }).join();
}

void wrap() {
  worker only(0, 0);
  for (std::uint64_t task = 0; task < 10'000; ++task) {
    only.run(task, bake_bread);
  }
}

void stop_in_task(const std::function<void()>& end) {
  worker only(0, 0);
  only.run(1, bake_bread);
  only.write(trace_kind::begin, 2, knead_dough);
  end();
}

/// Two tasks, a second apart, within one that goes on all the time.
void take_a_second() {
  worker only(0, 0);
  only.write(trace_kind::begin, 1, bake_bread);
  only.run(2, knead_dough);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  only.run(3, knead_dough);
  only.write(trace_kind::end);
}

void dump_when_told() {
  worker only(0, 0);
  only.run(1, bake_bread);
  raise(SIGUSR2);
  std::getchar();  // until the reader has seen the trace
  only.run(2, bake_bread);
}

void forked_child_exits() {
  worker only(0, 0);
  only.run(1, bake_bread);
  if (fork() == 0) {
    worker in_child(0, 1);
    std::exit(in_child.is_traced() ? 1 : 0);
  }
  only.run(2, bake_bread);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, std::function<void()>> scenarios{
      {"day", [] { record_day(0); }},
      {"two-pools",
       [] {
         record_day(0);
         record_day(1);
       }},
      {"overtake", overtake},
      {"wrap", wrap},
      {"segv", [] { stop_in_task([] { raise(SIGSEGV); }); }},
      {"null", [] { stop_in_task([] { *static_cast<volatile int*>(nullptr) = 1; }); }},
      {"abort", [] { stop_in_task([] { std::abort(); }); }},
      {"kill", [] { stop_in_task([] { raise(SIGKILL); }); }},
      {"term", [] { stop_in_task([] { raise(SIGTERM); }); }},
      {"quick", [] { stop_in_task([] { _exit(7); }); }},
      {"second", take_a_second},
      {"dump", dump_when_told},
      {"fork", forked_child_exits},
      {"untraced", [] { std::puts(worker(0, 0).is_traced() ? "traced" : "untraced"); }}};
  const auto found = scenarios.find(argc > 1 ? argv[1] : "");
  if (found == scenarios.end()) {
    return 2;
  }
  found->second();
  return 0;
}
