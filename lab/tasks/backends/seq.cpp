// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime seq: plain calls, the baseline of every speed-up.
#include <cstddef>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct seq_runtime {
  struct is_serial;

  static void enter(const auto& body) { body(); }

  static void fork2(const auto& first, const auto& second) {
    first();
    second();
  }

  static void fork_many(std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) {
      body(i);
    }
  }

  static void region(int threads, const auto& body) {
    for (int i = 0; i < threads; ++i) {
      body(i);
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
