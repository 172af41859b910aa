// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach hpx_coroutine: a coroutine that is an hpx::future and awaits futures: listing 2 of the
// paper.
#include <cstddef>
#include <cstdint>
#include <memory>
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

template <class Piece>
hpx::future<double> run_pieces(const Piece& piece, std::size_t count) {
  std::vector<hpx::future<double>> pieces;
  pieces.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    pieces.push_back(hpx::async([&piece, i] { return piece(i); }));
  }
  std::vector<hpx::future<double>> sums = co_await hpx::when_all(std::move(pieces));
  double sum = 0;
  for (hpx::future<double>& each : sums) {
    sum += co_await std::move(each);
  }
  co_return sum;
}

struct hpx_coroutines : hpx_pool {
  static double sum_of(std::size_t count, const auto& piece) {
    return on_hpx_threads([&] { return run_pieces(piece, count).get(); });
  }
};

hpx::future<std::uint64_t> leaf(std::uint64_t i) { co_return i; }

hpx::future<std::uint64_t> await_tasks(std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    sum += co_await leaf(i);
  }
  co_return sum;
}

hpx::future<std::uint64_t> await_futures(std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    sum += co_await hpx::make_ready_future(i);
  }
  co_return sum;
}

hpx::future<std::uint64_t> await_all(std::vector<hpx::future<std::uint64_t>>& ready) {
  std::uint64_t sum = 0;
  for (hpx::future<std::uint64_t>& each : ready) {
    sum += co_await std::move(each);
  }
  co_return sum;
}

std::unique_ptr<prepared_units> await_ready(const request& what) {
  return bodies::prepared<hpx_coroutines>(
      [size = what.size] {
        std::vector<hpx::future<std::uint64_t>> ready;
        ready.reserve(size);
        for (std::uint64_t i = 0; i < size; ++i) {
          ready.push_back(hpx::make_ready_future(i));
        }
        return ready;
      },
      [](std::vector<hpx::future<std::uint64_t>>& ready) { return await_all(ready).get(); });
}

operations offered() {
  operations rows;
  bodies::offer_series<hpx_coroutines>(rows);
  bodies::offer_units<hpx_coroutines>(rows);
  rows.await_task = [](const request& what) {
    return on_hpx_threads([&what] { return await_tasks(what.size).get(); });
  };
  rows.await_future = [](const request& what) {
    return on_hpx_threads([&what] { return await_futures(what.size).get(); });
  };
  rows.await_ready = await_ready;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_coroutine = hpx_backend("hpx_coroutine", offered());
  return hpx_coroutine;
}

}  // namespace weft::lab::approaches
