// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The future of one task that uses its creator's data: it is waited for, also after an exception.
#pragma once

#include <utility>

namespace weft::lab::inncabs {

/// A future that is waited for before it is destroyed, without heap memory.
template <class Future>
class waited_future {
 public:
  explicit waited_future(Future made) : made_(std::move(made)) {}
  waited_future(const waited_future&) = delete;
  waited_future& operator=(const waited_future&) = delete;
  ~waited_future() {
    if (made_.valid()) {
      made_.wait();
    }
  }

  /// Errors: rethrows the task's exception.
  auto get() { return made_.get(); }

 private:
  Future made_;
};

}  // namespace weft::lab::inncabs
