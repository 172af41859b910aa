// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The futures of tasks that use what their maker owns: none is left behind, whatever is thrown.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace weft::lab::inncabs {

/// Futures that are all waited for before the first of them is destroyed.
template <class Future>
class joined_futures {
 public:
  /// Room for all: `add` allocates nothing, so no future is lost on its way in.
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
  /// Errors:  rethrows what the first that failed threw.
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
