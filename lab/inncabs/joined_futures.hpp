// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The futures of tasks that use their creator's data: all are waited for, also after an exception.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace weft::lab::inncabs {

/// Futures that are all waited for before the first of them is destroyed.
template <class Future>
class joined_futures {
 public:
  /// Reserves room for all: `add` then allocates nothing, so no future is lost by an exception.
  explicit joined_futures(std::size_t max_size) { futures_.reserve(max_size); }
  joined_futures(const joined_futures&) = delete;
  joined_futures& operator=(const joined_futures&) = delete;
  ~joined_futures() {
    for (Future& each : futures_) {
      if (each.valid()) {
        each.wait();
      }
    }
  }

  void add(Future made) { futures_.push_back(std::move(made)); }

  /// Waits for all, in the order they were added.
  /// Errors:  rethrows the exception of the first task that failed.
  void join() {
    for (Future& each : futures_) {
      each.get();
    }
  }

  auto begin() { return futures_.begin(); }
  auto end() { return futures_.end(); }

 private:
  std::vector<Future> futures_;
};

}  // namespace weft::lab::inncabs
