// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads optional libraries at run time instead of linking them.
#include "counters/core/shared_library.hpp"

#include <string>
#include <vector>

#include <dlfcn.h>

namespace weft::counters::detail {

shared_library::shared_library(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      problem_.clear();
      return;
    }
    if (const char* const failure = ::dlerror(); problem_.empty() && failure != nullptr) {
      problem_ = failure;
    }
  }
}

void* shared_library::address_of(const char* name) {
  if (handle_ == nullptr) {
    return nullptr;
  }
  void* const address = ::dlsym(handle_, name);
  if (address == nullptr) {
    problem_ = "it has no function " + std::string(name);
  }
  return address;
}

}  // namespace weft::counters::detail
