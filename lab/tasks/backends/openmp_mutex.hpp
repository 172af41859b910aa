// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP's lock with the interface of the standard library's mutexes.
#pragma once

#include <omp.h>

namespace weft::lab::tasks {

class openmp_mutex {
 public:
  openmp_mutex() { omp_init_lock(&lock_); }
  openmp_mutex(const openmp_mutex&) = delete;
  openmp_mutex& operator=(const openmp_mutex&) = delete;
  ~openmp_mutex() { omp_destroy_lock(&lock_); }
  void lock() { omp_set_lock(&lock_); }
  bool try_lock() { return omp_test_lock(&lock_) != 0; }
  void unlock() { omp_unset_lock(&lock_); }

 private:
  omp_lock_t lock_{};
};

}  // namespace weft::lab::tasks
