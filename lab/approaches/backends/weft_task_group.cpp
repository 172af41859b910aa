// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_task_group: a task per piece in a group, and weft::parallel_for.
#include <cstddef>
#include <numeric>
#include <vector>

#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/task_group.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"

namespace weft::lab::approaches {
namespace {

struct weft_group : weft_pool {
  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
    enter([&] { spread(count, [&](std::size_t i) { sums[i] = piece(i); }); });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  static void spread(std::size_t count, const auto& body) {
    task_group group;
    for (std::size_t i = 0; i < count; ++i) {
      group.run([&body, i] { body(i); });
    }
    group.wait();
  }
  static void in_bulk(std::size_t count, const auto& body) {
    parallel_for(count, body, {.grain = 1});
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<weft_group>(rows);
  bodies::offer_units<weft_group>(rows);
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_task_group = weft_backend("weft_task_group", offered());
  return weft_task_group;
}

}  // namespace weft::lab::approaches
