// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank that is killed, or leaves by an exception, while another one waits for it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string_view>

#include <signal.h>  // SIGKILL is POSIX's

#include "weft/distributed.hpp"

namespace wd = weft::distributed;

namespace {

int answer() { return 42; }
void killed() {
  std::fputs("killed after the first call\n", stderr);
  std::raise(SIGKILL);
}

void use(std::string_view how) {
  const wd::runtime job;
  const wd::locality other(1 - wd::here().rank());
  if (wd::async<&answer>(other).get() != 42) {
    std::exit(3);
  }
  wd::barrier().get();
  if (wd::here().rank() == 1 && how == "throws") {
    std::fputs("throws after the first call\n", stderr);
    throw std::runtime_error("for the test");
  }
  if (wd::here().rank() == 0 && how == "killed") {
    wd::async<&killed>(other).get();
  }
  wd::barrier().get();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    use(argc > 1 ? argv[1] : "");
  } catch (const std::exception& raised) {
    std::fprintf(stderr, "%s\n", raised.what());
    return 1;
  }
  return 0;
}
