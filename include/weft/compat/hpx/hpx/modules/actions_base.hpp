// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what weft has not.
#pragma once

#error \
    "weft has no localities, actions or components: it runs in one process; for several, see weft/halo"
