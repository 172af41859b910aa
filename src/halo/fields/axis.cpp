// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error messages for wrong axes.
#include "weft/halo/axis.hpp"

#include <optional>
#include <source_location>
#include <string>

#include "weft/halo/error.hpp"

namespace weft::halo {

std::string to_string(const axis& what) {
  return "{minus=" + std::to_string(what.minus) + ", plus=" + std::to_string(what.plus) +
         ", begin=" + std::to_string(what.begin) + ", end=" + std::to_string(what.end) +
         ", length=" + std::to_string(what.length) + "}";
}

std::string axis::trouble() const {
  if (minus < 0 || plus < 0) {
    return "a halo cannot be narrower than 0; axis is " + to_string(*this);
  }
  if (end < begin) {
    return "there is no inner region: end=" + std::to_string(end) +
           " lies below begin=" + std::to_string(begin) + "; axis is " + to_string(*this);
  }
  if (begin < minus) {
    return "halo minus=" + std::to_string(minus) +
           " does not fit below begin=" + std::to_string(begin) +
           " (needs begin >= " + std::to_string(minus) + "); axis is " + to_string(*this);
  }
  if (length - 1 - end < plus) {
    return "halo plus=" + std::to_string(plus) +
           " does not fit between end=" + std::to_string(end) +
           " and length=" + std::to_string(length) +
           " (needs length >= " + std::to_string(end + plus + 1) + "); axis is " + to_string(*this);
  }
  return {};
}

void detail::bad_axis(const char* why, const axis& what, const std::source_location& where) {
  const std::string trouble = what.trouble();
  throw error(errc::bad_axis, trouble.empty() ? why : trouble, std::nullopt, where);
}

}  // namespace weft::halo
