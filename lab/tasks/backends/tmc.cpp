// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime tmc: TooManyCooks' coroutines on its ex_cpu.
#define TMC_IMPL  // only this file compiles the library's own functions
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <tmc/ex_cpu.hpp>
#include <tmc/spawn_many.hpp>
#include <tmc/spawn_tuple.hpp>
#include <tmc/sync.hpp>
#include <tmc/task.hpp>
#include <tmc/version.hpp>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/coroutine_bodies.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks {
namespace {

std::unique_ptr<tmc::ex_cpu> executor;

struct tmc_runtime {
  template <class T>
  using task = tmc::task<T>;

  template <class... T>
  static auto fork(tmc::task<T>... tasks) {
    return tmc::spawn_tuple(std::move(tasks)...);
  }

  static auto all(auto& tasks) { return tmc::spawn_many(tasks.begin(), tasks.size()); }

  template <class T>
  static T result_of(tmc::task<T> root) {
    return tmc::post_waitable(*executor, std::move(root)).get();
  }
};

operations offered() {
  operations rows;
  coroutine_bodies::offer_coroutines<tmc_runtime>(rows);
  return rows;
}

void with_executor(int threads, void (*body)(void* context), void* context) {
  executor = std::make_unique<tmc::ex_cpu>();
  executor->set_thread_count(static_cast<std::size_t>(threads)).init();
  body(context);
  executor.reset();
}

std::string version() {
  return std::to_string(TMC_VERSION_MAJOR) + "." + std::to_string(TMC_VERSION_MINOR) + "." +
         std::to_string(TMC_VERSION_PATCH);
}

}  // namespace

const backend& linked_backend() {
  static const backend tmc{.name = "tmc",
                           .offered = offered(),
                           .libraries =
                               [] {
                                 return stl::library_versions{stl::standard_library(),
                                                              {"TooManyCooks", version()}};
                               },
                           .with_threads = with_executor};
  return tmc;
}

}  // namespace weft::lab::tasks
