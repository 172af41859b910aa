// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime openmp: OpenMP tasks, made by one thread of a parallel region.
#include <cstddef>

#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/openmp_mutex.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct openmp_runtime {
  using mutex = openmp_mutex;

  static void enter(const auto& body) {
#pragma omp parallel default(none) shared(body)
#pragma omp single
    body();
  }

  static void fork2(const auto& first, const auto& second) {
#pragma omp task default(none) shared(first)
    first();
    second();
#pragma omp taskwait
  }

  static void fork_many(std::size_t count, const auto& body) {
    for (std::size_t i = 0; i + 1 < count; ++i) {
#pragma omp task default(none) shared(body) firstprivate(i)
      body(i);
    }
    body(count - 1);
#pragma omp taskwait
  }

  static void region(int threads, const auto& body) {
#pragma omp parallel for default(none) shared(body) firstprivate(threads) schedule(static)
    for (int i = 0; i < threads; ++i) {
      body(i);
    }
  }
};

}  // namespace

const backend& linked_backend() {
  static const backend openmp{
      .name = "openmp",
      .offered = bodies::offered_by<openmp_runtime>(),
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::openmp_library()}; },
      .with_threads = stl::with_openmp_threads};
  return openmp;
}

}  // namespace weft::lab::tasks
