// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach hpx_algorithm: hpx::for_each and hpx::reduce: listings 3 and 4 of the paper.
#include <cstddef>
#include <cstdint>
#include <functional>

#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <hpx/numeric.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/hpx_pool.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/series.hpp"

namespace weft::lab::approaches {
namespace {

namespace chunks = hpx::execution::experimental;
using hpx::execution::par;

struct hpx_algorithms : hpx_pool {
  static void in_bulk(std::size_t count, const auto& body) {
    hpx::experimental::for_loop(
        par.with(chunks::dynamic_chunk_size(1)), std::size_t{0}, count, body);
  }
  static void spread(std::size_t count, const auto& body) {
    hpx::experimental::for_loop(par, std::size_t{0}, count, body);
  }
  static void for_each(std::uint32_t* first, std::uint32_t* last, const auto& visit) {
    hpx::for_each(par, first, last, visit);
  }
};

/// Loops over blocks, so that all approaches add terms by the same code.
double fused(const series& what) {
  return on_hpx_threads([&what] {
    const series blocks = in_blocks(what);
    double sum = 0;
    hpx::experimental::for_loop(par,
                                std::size_t{0},
                                blocks.num_parts,
                                hpx::experimental::reduction(sum, 0.0, std::plus<>()),
                                [&blocks](std::size_t block, double& part) {
                                  part += sum_of_terms(part_of(blocks, block), blocks.x);
                                });
    return sum;
  });
}

double over_vector(const auto& policy, const series& what, double* terms) {
  hpx::for_each(policy, terms, terms + what.n, [x = what.x](double& e) { e = term(e, x); });
  return hpx::reduce(par, terms, terms + what.n, 0.0);
}

double chunked(const series& what, const chunking& how, double* terms) {
  return on_hpx_threads([&] {
    switch (how.kind) {
      case schedule_kind::fixed:
        return over_vector(par.with(chunks::static_chunk_size(how.chunk_size)), what, terms);
      case schedule_kind::dynamic:
        return over_vector(par.with(chunks::dynamic_chunk_size(how.chunk_size)), what, terms);
      case schedule_kind::guided:
        return over_vector(par.with(chunks::guided_chunk_size(how.chunk_size)), what, terms);
      case schedule_kind::automatic:
        break;
    }
    return over_vector(par.with(chunks::auto_chunk_size()), what, terms);
  });
}

operations offered() {
  operations rows;
  bodies::offer_units<hpx_algorithms>(rows);
  rows.fused = fused;
  rows.fused_summation = summation::in_order;
  rows.over_vector = [](const series& what, double* terms) {
    return on_hpx_threads([&] { return over_vector(par, what, terms); });
  };
  rows.chunked = chunked;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_algorithm = hpx_backend("hpx_algorithm", offered());
  return hpx_algorithm;
}

}  // namespace weft::lab::approaches
