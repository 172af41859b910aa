// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_future: weft::async per piece, when_all, then: listing 1 of the paper.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/when_all.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"

namespace weft::lab::approaches {
namespace {

struct weft_futures : weft_pool {
  struct has_when_all;
  using promise = weft::promise<std::uint64_t>;

  static auto async(auto body) { return weft::async(std::move(body)); }
  static auto when_all(auto parts) { return weft::when_all_ready(std::move(parts)); }

  static double sum_of(std::size_t count, const auto& piece) {
    return on_workers([&] {
      std::vector<future<double>> sums;
      sums.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        sums.push_back(weft::async([&piece, i] { return piece(i); }));
      }
      return weft::when_all_ready(std::move(sums))
          .then([](auto all_ready) {
            double sum = 0;
            for (future<double>& each : all_ready.get()) {
              sum += each.get();
            }
            return sum;
          })
          .get();
    });
  }
  static void spread(std::size_t count, const auto& body) {
    std::vector<future<void>> tasks;
    tasks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      tasks.push_back(weft::async([&body, i] { body(i); }));
    }
    weft::when_all_ready(std::move(tasks)).get();
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<weft_futures>(rows);
  bodies::offer_units<weft_futures>(rows);
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_future = weft_backend("weft_future", offered());
  return weft_future;
}

}  // namespace weft::lab::approaches
