// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach hpx_future: hpx::async per piece, when_all, then: listing 1 of the paper.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hpx/future.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/hpx_pool.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"

namespace weft::lab::approaches {
namespace {

struct hpx_futures : hpx_pool {
  struct has_when_all;
  using promise = hpx::promise<std::uint64_t>;

  static auto async(auto body) { return hpx::async(std::move(body)); }
  static auto when_all(auto parts) { return hpx::when_all(std::move(parts)); }

  static double sum_of(std::size_t count, const auto& piece) {
    return on_hpx_threads([&] {
      std::vector<hpx::future<double>> sums;
      sums.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        sums.push_back(hpx::async([&piece, i] { return piece(i); }));
      }
      return hpx::when_all(std::move(sums))
          .then([](auto all_ready) {
            double sum = 0;
            for (hpx::future<double>& each : all_ready.get()) {
              sum += each.get();
            }
            return sum;
          })
          .get();
    });
  }
  static void spread(std::size_t count, const auto& body) {
    std::vector<hpx::future<void>> tasks;
    tasks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      tasks.push_back(hpx::async([&body, i] { body(i); }));
    }
    hpx::wait_all(tasks);
  }
};

/// A chain: every node has one predecessor.
std::uint64_t chain(const request& what) {
  return on_hpx_threads([&what] {
    hpx::future<std::uint64_t> last = hpx::make_ready_future(std::uint64_t{0});
    for (std::uint64_t i = 0; i < what.size; ++i) {
      last = hpx::dataflow(hpx::unwrapping([](std::uint64_t before) { return before + 1; }),
                           std::move(last));
    }
    return last.get();
  });
}

operations offered() {
  operations rows;
  bodies::offer_series<hpx_futures>(rows);
  bodies::offer_units<hpx_futures>(rows);
  rows.dataflow = chain;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_future = hpx_backend("hpx_future", offered());
  return hpx_future;
}

}  // namespace weft::lab::approaches
