// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is thrown when every task waits and nothing can end a wait.
#pragma once

#include "weft/base/error.hpp"

namespace weft {

/// Thrown by `runtime::run` and by other waits of OS threads when `deadlock_action::raise` is
/// chosen (`sync_wait` lets it end the process by std::terminate); `what()` lists what each task
/// waits for, and since which source line. The tasks stay suspended: end the program soon.
class deadlock_error : public error {
 public:
  using error::error;
};

}  // namespace weft
