// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unwrap and unwrapping.
#pragma once

#include <hpx/future.hpp>
