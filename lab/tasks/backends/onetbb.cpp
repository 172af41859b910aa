// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime onetbb: parallel_invoke; and task_group if the number of tasks is known only at run time.
// Uses an arena with the requested number of threads.
#include <cstddef>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_group.h>

#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct onetbb_runtime {
  using mutex = tbb::mutex;  // blocks in a long wait, as the other runtimes' mutexes do

  static void enter(const auto& body) { body(); }

  static void fork2(const auto& first, const auto& second) {
    tbb::parallel_invoke([&] { first(); }, [&] { second(); });
  }

  static void fork_many(std::size_t count, const auto& body) {
    tbb::task_group group;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      group.run([&body, i] { body(i); });
    }
    body(count - 1);
    group.wait();
  }

  static void region(int threads, const auto& body) {
    tbb::parallel_for(0, threads, body, tbb::static_partitioner());
  }
};

}  // namespace

const backend& linked_backend() {
  static const backend onetbb{
      .name = "onetbb",
      .offered = bodies::offered_by<onetbb_runtime>(),
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::tbb_library()}; },
      .with_threads = stl::with_tbb_threads};
  return onetbb;
}

}  // namespace weft::lab::tasks
