// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors that do not compile, and what the compiler has to say of each.
#include "weft/halo/axis.hpp"
#include "weft/halo/field.hpp"  // IWYU pragma: keep: for fields that do not compile
#include "weft/halo/layout.hpp"

namespace halo = weft::halo;

namespace {
constexpr halo::axis right(2, 3, 3, 8, 13);
constexpr halo::axes<2> box{right, right};

#if defined(MISTAKES)
constexpr halo::axis halo_minus_before_the_array(2, 3, 1, 8, 13);
// expect: halo minus does not fit below begin
constexpr halo::axis halo_plus_behind_the_array(2, 3, 3, 10, 13);
// expect: halo plus does not fit between end and length
constexpr halo::axis negative_halo = halo::axis::inner(8).halo(-1, 2);
// expect: a halo cannot be narrower than 0
constexpr halo::axis nothing_inside(0, 0, 3, 2, 8);
// expect: there is no inner region
constexpr auto layout_that_is_no_permutation =
    halo::layout::increasing<0, 2, 2>::strides({right, right, right});
// expect: a layout lists each of 0 .. N-1 once
constexpr halo::layout::right<5> layout_of_five{};
// expect: a field has 1 to 4 dimensions
const auto field_of_constants = halo::field(static_cast<const double*>(nullptr), box);
// expect: trivially_exchangeable
const auto field_of_another_number_of_dimensions =
    halo::field(static_cast<double*>(nullptr), box, halo::layout::right<3>{});
// expect: num_dims
#else
constexpr auto strides = halo::layout::increasing<1, 0>::strides(box);
static_assert(strides[0] == 13);
#endif
}  // namespace
