// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the library's version. Refuses to share a process with another version whose functions
// would replace its own.
#include "weft/base/abi.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "weft/base/message.hpp"

#define WEFT_TEXT_OF(name) #name
#define WEFT_TEXT(name) WEFT_TEXT_OF(name)

WEFT_IS_LIBRARY(WEFT_STANDARD_TYPES);

// All versions use this name, so all shared objects that export it share the first one's variable.
// Not const, so that compilers read it at run time.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): a name for the linker
const char* weft_library_in_use = WEFT_TEXT(WEFT_LIBRARY(WEFT_STANDARD_TYPES));
}

namespace weft::base {
namespace {

bool refuse_another() noexcept {
  constexpr std::string_view own = WEFT_TEXT(WEFT_LIBRARY(WEFT_STANDARD_TYPES));
  if (weft_library_in_use == own) {
    return true;
  }
  send_message("weft: " + std::string(own) + " is loaded beside " + weft_library_in_use +
               ", whose functions would be called in its place; build all parts of the program "
               "with one weft, or link this one with -Wl,--exclude-libs,ALL\n");
  std::abort();
}

[[maybe_unused]] const bool is_alone = refuse_another();

}  // namespace
}  // namespace weft::base
