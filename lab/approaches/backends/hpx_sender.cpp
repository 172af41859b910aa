// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach hpx_sender: schedule | bulk | then | sync_wait on HPX's pool. This is listing 5 of the
// paper without its two mistakes: a term too many in each part, a vector of the wrong length.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <hpx/execution.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/hpx_pool.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"

namespace weft::lab::approaches {
namespace {

namespace ex = hpx::execution::experimental;
namespace tt = hpx::this_thread::experimental;

struct hpx_senders : hpx_pool {
  static double sum_of(std::size_t count, const auto& piece) {
    return on_hpx_threads([&] {
      std::vector<double> sums(count);
      auto work = ex::schedule(ex::thread_pool_scheduler{}) |
                  ex::bulk(count, [&](std::size_t i) { sums[i] = piece(i); }) |
                  ex::then([&sums] { return std::accumulate(sums.begin(), sums.end(), 0.0); });
      auto [sum] = *tt::sync_wait(std::move(work));
      return sum;
    });
  }
  static void in_bulk(std::size_t count, const auto& body) {
    tt::sync_wait(ex::schedule(ex::thread_pool_scheduler{}) |
                  ex::bulk(count, [&body](std::size_t i) { body(i); }));
  }
  static void spread(std::size_t count, const auto& body) { in_bulk(count, body); }
  static std::uint64_t value_of(auto body) {
    auto [value] =
        *tt::sync_wait(ex::schedule(ex::thread_pool_scheduler{}) | ex::then(std::move(body)));
    return value;
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<hpx_senders>(rows);
  bodies::offer_units<hpx_senders>(rows);
  rows.schedule_then_wait = bodies::schedule_then_wait<hpx_senders>;
  rows.schedule_from_outside = bodies::schedule_from_outside<hpx_senders>;
  rows.nested_wait = bodies::nested_wait<hpx_senders>;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_sender = hpx_backend("hpx_sender", offered());
  return hpx_sender;
}

}  // namespace weft::lab::approaches
