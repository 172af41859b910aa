// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that plays the root of another machine: a test writes its proc/ and sys/ files.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <unistd.h>

namespace weft::test {

/// Makes an empty folder, and removes it with everything in it.
class fake_root {
 public:
  fake_root() {
    std::string name = (std::filesystem::temp_directory_path() / "weft_fake_root_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot make the folder " + name +
                               "; set TMPDIR to one that can be written");
    }
    path_ = name;
  }
  fake_root(const fake_root&) = delete;
  fake_root& operator=(const fake_root&) = delete;
  ~fake_root() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Writes `text` to the file, making its folders.
  fake_root& write(const std::filesystem::path& file, std::string_view text) {
    const std::filesystem::path target = path_ / file;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target) << text << '\n';
    return *this;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace weft::test
