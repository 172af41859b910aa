// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what weft has not.
#pragma once

#error \
    "weft has no resource partitioner; a pool of its own is a weft::runtime with runtime_options::cpus"
