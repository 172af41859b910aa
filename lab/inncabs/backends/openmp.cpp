// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime openmp: OpenMP tasks, made by one thread of a parallel region.
#include <exception>
#include <mutex>
#include <utility>

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backends/openmp_mutex.hpp"

namespace weft::lab::inncabs {
namespace {

/// Keeps the exceptions of calls: no exception may leave a task or a region.
class first_failure {
 public:
  void call(auto& function) noexcept {
    try {
      function();
    } catch (...) {
      const std::scoped_lock guard(mutex_);
      if (!raised_) {
        raised_ = std::current_exception();
      }
    }
  }

  /// Call when all calls have ended.
  void rethrow() {
    if (raised_) {
      std::rethrow_exception(std::exchange(raised_, nullptr));
    }
  }

 private:
  std::mutex mutex_;
  std::exception_ptr raised_;
};

struct openmp_runtime {
  using mutex = tasks::openmp_mutex;

  class group {
   public:
    void run(auto call) {
      first_failure& failure = failure_;
#pragma omp task default(none) firstprivate(call) shared(failure)
      failure.call(call);
    }

    /// Waits for all child tasks of the calling one, including those of the group.
    void wait() {
#pragma omp taskwait
      failure_.rethrow();
    }

   private:
    first_failure failure_;
  };

  static void enter(const auto& body) {
    first_failure failure;
#pragma omp parallel default(none) shared(body, failure)
#pragma omp single
    failure.call(body);
    failure.rethrow();
  }

  static void fork2(auto&& first, auto&& second) {
    first_failure failure;
#pragma omp task default(none) shared(first, failure)
    failure.call(first);
    failure.call(second);
#pragma omp taskwait
    failure.rethrow();
  }

  static void lock(auto&... mutexes) { std::lock(mutexes...); }
};

}  // namespace

const backend& linked_backend() {
  static const backend openmp{
      .name = "openmp",
      .bodies = offered_by<openmp_runtime>(),
      .has_policy = has_policy<openmp_runtime>,
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::openmp_library()}; },
      .with_threads = stl::with_openmp_threads};
  return openmp;
}

}  // namespace weft::lab::inncabs
