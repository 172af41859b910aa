// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges of numbers, compiled once for all programs.
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>

#include "weft/algorithms/detail/kernels/vector_merge.hpp"
#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/merging/merge_choice.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/merge.hpp"

#include "algorithms/key_kinds.hpp"

namespace weft::algorithms::detail {

bool pays_in_parts(const loop_policy& how, const cost_record& costs, std::size_t n) {
  const float expected_ns = costs.ns_per_element() * static_cast<float>(n);
  return expected_ns >= worthwhile_ns && expected_ns < std::numeric_limits<float>::max() &&
         are_workers_awake(how);
}

template <key_kind kind, key_order order>
void merge_key_piece(const key_lane& all,
                     std::size_t first,
                     std::size_t last,
                     merge_choices& choices) {
  using key = key_of<kind>;
  std::conditional_t<order == key_order::ascending, std::less<>, std::greater<>> comp;
  const merge_lane<const key*, const key*, key*> lane{static_cast<const key*>(all.a),
                                                      all.a_size,
                                                      static_cast<const key*>(all.b),
                                                      all.b_size,
                                                      static_cast<key*>(all.out)};
  merge_any_piece(lane, first, last, comp, choices);
}

#define WEFT_MERGE_PIECES(kind, order)                             \
  template void merge_key_piece<key_kind::kind, key_order::order>( \
      const key_lane&, std::size_t, std::size_t, merge_choices&)
#define WEFT_MERGE_PIECES_OF(kind)    \
  WEFT_MERGE_PIECES(kind, ascending); \
  WEFT_MERGE_PIECES(kind, descending)
WEFT_MERGE_PIECES_OF(i32);
WEFT_MERGE_PIECES_OF(u32);
WEFT_MERGE_PIECES_OF(i64);
WEFT_MERGE_PIECES_OF(u64);
WEFT_MERGE_PIECES_OF(f32);
WEFT_MERGE_PIECES_OF(f64);
#undef WEFT_MERGE_PIECES_OF
#undef WEFT_MERGE_PIECES

}  // namespace weft::algorithms::detail
