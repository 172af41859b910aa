// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms of <memory>.
#pragma once

#include <memory>

#include <hpx/execution.hpp>

#include "weft/algorithms/destroy.hpp"
#include "weft/algorithms/uninitialized.hpp"

namespace hpx {

using std::destroy;
using std::destroy_at;
using std::destroy_n;
using std::uninitialized_copy;
using std::uninitialized_copy_n;
using std::uninitialized_default_construct;
using std::uninitialized_default_construct_n;
using std::uninitialized_fill;
using std::uninitialized_fill_n;
using std::uninitialized_move;
using std::uninitialized_move_n;
using std::uninitialized_value_construct;
using std::uninitialized_value_construct_n;
using weft::destroy;
using weft::destroy_n;
using weft::uninitialized_copy;
using weft::uninitialized_copy_n;
using weft::uninitialized_default_construct;
using weft::uninitialized_default_construct_n;
using weft::uninitialized_fill;
using weft::uninitialized_fill_n;
using weft::uninitialized_move;
using weft::uninitialized_move_n;
using weft::uninitialized_value_construct;
using weft::uninitialized_value_construct_n;

}  // namespace hpx
