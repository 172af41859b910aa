// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says whether the library tracks who holds which lock.
#include "weft/base/abi.hpp"

#if defined(WEFT_TRACKS_LOCKS)
WEFT_IS_LIBRARY(_with_lock_tracking);
#else
WEFT_IS_LIBRARY(_without_lock_tracking);
#endif
