// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MPICH that gives up its processor while it waits, for ranks that share one: without, each wait
// takes the others' whole time slices. MPICH asks UCX, if built with it, by a function of a
// library; the definition of the program, or of what is loaded before, comes first.
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>
#include <sched.h>

namespace {

using progress = unsigned (*)(void* worker);

progress progress_of_ucx() {
  const char* const name = "ucp_worker_progress";
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {  // Python loaded it where nobody else finds its names
    void* const ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    found = ucp == nullptr ? nullptr : dlsym(ucp, name);
  }
  if (found == nullptr) {
    std::fputs("yielding_mpich: no UCX whose ucp_worker_progress this one stands for\n", stderr);
    std::abort();
  }
  return reinterpret_cast<progress>(found);
}

}  // namespace

extern "C" unsigned ucp_worker_progress(void* worker) {
  static const progress ask = progress_of_ucx();
  const unsigned num_found = ask(worker);
  if (num_found == 0) {
    sched_yield();
  }
  return num_found;
}
