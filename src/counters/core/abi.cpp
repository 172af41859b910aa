// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records whether the library counts.
#include "weft/base/abi.hpp"

#if defined(WEFT_COUNTERS_OFF)
WEFT_IS_LIBRARY(_without_counters);
#else
WEFT_IS_LIBRARY(_with_counters);
#endif
