// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach onetbb: parallel_for and parallel_reduce, with its partitioners as chunk sizes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/series.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

using range = tbb::blocked_range<std::size_t>;

struct onetbb_loops {
  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
    tbb::parallel_for(
        range(0, count, 1),
        [&](const range& pieces) {
          for (std::size_t i = pieces.begin(); i != pieces.end(); ++i) {
            sums[i] = piece(i);
          }
        },
        tbb::simple_partitioner());
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  static void enter(const auto& body) { body(); }
  static void in_bulk(std::size_t count, const auto& body) {
    tbb::parallel_for(
        range(0, count, 1),
        [&](const range& chunk) {
          for (std::size_t i = chunk.begin(); i != chunk.end(); ++i) {
            body(i);
          }
        },
        tbb::simple_partitioner());
  }
  static void spread(std::size_t count, const auto& body) {
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { body(i); });
  }
  static void for_each(std::uint32_t* first, std::uint32_t* last, const auto& visit) {
    tbb::parallel_for(tbb::blocked_range<std::uint32_t*>(first, last),
                      [&](const tbb::blocked_range<std::uint32_t*>& chunk) {
                        for (std::uint32_t& each : chunk) {
                          visit(each);
                        }
                      });
  }
};

/// Makes chunks of exactly `chunk_size` by their numbers, since a range's grain is only a bound for
/// a partitioner. Fixed: chunks are dealt to as many ranges as there are threads. Dynamic: each
/// chunk is a task.
double chunked(const series& what, const chunking& how, double* terms) {
  const auto make_terms = [terms, x = what.x](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i != last; ++i) {
      terms[i] = term(terms[i], x);
    }
  };
  const std::size_t num_chunks = (what.n + how.chunk_size - 1) / how.chunk_size;
  const auto make_chunk = [&](std::size_t chunk) {
    const std::size_t first = chunk * how.chunk_size;
    make_terms(first, std::min<std::size_t>(first + how.chunk_size, what.n));
  };
  if (how.kind == schedule_kind::fixed) {
    const auto make_every_nth = [&](std::size_t first) {
      for (std::size_t chunk = first; chunk < num_chunks; chunk += what.num_parts) {
        make_chunk(chunk);
      }
    };
    tbb::parallel_for(std::size_t{0}, what.num_parts, make_every_nth, tbb::static_partitioner());
  } else if (how.kind == schedule_kind::dynamic) {
    tbb::parallel_for(std::size_t{0}, num_chunks, make_chunk, tbb::simple_partitioner());
  } else {
    tbb::parallel_for(
        range(0, what.n),
        [&make_terms](const range& chunk) { make_terms(chunk.begin(), chunk.end()); },
        tbb::auto_partitioner());
  }
  return tbb::parallel_reduce(
      range(0, what.n),
      0.0,
      [terms](const range& chunk, double sum) {
        return std::accumulate(terms + chunk.begin(), terms + chunk.end(), sum);
      },
      std::plus<>());
}

operations offered() {
  operations rows;
  bodies::offer_series<onetbb_loops>(rows);
  bodies::offer_units<onetbb_loops>(rows);
  rows.chunked = chunked;
  rows.has_guided_chunks = false;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend onetbb{
      .name = "onetbb",
      .offered = offered(),
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::tbb_library()}; },
      .with_threads = stl::with_tbb_threads};
  return onetbb;
}

}  // namespace weft::lab::approaches
