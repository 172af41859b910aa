// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The future of one task that uses what its maker owns: it is not left behind, whatever is thrown.
#pragma once

#include <utility>

namespace weft::lab::inncabs {

/// A future that is waited for before it is destroyed, without memory of its own.
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

  /// Errors: rethrows what the task threw.
  auto get() { return made_.get(); }

 private:
  Future made_;
};

}  // namespace weft::lab::inncabs
