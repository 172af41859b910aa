// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors that do not compile, and what the compiler has to say of each.
#include "weft/halo/axis.hpp"
#include "weft/halo/field.hpp"  // IWYU pragma: keep: for fields that do not compile
#include "weft/halo/layout.hpp"

namespace halo = weft::halo;

namespace {
constexpr halo::axis right(2, 3, 3, 8, 13);
constexpr halo::axes<2> box{right, right};

#if defined(HALO_MINUS_BEFORE_THE_ARRAY)  // expect: halo minus does not fit below begin
constexpr halo::axis wrong(2, 3, 1, 8, 13);
#elif defined(HALO_PLUS_BEHIND_THE_ARRAY)  // expect: halo plus does not fit between end and length
constexpr halo::axis wrong(2, 3, 3, 10, 13);
#elif defined(NEGATIVE_HALO)               // expect: a halo cannot be narrower than 0
constexpr halo::axis wrong = halo::axis::inner(8).halo(-1, 2);
#elif defined(NOTHING_INSIDE)              // expect: there is no inner region
constexpr halo::axis wrong(0, 0, 3, 2, 8);
#elif defined(LAYOUT_THAT_IS_NO_PERMUTATION)  // expect: a layout lists each of 0 .. N-1 once
constexpr auto wrong = halo::layout::increasing<0, 2, 2>::strides({right, right, right});
#elif defined(LAYOUT_OF_FIVE)                 // expect: a field has 1 to 4 dimensions
constexpr halo::layout::right<5> wrong{};
#elif defined(FIELD_OF_CONSTANTS)             // expect: trivially_exchangeable
const auto wrong = halo::field(static_cast<const double*>(nullptr), box);
#elif defined(FIELD_OF_ANOTHER_NUMBER_OF_DIMENSIONS)  // expect: num_dims
const auto wrong = halo::field(static_cast<double*>(nullptr), box, halo::layout::right<3>{});
#else
constexpr auto strides = halo::layout::increasing<1, 0>::strides(box);
static_assert(strides[0] == 13);
#endif
}  // namespace
