// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_algorithm: for_each and reduce with weft::par: listings 3 and 4 of the paper.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/for_loop.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/transform_reduce.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/series.hpp"

namespace weft::lab::approaches {
namespace {

struct weft_algorithms : weft_pool {
  static void in_bulk(std::size_t count, const auto& body) {
    for_loop(par.with(dynamic_chunk_size{1}), std::size_t{0}, count, body);
  }
  static void spread(std::size_t count, const auto& body) {
    for_loop(par, std::size_t{0}, count, body);
  }
  static void for_each(std::uint32_t* first, std::uint32_t* last, const auto& visit) {
    weft::for_each(par, first, last, visit);
  }
};

/// Loops over blocks, so that all approaches add terms by the same code.
double sum_of(const auto& policy, const series& what) {
  const series blocks = in_blocks(what);
  const auto numbers = std::views::iota(std::size_t{0}, blocks.num_parts);
  return transform_reduce(
      policy, numbers.begin(), numbers.end(), 0.0, std::plus<>(), [&blocks](std::size_t block) {
        return sum_of_terms(part_of(blocks, block), blocks.x);
      });
}

double over_vector(const auto& policy, const series& what, double* terms) {
  weft::for_each(policy, terms, terms + what.n, [x = what.x](double& e) { e = term(e, x); });
  return reduce(par, terms, terms + what.n, 0.0);
}

double chunked(const series& what, const chunking& how, double* terms) {
  return on_workers([&] {
    switch (how.kind) {
      case schedule_kind::fixed:
        return over_vector(par.with(static_chunk_size{how.chunk_size}), what, terms);
      case schedule_kind::dynamic:
        return over_vector(par.with(dynamic_chunk_size{how.chunk_size}), what, terms);
      case schedule_kind::guided:
        return over_vector(par.with(guided_chunk_size{how.chunk_size}), what, terms);
      case schedule_kind::automatic:
        break;
    }
    return over_vector(par.with(auto_chunk_size{}), what, terms);
  });
}

operations offered() {
  operations rows;
  bodies::offer_units<weft_algorithms>(rows);
  rows.fused = [](const series& what) { return on_workers([&what] { return sum_of(par, what); }); };
  rows.fused_summation = summation::in_order;
  rows.deterministic = [](const series& what) {
    return on_workers([&what] { return sum_of(par.with(deterministic), what); });
  };
  rows.over_vector = [](const series& what, double* terms) {
    return on_workers([&] { return over_vector(par, what, terms); });
  };
  rows.chunked = chunked;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_algorithm = weft_backend("weft_algorithm", offered());
  return weft_algorithm;
}

}  // namespace weft::lab::approaches
