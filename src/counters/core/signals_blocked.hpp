// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts threads that receive no signals, so that signals reach the threads of the program.
#pragma once

#include <signal.h>

namespace weft::counters::detail {

/// Blocks all signals of the calling thread, and so of threads that it starts, until destroyed.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace weft::counters::detail
