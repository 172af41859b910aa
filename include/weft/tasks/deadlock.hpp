// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception for a state in which every task waits and nothing can end a wait.
#pragma once

#include "weft/base/error.hpp"

namespace weft {

/// Thrown by `runtime::run` and by other waits of OS threads if `deadlock_action::raise` is chosen;
/// `sync_wait` lets it end the process by std::terminate. `what()` lists what each task waits for,
/// and since which source line. The tasks stay suspended: end the program soon.
class deadlock_error : public error {
 public:
  using error::error;
};

}  // namespace weft
