// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of archives.
#include <cstddef>
#include <string>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/distributed/archive_error.hpp"

namespace weft::distributed {

archive_error::archive_error(std::size_t offset_bytes, std::string_view expected)
    : error(errc::invalid_data,
            "the serialised data cannot be read: expected " + std::string(expected) + " at byte " +
                std::to_string(offset_bytes)),
      offset_bytes_(offset_bytes) {}

}  // namespace weft::distributed
