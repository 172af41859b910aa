// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach seq: a plain loop on one thread, the baseline of every speed-up.
#include <cstddef>
#include <cstdint>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

struct sequential {
  static double sum_of(std::size_t count, const auto& piece) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += piece(i);
    }
    return sum;
  }
  static void enter(const auto& body) { body(); }
  static void spread(std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) {
      body(i);
    }
  }
  static void for_each(std::uint32_t* first, std::uint32_t* last, const auto& visit) {
    for (; first != last; ++first) {
      visit(*first);
    }
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<sequential>(rows);
  bodies::offer_units<sequential>(rows);
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend seq{
      .name = "seq",
      .is_serial = true,
      .offered = offered(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return seq;
}

}  // namespace weft::lab::approaches
