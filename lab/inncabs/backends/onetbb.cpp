// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime onetbb: parallel_invoke; and task_group if the number of tasks is known only at run time.
// Uses an arena with the requested number of threads.
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>
#include <pthread.h>

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
    tbb::parallel_invoke([&] { first(); }, [&] { second(); });
  }

  static void lock(auto&... mutexes) { std::lock(mutexes...); }
};

/// A waiting task runs other tasks on its own stack, and these wait in turn. So `uts` on two
/// threads needs more than the 8 MiB of a program's first thread. Untouched memory costs nothing.
constexpr std::size_t stack_bytes = std::size_t{1} << 30U;

struct deep_call {
  int threads;
  void (*body)(void* context);
  void* context;
  std::exception_ptr raised = nullptr;
};

void* run_deep(void* argument) {
  auto& call = *static_cast<deep_call*>(argument);
  try {
    stl::with_tbb_threads(call.threads, call.body, call.context);
  } catch (...) {
    call.raised = std::current_exception();
  }
  return nullptr;
}

/// As `stl::with_tbb_threads`, on threads with deep stacks, the calling thread included.
/// Errors: std::system_error if there is no memory for such a thread; the exceptions of `body`.
void with_deep_threads(int threads, void (*body)(void* context), void* context) {
  const tbb::global_control of_workers(tbb::global_control::thread_stack_size, stack_bytes);
  deep_call call{.threads = threads, .body = body, .context = context};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t caller{};
  const int failed = pthread_create(&caller, &attributes, run_deep, &call);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    throw std::system_error(failed, std::generic_category(), "a thread with a stack of 1 GiB");
  }
  pthread_join(caller, nullptr);
  if (call.raised) {
    std::rethrow_exception(call.raised);
  }
}

}  // namespace

const backend& linked_backend() {
  static const backend onetbb{
      .name = "onetbb",
      .bodies = offered_by<onetbb_runtime>(),
      .has_policy = has_policy<onetbb_runtime>,
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::tbb_library()}; },
      .with_threads = with_deep_threads};
  return onetbb;
}

}  // namespace weft::lab::inncabs
