// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a forked child of a test ended.
#pragma once

#include <stdlib.h>  // the wait macros are POSIX's
#include <sys/types.h>
#include <sys/wait.h>

namespace weft::test {

/// Waits for `child`; the status it exited with, or -1 if something else ended it.
inline int child_status(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace weft::test
