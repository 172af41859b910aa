// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what weft has not.
#pragma once

#error "weft has no collective operations over localities; use MPI's, and weft/halo for neighbours"
