// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend seq: the standard library's sequential algorithms; its answer is the reference.
#pragma once

#include <cstddef>
#include <string_view>

#include "lab/bench/algorithm_members.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::bench {
namespace in_seq {
namespace library = std;
#define WEFT_BENCH_POLICY

struct seq {
  static constexpr std::string_view name = "seq";
  static constexpr bool is_serial = true;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"

  void for_loop(std::size_t n, const auto& body) const {
    for (std::size_t i = 0; i < n; ++i) {
      body(i);
    }
  }

  template <class T>
  T reduce(std::size_t n, T init, const auto& map, const auto& combine) const {
    for (std::size_t i = 0; i < n; ++i) {
      init = combine(init, map(i));
    }
    return init;
  }

  void fork_join(const auto& first, const auto& second) const {
    first();
    second();
  }

  struct group {
    void run(const auto& task) { task(); }
    void wait() {}
  };
  group task_group() const { return {}; }

  static lab::stl::library_versions libraries() { return {lab::stl::standard_library()}; }
  static void with_threads(int /*threads*/, void (*body)(void* context), void* context) {
    body(context);
  }
};

#undef WEFT_BENCH_POLICY
}  // namespace in_seq

using in_seq::seq;

}  // namespace weft::bench
