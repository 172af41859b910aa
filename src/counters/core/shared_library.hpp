// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads optional libraries at run time instead of linking them.
#pragma once

#include <string>
#include <vector>

namespace weft::counters::detail {

/// Loads the first library that exists. It stays loaded until the process ends.
class shared_library {
 public:
  explicit shared_library(const std::vector<std::string>& names);

  /// Returns why no library is loaded, or what it lacks; empty: no problem.
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
