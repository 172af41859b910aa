// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime citor: ThreadPool::forkJoin and forkJoinAll, and parallelFor for regions.
#include <cstddef>
#include <memory>

#include <citor/hints.h>
#include <citor/thread_pool.h>
#include <citor/version.h>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

std::unique_ptr<citor::ThreadPool> pool;

struct citor_runtime {
  using hints = citor::HintsDefaults;

  /// One fork from outside, so that the forks of `body` are nested and take citor's fast path.
  static void enter(const auto& body) {
    pool->forkJoin<hints>([&] { body(); }, [] {});
  }

  static void take_main_in(int /*threads*/) {}

  static void fork2(const auto& first, const auto& second) {
    pool->forkJoin<hints>([&] { first(); }, [&] { second(); });
  }

  static void fork_many(std::size_t count, const auto& body) {
    pool->forkJoinAll<hints>(count, [&](std::size_t i) { body(i); });
  }

  static void region(int threads, const auto& body) {
    // Blocks of one index, each on its own thread: the preset for loops of equal calls.
    pool->parallelFor<citor::StaticHints>(
        0, static_cast<std::size_t>(threads), [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i) {
            body(static_cast<int>(i));
          }
        });
  }
};

void with_pool(int threads, void (*body)(void* context), void* context) {
  pool = std::make_unique<citor::ThreadPool>(static_cast<std::size_t>(threads));
  body(context);
  pool.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend citor{.name = "citor",
                             .offered = bodies::offered_by<citor_runtime>(),
                             .libraries =
                                 [] {
                                   return stl::library_versions{stl::standard_library(),
                                                                {"citor", CITOR_VERSION_STRING}};
                                 },
                             .with_threads = with_pool};
  return citor;
}

}  // namespace weft::lab::tasks
