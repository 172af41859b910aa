// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what weft has not.
#pragma once

#error \
    "weft has no compute targets or partitioned vectors; see weft::first_touch_allocator for memory that lies where it is used"
