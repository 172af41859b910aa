// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime onetbb: task_group in an arena of as many threads as asked for.
#include <mutex>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/task_group.h>

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::inncabs {
namespace {

struct onetbb_runtime {
  using group = tbb::task_group;
  using mutex = tbb::mutex;

  static void enter(const auto& body) { body(); }

  static void fork2(auto&& first, auto&& second) {
    tbb::task_group both;
    both.run([&] { first(); });
    both.run_and_wait([&] { second(); });
  }

  static void lock(auto&... mutexes) { std::lock(mutexes...); }
};

}  // namespace

const backend& linked_backend() {
  static const backend onetbb{
      .name = "onetbb",
      .bodies = offered_by<onetbb_runtime>(),
      .has_policy = has_policy<onetbb_runtime>,
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::tbb_library()}; },
      .with_threads = stl::with_tbb_threads};
  return onetbb;
}

}  // namespace weft::lab::inncabs
