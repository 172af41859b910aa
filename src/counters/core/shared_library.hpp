// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that is used where it is installed and missed nowhere else: loaded, not linked.
#pragma once

#include <string>
#include <vector>

namespace weft::counters::detail {

/// Loads the first library there is; it stays loaded for the rest of the process.
class shared_library {
 public:
  explicit shared_library(const std::vector<std::string>& names);

  /// Why there is no library, or what it lacks; empty: all is well.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  /// Sets `function` to the library's function called `name`.
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  void* address_of(const char* name);

  void* handle_ = nullptr;
  std::string problem_;
};

}  // namespace weft::counters::detail
