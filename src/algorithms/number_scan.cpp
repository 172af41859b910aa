// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sums of numbers by all workers, compiled once for all programs.
#include <cstddef>
#include <cstdint>
#include <functional>

#include "weft/algorithms/detail/kernels/scan_kernels.hpp"
#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/scanning/scan_block.hpp"
#include "weft/algorithms/detail/scanning/scan_tiles.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"

namespace weft::algorithms::detail {
namespace {

template <scan_kind kind, class Number>
void scan_kind_of_numbers(const loop_policy& how,
                          cost_record& costs,
                          const kernels::scan_range<Number>& range,
                          Number sum) {
  std::plus<> add;
  const as_it_is map;
  scan_work<kind, true, Number, const Number*, Number*, std::plus<>, const as_it_is> work{
      range.from, range.to, add, map};
  work.streams = work.should_pass_by(range.n);
  const auto scan_front = [&](std::size_t first, std::size_t last) {
    sum = work.scan(sum, first, last);
  };
  const std::size_t done =
      begin_loop(how, {range.n, 2 * sizeof(Number), 1}, costs, loop_body(scan_front)).done;
  if (done != range.n) {
    scan_in_tiles<false>(how, work, done, range.n, sum);
  }
}

template <class Number>
void scan_any_numbers(const loop_policy& how,
                      cost_record& costs,
                      scan_kind kind,
                      const kernels::scan_range<Number>& range,
                      Number before) {
  if (kind == scan_kind::inclusive) {
    scan_kind_of_numbers<scan_kind::inclusive>(how, costs, range, before);
  } else {
    scan_kind_of_numbers<scan_kind::exclusive>(how, costs, range, before);
  }
}

}  // namespace

#define WEFT_DEFINE_NUMBER_SCAN(number)                       \
  void scan_numbers(const loop_policy& how,                   \
                    cost_record& costs,                       \
                    scan_kind kind,                           \
                    const kernels::scan_range<number>& range, \
                    number before) {                          \
    scan_any_numbers(how, costs, kind, range, before);        \
  }
WEFT_DEFINE_NUMBER_SCAN(std::uint32_t)
WEFT_DEFINE_NUMBER_SCAN(std::uint64_t)
WEFT_DEFINE_NUMBER_SCAN(float)
WEFT_DEFINE_NUMBER_SCAN(double)
#undef WEFT_DEFINE_NUMBER_SCAN

}  // namespace weft::algorithms::detail
