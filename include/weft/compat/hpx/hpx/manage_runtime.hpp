// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime begun and ended by an object of the program's.
#pragma once

#include <hpx/init.hpp>
#include <hpx/runtime.hpp>  // IWYU pragma: export

#include "weft/tasks/runtime.hpp"

namespace hpx {

/// For programs whose main does not call `init`, and for libraries.
class manage_runtime {
 public:
  /// Reads the arguments; runs nothing. False, and a message: they are not understood, or another
  /// one was begun.
  bool start(int argc, char** argv, const init_params& params = {}) {
    is_started_ = compat::start(nullptr, argc, argv, params);
    return is_started_;
  }
  /// Waits until no task is left.
  int stop() { return is_started_ ? local::stop() : -1; }
  [[nodiscard]] runtime* get_runtime_ptr() const { return &weft::default_runtime(); }

 private:
  bool is_started_ = false;
};

}  // namespace hpx
