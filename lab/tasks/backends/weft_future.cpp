// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_future: forks by weft::async, joins by future::get.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/tasks/future.hpp"

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct weft_future_runtime : weft_runtime {
  static auto both(const auto& first, const auto& second) {
    auto forked = weft::async(first);
    auto right = second();
    return std::pair(forked.get(), std::move(right));
  }

  static void fork2(const auto& first, const auto& second) {
    future<void> forked = weft::async([&] { first(); });
    second();
    forked.get();
  }

  static void fork_many(std::size_t count, const auto& body) {
    std::vector<future<void>> forked;
    forked.reserve(count - 1);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      forked.push_back(weft::async([&body, i] { body(i); }));
    }
    body(count - 1);
    // The last task first: it is the one that is least likely to be stolen.
    for (std::size_t i = count - 1; i-- > 0;) {
      forked[i].get();
    }
  }

  template <std::size_t count>
  static std::uint64_t sum_of(const auto& part) {
    std::array<future<std::uint64_t>, count - 1> forked;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      forked[i] = weft::async([part, i] { return part(i); });
    }
    std::uint64_t sum = part(count - 1);
    for (std::size_t i = count - 1; i-- > 0;) {
      sum += forked[i].get();
    }
    return sum;
  }
};

}  // namespace

const backend& linked_backend() {
  static const backend weft_future{
      .name = "weft_future",
      .offered = bodies::offered_by<weft_future_runtime>(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_workers};
  return weft_future;
}

}  // namespace weft::lab::tasks
