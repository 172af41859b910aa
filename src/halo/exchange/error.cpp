// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of halo::error, with the line of the calling code.
#include "weft/halo/error.hpp"

#include <optional>
#include <source_location>
#include <string>

#include "weft/base/error.hpp"

#include "halo/exchange/stall_watch.hpp"

namespace weft::halo {
namespace {

std::string with_place(const std::string& what, const std::source_location& where) {
  const std::string place = detail::place_text(where);
  return place.empty() ? what : what + " [" + place + "]";
}

}  // namespace

error::error(errc code,
             const std::string& what,
             std::optional<int> rank,
             std::source_location where)
    : weft::error(with_place(what, where)),
      code_(code),
      rank_(rank),
      where_(where),
      sentence_size_(what.size()) {}

error error::at(const std::source_location& where) const {
  return {code_, std::string(sentence()), rank_, where};
}

}  // namespace weft::halo
