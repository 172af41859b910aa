// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of weft's three runtimes: the workers, and everything except forks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "weft/tasks/async.hpp"
#include "weft/tasks/channel.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/semaphore.hpp"
#include "weft/tasks/this_task.hpp"
#include "weft/tasks/when_all.hpp"

namespace weft::lab::tasks {

inline std::unique_ptr<runtime> workers;

inline void with_workers(int threads, void (*body)(void* context), void* context) {
  runtime_options options;
  options.workers = threads;
  workers = std::make_unique<runtime>(options);
  body(context);
  workers.reset();
}

struct weft_runtime {
  struct has_when_all;
  struct starts_regions_in_tasks;
  using mutex = weft::mutex;
  using semaphore = counting_semaphore<>;

  class channel {
   public:
    explicit channel(std::size_t capacity) : values_(capacity) {}
    void send(std::uint64_t value) { values_.set(value); }
    std::uint64_t receive() { return values_.get(); }

   private:
    weft::channel<std::uint64_t> values_;
  };

  static void enter(const auto& body) {
    workers->run([&] { body(); });
  }

  /// Uses the default runtime, with the main thread in the place of one of its workers.
  static void take_main_in(int threads) { default_runtime().resize(threads); }

  static auto async(auto body) { return weft::async(std::move(body)); }

  static auto when_all(auto parts) { return weft::when_all_ready(std::move(parts)); }

  static void region(int threads, const auto& body) {
    parallel_for(static_cast<std::size_t>(threads),
                 [&](std::size_t i) { body(static_cast<int>(i)); },
                 {.grain = 1});
  }

  static void yield() { this_task::yield(); }
};

}  // namespace weft::lab::tasks
