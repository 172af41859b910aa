// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of this process.
#include "counters/core/thread_ids.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "weft/base/text_file.hpp"

namespace weft::counters::detail {

std::vector<int> thread_ids(const std::filesystem::path& root) {
  std::vector<int> ids;
  std::error_code unreadable;  // set if unreadable; the loop then has no entries
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "proc/self/task", unreadable)) {
    if (const auto id = base::parse_integer(entry.path().filename().string())) {
      ids.push_back(static_cast<int>(*id));
    }
  }
  std::ranges::sort(ids);
  return ids;
}

}  // namespace weft::counters::detail
