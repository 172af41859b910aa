// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records whether the library tracks which task holds which lock.
#include "weft/base/abi.hpp"

#if defined(WEFT_TRACKS_LOCKS)
WEFT_IS_LIBRARY(_with_lock_tracking);
#else
WEFT_IS_LIBRARY(_without_lock_tracking);
#endif
