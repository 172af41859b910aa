// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_dataflow: nodes of a graph that run when their inputs are ready.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/unwrapping.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"

namespace weft::lab::approaches {
namespace {

struct weft_graph : weft_pool {
  static double sum_of(std::size_t count, const auto& piece) {
    return on_workers([&] {
      std::vector<future<double>> sums;
      sums.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        sums.push_back(dataflow([&piece, i] { return piece(i); }));
      }
      return dataflow(
                 [](std::vector<future<double>> all_ready) {
                   double sum = 0;
                   for (future<double>& each : all_ready) {
                     sum += each.get();
                   }
                   return sum;
                 },
                 std::move(sums))
          .get();
    });
  }
  static void spread(std::size_t count, const auto& body) {
    std::vector<future<void>> nodes;
    nodes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      nodes.push_back(dataflow([&body, i] { body(i); }));
    }
    dataflow([](const std::vector<future<void>>&) {}, std::move(nodes)).get();
  }
};

/// A chain: every node has one predecessor.
std::uint64_t chain(const request& what) {
  return on_workers([&what] {
    future<std::uint64_t> last = make_ready_future(std::uint64_t{0});
    for (std::uint64_t i = 0; i < what.size; ++i) {
      last = dataflow(unwrapping([](std::uint64_t before) { return before + 1; }), std::move(last));
    }
    return last.get();
  });
}

operations offered() {
  operations rows;
  bodies::offer_series<weft_graph>(rows);
  bodies::offer_units<weft_graph>(rows);
  rows.dataflow = chain;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_dataflow = weft_backend("weft_dataflow", offered());
  return weft_dataflow;
}

}  // namespace weft::lab::approaches
