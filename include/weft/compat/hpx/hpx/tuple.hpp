// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuples: the standard's.
#pragma once

#include <tuple>
#include <utility>

namespace hpx {

using std::apply;
using std::forward_as_tuple;
using std::get;
using std::ignore;
using std::make_tuple;
using std::tie;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;

}  // namespace hpx
