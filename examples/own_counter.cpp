// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the program's own: registered once, then like any other. Try
// --weft:print-counter=/cache*/* and --weft:print-counter=/statistics{/cache/size}/max.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <unordered_map>

#include <weft/base/error.hpp>
#include <weft/counters/counter.hpp>
#include <weft/counters/registry.hpp>
#include <weft/counters/session.hpp>
#include <weft/tasks/mutex.hpp>
#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/runtime.hpp>

namespace {

using weft::counters::counter_kind;
using weft::counters::register_counter;
using weft::counters::registration;

/// Remembers squares.
class cache {
 public:
  std::int64_t square(std::int64_t number) {
    lookups_.fetch_add(1, std::memory_order_relaxed);
    const std::scoped_lock lock(mutex_);
    const auto [entry, is_new] = squares_.try_emplace(number, number * number);
    if (is_new) {
      size_.fetch_add(1, std::memory_order_relaxed);
    } else {
      hits_.fetch_add(1, std::memory_order_relaxed);
    }
    return entry->second;
  }

 private:
  weft::mutex mutex_;
  std::unordered_map<std::int64_t, std::int64_t> squares_;
  std::atomic<std::int64_t> lookups_ = 0;
  std::atomic<std::int64_t> hits_ = 0;
  std::atomic<std::int64_t> size_ = 0;

  // Last, so that nobody reads what is gone.
  registration count_lookups_ = register_counter(
      {.name = "/cache/lookups", .unit = "", .help = "Numbers asked for."}, &lookups_);
  registration count_hits_ = register_counter(
      {.name = "/cache/hits", .unit = "", .help = "Of those, how many were known."}, &hits_);
  registration show_size_ = register_counter({.name = "/cache/size",
                                              .unit = "bytes",
                                              .help = "Of what is remembered.",
                                              .kind = counter_kind::gauge},
                                             [this] {
                                               return size_.load(std::memory_order_relaxed) *
                                                      std::int64_t{sizeof(std::int64_t)};
                                             });
};

}  // namespace

int main(int argc, char** argv) try {
  weft::init(argc, argv);
  cache squares;
  weft::counters::session session{
      "/cache/hits", "/cache/size", "/arithmetics/divide@/cache/hits,/cache/lookups"};

  weft::parallel_for(10'000,
                     [&](std::size_t i) { squares.square(static_cast<std::int64_t>(i % 100)); });

  const auto now = session.evaluate();
  for (const auto& each : now.values) {
    std::printf("%s: %s\n", each.name.c_str(), to_string(each).c_str());
  }
  return now.number_of("/cache/hits") == 9'900 ? 0 : 1;
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
