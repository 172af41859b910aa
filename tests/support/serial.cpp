// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked into the tests labelled `serial`: ends one that starts a thread.
#include <cstdio>
#include <cstdlib>

#include <pthread.h>

// Stands before the C library's for the whole program.
extern "C" int pthread_create(pthread_t* /*started*/,
                              const pthread_attr_t* /*attributes*/,
                              void* (* /*body*/)(void*),
                              void* /*argument*/) noexcept {
  std::fputs("a test labelled serial starts a thread: take the label off\n", stderr);
  std::abort();
}
