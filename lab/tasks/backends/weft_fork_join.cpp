// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_fork_join: forks by weft::fork_join, without allocation.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "weft/tasks/fork_join.hpp"

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct weft_fork_join_runtime : weft_runtime {
  static auto both(const auto& first, const auto& second) {
    auto [left, right] = fork_join(first, second);
    return std::pair(std::move(left), std::move(right));
  }

  static void fork2(const auto& first, const auto& second) {
    fork_join([&] { first(); }, [&] { second(); });
  }

  static void fork_many(std::size_t count, const auto& body) {
    parallel_for(count, [&](std::size_t i) { body(i); }, {.grain = 1});
  }

  /// Divided at compile time: values that are known then need not be computed at every node.
  template <std::size_t count>
  static std::uint64_t sum_of(const auto& part) {
    return sum_between<0, count>(part);
  }

 private:
  template <std::size_t first, std::size_t last>
  static std::uint64_t sum_between(const auto& part) {
    if constexpr (last - first == 1) {
      return part(first);
    } else {
      constexpr std::size_t middle = first + (last - first) / 2;
      const auto [left, right] = fork_join([part] { return sum_between<first, middle>(part); },
                                           [part] { return sum_between<middle, last>(part); });
      return left + right;
    }
  }
};

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
