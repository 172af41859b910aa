// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_fork_join: weft::fork_join on a runtime of as many workers as asked for.
#include <cstddef>
#include <memory>
#include <utility>

#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

std::unique_ptr<runtime> workers;

struct weft_fork_join_runtime {
  static void enter(const auto& body) {
    workers->run([&] { body(); });
  }

  static auto both(const auto& first, const auto& second) {
    auto [left, right] = fork_join(first, second);
    return std::pair(std::move(left), std::move(right));
  }

  static void fork2(const auto& first, const auto& second) {
    fork_join([&] { first(); }, [&] { second(); });
  }

  static void fork_many(std::size_t count, const auto& body) { fork_range(0, count, body); }

  static void region(int threads, const auto& body) {
    enter([&] {
      fork_many(static_cast<std::size_t>(threads),
                [&](std::size_t i) { body(static_cast<int>(i)); });
    });
  }

 private:
  static void fork_range(std::size_t first,  // NOLINT(misc-no-recursion)
                         std::size_t last,
                         const auto& body) {
    if (last - first == 1) {
      body(first);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    fork_join([&] { fork_range(first, middle, body); }, [&] { fork_range(middle, last, body); });
  }
};

void with_workers(int threads, void (*body)(void* context), void* context) {
  runtime_options options;
  options.workers = threads;
  workers = std::make_unique<runtime>(options);
  body(context);
  workers.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_fork_join{
      .name = "weft_fork_join",
      .offered = bodies::offered_by<weft_fork_join_runtime>(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_workers};
  return weft_fork_join;
}

}  // namespace weft::lab::tasks
