// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of /proc, each read at most once per evaluation.
#include "counters/proc_files.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/text_file.hpp"
#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

proc_files::proc_files(std::filesystem::path root) : root_(std::move(root)) {}

std::shared_ptr<const std::vector<std::string>> proc_files::lines(proc_file file,
                                                                  evaluation& now) const {
  using text = std::vector<std::string>;
  return now.once<text>(&keys_.at(static_cast<std::size_t>(file)), [&] {
    return std::make_shared<const text>(read_lines(root_ / path_of(file).substr(1)));
  });
}

std::string_view proc_files::path_of(proc_file file) {
  return paths.at(static_cast<std::size_t>(file));
}

}  // namespace weft::counters::detail
