// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that runs with more rights than the user who started it obeys none of that user's
// variables.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/support/child_status.hpp"
#include "tests/support/fake_root.hpp"
#include "tests/support/paths.hpp"

namespace setuid_test {

constexpr unsigned somebody = 65534;

/// Why this process cannot start a program with more rights than its user has; empty: it can.
std::string obstacle(const std::filesystem::path& folder) {
  struct statvfs system = {};
  if (geteuid() != 0) {
    return "only root can make a setuid program of root's";
  }
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) {
    return "this process was started with no_new_privs, so setuid programs gain nothing";
  }
  if (statvfs(folder.c_str(), &system) != 0 || (system.f_flag & (ST_NOSUID | ST_NOEXEC)) != 0) {
    return folder.string() + " is mounted nosuid or noexec; set TMPDIR to another folder";
  }
  return {};
}

class Setuid : public testing::Test {
 protected:
  Setuid() {
    std::filesystem::copy_file(weft::test::beside_this_program(WEFT_PROGRAM), program_);
    std::filesystem::create_directory(secret_);
    std::filesystem::permissions(root_.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(secret_, std::filesystem::perms(0700));
    std::filesystem::permissions(program_, std::filesystem::perms(04755));
  }

  /// Runs the program as `somebody`, who started it with these variables; returns what it printed.
  std::string run(const std::vector<std::string>& variables) {
    const std::string output = root_.path() / "output";
    const pid_t child = fork();
    if (child == 0) {
      const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
      if (dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0 ||
          setgroups(0, nullptr) != 0 || setgid(somebody) != 0 || setuid(somebody) != 0) {
        _exit(101);
      }
      std::vector<std::string> texts = variables;
      std::vector<char*> environment;
      environment.reserve(texts.size() + 1);
      for (std::string& each : texts) {
        environment.push_back(each.data());
      }
      environment.push_back(nullptr);
      std::string name = program_;
      std::string way = "plain";
      const std::array<char*, 3> arguments{name.data(), way.data(), nullptr};
      execve(name.c_str(), arguments.data(), environment.data());
      _exit(102);
    }
    EXPECT_EQ(weft::test::child_status(child), 0);
    std::ifstream from(output);
    return {std::istreambuf_iterator<char>(from), {}};
  }

  weft::test::fake_root root_;
  std::filesystem::path secret_ = root_.path() / "for-root-only";
  std::filesystem::path program_ = root_.path() / "program";
};

TEST_F(Setuid, no_variable_writes_a_file_of_another_user) {
  if (const std::string why = obstacle(root_.path()); !why.empty()) {
    GTEST_SKIP() << why;
  }
  const std::string folder = secret_.string();

  const std::string output = run({"WEFT_WORKERS=2",
                                  "WEFT_COUNTERS=1",
                                  "WEFT_COUNTERS_DESTINATION=" + folder + "/counters",
                                  "WEFT_TRACE=" + folder + "/trace",
                                  "WEFT_STATS_DIR=" + folder,
                                  "WEFT_STATS=on"});

  EXPECT_EQ(output, "done\n") << "the program ran, and no message was due";
  EXPECT_TRUE(std::filesystem::is_empty(secret_));
}

TEST_F(Setuid, no_variable_of_a_library_changes_what_is_read_about_the_machine) {
  if (const std::string why = obstacle(root_.path()); !why.empty()) {
    GTEST_SKIP() << why;
  }

  // hwloc says a line on standard error about a file that it cannot read
  EXPECT_EQ(run({"HWLOC_XMLFILE=" + secret_.string() + "/no-such-file", "HWLOC_XML_VERBOSE=1"}),
            "done\n");
}

}  // namespace setuid_test
