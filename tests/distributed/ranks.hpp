// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several ranks in one process: each has a runtime of its own, and messages go through memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "weft/distributed/collectives.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/runtime.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "distributed/transport/memory_transport.hpp"

namespace weft::test {

struct ranks_options {
  int size = 2;
  std::chrono::microseconds longest_delay{0};
  unsigned long seed = 1;
  int workers = 2;
  std::optional<std::size_t> max_stacks = std::nullopt;
  distributed::runtime_options calls = {};
};

class ranks {
 public:
  explicit ranks(const ranks_options& options) {
    namespace detail = distributed::detail;
    const auto world = std::make_shared<detail::memory_world>(detail::memory_world_options{
        .size = options.size, .longest_delay = options.longest_delay, .seed = options.seed});
    runtime_options workers;
    workers.workers = options.workers;
    workers.max_stacks = options.max_stacks;
    for (int rank = 0; rank < options.size; ++rank) {
      runtimes_.push_back(std::make_unique<runtime>(workers));
      engines_.push_back(
          std::make_unique<detail::engine>(std::make_unique<detail::memory_transport>(world, rank),
                                           tasks::scheduler_of(*runtimes_.back()),
                                           options.calls));
    }
  }
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;
  ~ranks() {
    engines_.clear();
    runtimes_.clear();
  }

  /// Runs `body` as a task of every rank, and then waits until no message is under way. Rethrows
  /// the first exception.
  void run(const std::function<void()>& body) {
    std::vector<std::thread> threads;
    threads.reserve(runtimes_.size());
    std::mutex mutex;
    std::exception_ptr first;
    for (const auto& each : runtimes_) {
      threads.emplace_back([&] {
        each->run([&] {
          try {
            body();
          } catch (...) {
            const std::lock_guard guard(mutex);
            first = first == nullptr ? std::current_exception() : first;
          }
          auto& mine = distributed::detail::engine::current();
          distributed::detail::start_quiescence(mine, true).get();
        });
      });
    }
    for (std::thread& each : threads) {
      each.join();
    }
    if (first != nullptr) {
      std::rethrow_exception(first);
    }
  }

  [[nodiscard]] runtime& runtime_of(std::size_t rank) { return *runtimes_[rank]; }
  [[nodiscard]] distributed::detail::engine& engine(std::size_t rank) { return *engines_[rank]; }

 private:
  std::vector<std::unique_ptr<runtime>> runtimes_;
  std::vector<std::unique_ptr<distributed::detail::engine>> engines_;
};

}  // namespace weft::test
