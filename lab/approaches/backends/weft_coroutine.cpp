// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_coroutine: weft::lazy_task, forked and joined by co_await: listing 2 of the paper.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "weft/execution/scheduler.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/then.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"

namespace weft::lab::approaches {
namespace {

template <class Piece>
lazy_task<double> run_piece(const Piece& piece, std::size_t i) {
  co_return piece(i);
}

template <class Piece>
lazy_task<double> run_pieces(const Piece& piece, std::size_t count) {
  auto pieces = std::views::iota(std::size_t{0}, count) |
                std::views::transform([&piece](std::size_t i) { return run_piece(piece, i); });
  const std::vector<double> sums = co_await fork_all(pieces);
  double sum = 0;
  for (const double each : sums) {
    sum += each;
  }
  co_return sum;
}

template <class Body>
lazy_task<void> run_body(const Body& body, std::size_t i) {
  body(i);
  co_return;
}

template <class Body>
lazy_task<void> run_bodies(const Body& body, std::size_t count) {
  auto bodies = std::views::iota(std::size_t{0}, count) |
                std::views::transform([&body](std::size_t i) { return run_body(body, i); });
  co_await fork_all(bodies);
}

struct weft_tasks : weft_pool {
  static double sum_of(std::size_t count, const auto& piece) {
    return on_workers([&] { return blocking_wait(run_pieces(piece, count)); });
  }
  static void spread(std::size_t count, const auto& body) {
    blocking_wait(run_bodies(body, count));
  }
};

lazy_task<std::uint64_t> leaf(std::uint64_t i) { co_return i; }

lazy_task<std::uint64_t> await_tasks(std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    sum += co_await leaf(i);
  }
  co_return sum;
}

lazy_task<std::uint64_t> await_futures(std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    sum += co_await make_ready_future(i);
  }
  co_return sum;
}

lazy_task<std::uint64_t> await_all(std::vector<future<std::uint64_t>>& ready) {
  std::uint64_t sum = 0;
  for (future<std::uint64_t>& each : ready) {
    sum += co_await std::move(each);
  }
  co_return sum;
}

/// The fastest way into the pool: futures that fit into a core's own caches are few, and awaiting
/// them takes little time.
struct weft_schedules {
  static void enter(const auto& body) {
    execution::sync_wait(execution::schedule(tasks::workers->get_scheduler()) |
                         execution::then([&body]() noexcept { body(); }));
  }
};

std::unique_ptr<prepared_units> await_ready(const request& what) {
  return bodies::prepared<weft_schedules>(
      [size = what.size] {
        std::vector<future<std::uint64_t>> ready;
        ready.reserve(size);
        for (std::uint64_t i = 0; i < size; ++i) {
          ready.push_back(make_ready_future(i));
        }
        return ready;
      },
      [](std::vector<future<std::uint64_t>>& ready) { return blocking_wait(await_all(ready)); });
}

operations offered() {
  operations rows;
  bodies::offer_series<weft_tasks>(rows);
  bodies::offer_units<weft_tasks>(rows);
  rows.await_task = [](const request& what) {
    return on_workers([&what] { return blocking_wait(await_tasks(what.size)); });
  };
  rows.await_future = [](const request& what) {
    return on_workers([&what] { return blocking_wait(await_futures(what.size)); });
  };
  rows.await_ready = await_ready;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_coroutine = weft_backend("weft_coroutine", offered());
  return weft_coroutine;
}

}  // namespace weft::lab::approaches
