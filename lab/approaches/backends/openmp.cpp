// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach openmp: parallel loops, with its own schedules.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <omp.h>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/series.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

struct openmp_loops {
  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
#pragma omp parallel for default(none) shared(sums, piece) firstprivate(count) schedule(static)
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] = piece(i);
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  static void enter(const auto& body) { body(); }
  static void in_bulk(std::size_t count, const auto& body) {
#pragma omp parallel for default(none) shared(body) firstprivate(count) schedule(dynamic, 1)
    for (std::size_t i = 0; i < count; ++i) {
      body(i);
    }
  }
  static void spread(std::size_t count, const auto& body) {
#pragma omp parallel for default(none) shared(body) firstprivate(count) schedule(static)
    for (std::size_t i = 0; i < count; ++i) {
      body(i);
    }
  }
  static void for_each(std::uint32_t* first, std::uint32_t* last, const auto& visit) {
#pragma omp parallel for default(none) shared(visit) firstprivate(first, last) schedule(static)
    for (std::uint32_t* each = first; each < last; ++each) {
      visit(*each);
    }
  }
};

omp_sched_t schedule_of(schedule_kind kind) {
  switch (kind) {
    case schedule_kind::fixed:
      return omp_sched_static;
    case schedule_kind::dynamic:
      return omp_sched_dynamic;
    case schedule_kind::guided:
      return omp_sched_guided;
    case schedule_kind::automatic:
      break;
  }
  return omp_sched_auto;
}

double chunked(const series& what, const chunking& how, double* terms) {
  omp_set_schedule(schedule_of(how.kind), static_cast<int>(how.chunk_size));
  const auto n = static_cast<std::int64_t>(what.n);
  const double x = what.x;
#pragma omp parallel for default(none) shared(terms) firstprivate(n, x) schedule(runtime)
  for (std::int64_t i = 0; i < n; ++i) {
    terms[i] = term(terms[i], x);
  }
  double sum = 0;
#pragma omp parallel for default(none) shared(terms) firstprivate(n) schedule(static) \
    reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) {
    sum += terms[i];
  }
  return sum;
}

operations offered() {
  operations rows;
  bodies::offer_series<openmp_loops>(rows);
  bodies::offer_units<openmp_loops>(rows);
  rows.chunked = chunked;
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend openmp{
      .name = "openmp",
      .offered = offered(),
      .libraries =
          [] { return stl::library_versions{stl::standard_library(), stl::openmp_library()}; },
      .with_threads = stl::with_openmp_threads};
  return openmp;
}

}  // namespace weft::lab::approaches
