// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach stdexec: schedule | bulk | then | sync_wait on its static_thread_pool, and its
// coroutines.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <exec/static_thread_pool.hpp>
#include <exec/task.hpp>
#include <stdexec/execution.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

std::unique_ptr<exec::static_thread_pool> pool;

struct stdexec_senders {
  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
    auto work =
        stdexec::schedule(pool->get_scheduler()) |
        stdexec::bulk_unchunked(stdexec::par, count, [&](std::size_t i) { sums[i] = piece(i); }) |
        stdexec::then([&sums] { return std::accumulate(sums.begin(), sums.end(), 0.0); });
    return std::get<0>(stdexec::sync_wait(std::move(work)).value());
  }
  // stdexec's sync_wait blocks: on a thread of the pool, it may wait for itself.
  static void enter(const auto& body) { body(); }
  static void in_bulk(std::size_t count, const auto& body) {
    stdexec::sync_wait(
        stdexec::schedule(pool->get_scheduler()) |
        stdexec::bulk_unchunked(stdexec::par, count, [&body](std::size_t i) { body(i); }));
  }
  static void spread(std::size_t count, const auto& body) { in_bulk(count, body); }
  static std::uint64_t value_of(auto body) {
    auto work = stdexec::schedule(pool->get_scheduler()) | stdexec::then(std::move(body));
    return std::get<0>(stdexec::sync_wait(std::move(work)).value());
  }
};

exec::task<std::uint64_t> leaf(std::uint64_t i) { co_return i; }

exec::task<std::uint64_t> await_tasks(std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    sum += co_await leaf(i);
  }
  co_return sum;
}

operations offered() {
  operations rows;
  bodies::offer_series<stdexec_senders>(rows);
  bodies::offer_units<stdexec_senders>(rows);
  rows.schedule_from_outside = bodies::schedule_from_outside<stdexec_senders>;
  rows.await_task = [](const request& what) {
    return std::get<0>(stdexec::sync_wait(await_tasks(what.size)).value());
  };
  return rows;
}

void with_pool(int threads, void (*body)(void* context), void* context) {
  pool = std::make_unique<exec::static_thread_pool>(static_cast<std::uint32_t>(threads));
  body(context);
  pool.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend of_stdexec{
      .name = "stdexec",
      .offered = offered(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_pool};
  return of_stdexec;
}

}  // namespace weft::lab::approaches
