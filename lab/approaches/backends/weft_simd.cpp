// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_simd: for_each and reduce with weft::par_simd, whose callables take packs of
// elements.
#include <experimental/simd>  // IWYU pragma: keep: pow of packs

#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/simd.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/series.hpp"

namespace weft::lab::approaches {
namespace {

/// The term of every element of a pack. The library has no vector `pow`: it calls the C library's
/// `pow` for each element.
template <class Pack>
Pack terms_of(const Pack& e, double x) {
  namespace stdx = std::experimental;
  return stdx::pow(Pack(-1.0), e + 1) * stdx::pow(Pack(x), e) / e;
}

double over_vector(const series& what, double* terms) {
  return on_workers([&] {
    for_each(par_simd, terms, terms + what.n, [x = what.x](auto& e) { e = terms_of(e, x); });
    return reduce(par_simd, terms, terms + what.n, 0.0);
  });
}

operations offered() {
  operations rows;
  rows.over_vector = over_vector;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_simd = weft_backend("weft_simd", offered());
  return weft_simd;
}

}  // namespace weft::lab::approaches
