// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simplest runtime that bodies can be written for: it runs every call at once, in its caller.
#pragma once

#include <cstdint>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::testing {

struct inline_runtime {
  template <class T>
  using future = std::future<T>;
  enum class launch : std::uint8_t { at_once };
  using mutex = std::mutex;

  template <class Call>
  static auto async(launch /*how*/, Call call) {
    std::packaged_task<decltype(call())()> task(std::move(call));
    auto result = task.get_future();
    task();
    return result;
  }

  class group {
   public:
    void run(auto call) { results_.push_back(async(launch::at_once, std::move(call))); }
    void wait() {
      for (auto& each : std::exchange(results_, {})) {
        each.get();
      }
    }

   private:
    std::vector<std::future<void>> results_;
  };

  static void fork2(auto&& first, auto&& second) {
    first();
    second();
  }

  static void lock(auto&... mutexes) { std::lock(mutexes...); }
};

static_assert(futures_runtime<inline_runtime>);
static_assert(groups_runtime<inline_runtime>);

}  // namespace weft::lab::inncabs::testing
