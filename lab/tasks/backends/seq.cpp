// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime seq: plain calls, the baseline of every speed-up.
#include <cstddef>
#include <utility>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

/// Calls `function` with its own parameter types as a real call. Otherwise a compiler may inline a
/// recursion into itself, turn half of it into a loop or omit calls, since only the caller could
/// notice. The baseline would then do less work than the tasks.
template <auto function>
struct performed;

template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct performed<function> {
  [[gnu::noinline]] static Result call(Parameters... parameters) {
    Result result = function(parameters...);
    asm volatile("" ::: "memory");  // after the call: it is neither pure nor a tail call
    return result;
  }
};

[[gnu::noinline]] void perform(const auto& body) {
  body();
  asm volatile("" ::: "memory");
}

struct seq_runtime {
  struct is_serial;

  template <auto function>
  static auto call(const auto&... arguments) {
    return performed<function>::call(arguments...);
  }

  static void enter(const auto& body) { body(); }

  static auto both(const auto& first, const auto& second) {
    auto left = first();
    auto right = second();
    return std::pair(left, right);
  }

  static void fork2(const auto& first, const auto& second) {
    perform(first);
    perform(second);
  }

  static void fork_many(std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) {
      body(i);
    }
  }

  static void region(int threads, const auto& body) {
    for (int i = 0; i < threads; ++i) {
      perform([&] { body(i); });
    }
  }
};

}  // namespace

const backend& linked_backend() {
  static const backend seq{
      .name = "seq",
      .is_serial = true,
      .offered = bodies::offered_by<seq_runtime>(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return seq;
}

}  // namespace weft::lab::tasks
