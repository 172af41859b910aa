// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and versions of the libraries below several backends.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <version>

namespace weft::lab::stl {

using library_versions = std::map<std::string, std::string>;

/// The C++ standard library: its release, and the date of the installed headers.
inline library_versions::value_type standard_library() {
#if defined(__GLIBCXX__)
  return {"libstdc++", std::to_string(_GLIBCXX_RELEASE) + " (" + std::to_string(__GLIBCXX__) + ")"};
#else
  return {"libc++", std::to_string(_LIBCPP_VERSION)};
#endif
}

}  // namespace weft::lab::stl
