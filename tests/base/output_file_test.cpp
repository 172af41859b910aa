// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about files that are opened for writing where others may have left links and files.
#include "base/output_file.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fake_root.hpp"

namespace output_file_test {

using testing::HasSubstr;
using testing::StartsWith;
using weft::detail::create_or_open_own_file;
using weft::detail::create_own_file;
using weft::detail::open_named_file;
using weft::detail::opened_file;
using weft::detail::replace_file;

constexpr unsigned somebody = 65534;

class OutputFile : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return root_.path() / name;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream from(path(name));
    return {std::istreambuf_iterator<char>(from), {}};
  }
  void link(const std::string& from, const std::filesystem::path& to) const {
    std::filesystem::create_symlink(to, path(from));
  }
  /// Gives a file or link to another user; false: only root may.
  [[nodiscard]] bool give_away(const std::string& name) const {
    return lchown(path(name).c_str(), somebody, somebody) == 0;
  }
  /// Writes "new" and closes; what went wrong otherwise.
  static std::string write_new(const opened_file& opened) {
    if (!opened.is_open()) {
      return opened.problem;
    }
    const auto stream = weft::detail::stream_of(opened);
    return std::fputs("new", stream.get()) >= 0 ? "" : "not written";
  }

  weft::test::fake_root root_;
};

#define WEFT_SKIP_UNLESS_GIVEN(name)                             \
  if (!give_away(name)) {                                        \
    GTEST_SKIP() << "only root can give a file to another user"; \
  }

TEST_F(OutputFile, a_file_of_ones_own_replaces_a_link_instead_of_following_it) {
  root_.write("victim", "precious");
  link("a.unfinished", path("victim"));

  EXPECT_EQ(write_new(create_own_file(path("a.unfinished"))), "");

  EXPECT_EQ(content("victim"), "precious\n");
  EXPECT_EQ(content("a.unfinished"), "new");
}

TEST_F(OutputFile, rings_are_not_followed_through_a_link) {
  root_.write("victim", "precious");
  link("a.rings", path("victim"));
  link("b.rings", path("not-there"));

  EXPECT_EQ(create_or_open_own_file(path("a.rings")).problem, "it is a symbolic link");
  EXPECT_EQ(create_or_open_own_file(path("b.rings")).problem, "it is a symbolic link");

  EXPECT_EQ(content("victim"), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(path("not-there")));
}

TEST_F(OutputFile, rings_that_this_user_left_are_opened_as_they_are) {
  root_.write("a.rings", "from before");

  const opened_file opened = create_or_open_own_file(path("a.rings"));

  ASSERT_TRUE(opened.is_open()) << opened.problem;
  close(opened.number);
  EXPECT_EQ(content("a.rings"), "from before\n");
}

TEST_F(OutputFile, rings_of_another_user_or_with_a_second_name_are_refused) {
  root_.write("linked", "precious");
  std::filesystem::create_hard_link(path("linked"), path("a.rings"));
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);

  EXPECT_EQ(create_or_open_own_file(path("a.rings")).problem, "it has a second name, a hard link");
  EXPECT_EQ(create_or_open_own_file(path("fifo")).problem, "it is no regular file");

  root_.write("b.rings", "theirs");
  WEFT_SKIP_UNLESS_GIVEN("b.rings");
  EXPECT_EQ(create_or_open_own_file(path("b.rings")).problem,
            "it belongs to user 65534, not to user 0");
}

TEST_F(OutputFile, a_named_file_is_emptied_again_and_again) {
  root_.write("x", "a long text from before");

  EXPECT_EQ(write_new(open_named_file(path("x"))), "");
  EXPECT_EQ(write_new(open_named_file(path("x"))), "");

  EXPECT_EQ(content("x"), "new");
}

TEST_F(OutputFile, a_link_of_ones_own_is_followed_and_its_target_made) {
  link("x", "y");
  link("y", path("z"));

  EXPECT_EQ(write_new(open_named_file(path("x"))), "");

  EXPECT_EQ(content("z"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("x")));
}

TEST_F(OutputFile, a_link_of_another_user_is_not_followed) {
  root_.write("victim", "precious");
  link("x", path("victim"));
  link("mine", path("x"));
  WEFT_SKIP_UNLESS_GIVEN("x");

  const std::string refusal = "the symbolic link " + path("x").string() +
                              " is not followed: it belongs to user 65534, not to user 0";
  EXPECT_EQ(open_named_file(path("x")).problem, refusal);
  EXPECT_EQ(open_named_file(path("mine")).problem, refusal);
  EXPECT_EQ(content("victim"), "precious\n");
}

TEST_F(OutputFile, a_file_of_another_user_is_left_alone_in_a_folder_that_all_share) {
  root_.write("x", "theirs");
  WEFT_SKIP_UNLESS_GIVEN("x");

  ASSERT_EQ(chmod(root_.path().c_str(), 01777), 0);
  EXPECT_NE(open_named_file(path("x")).problem, "");
  EXPECT_EQ(content("x"), "theirs\n");

  ASSERT_EQ(chmod(root_.path().c_str(), 0755), 0);
  EXPECT_EQ(write_new(open_named_file(path("x"))), "") << "the user chose a folder of the user's";
}

TEST_F(OutputFile, links_in_a_circle_end) {
  link("x", "y");
  link("y", "x");

  EXPECT_EQ(open_named_file(path("x")).problem, "Too many levels of symbolic links");
}

TEST_F(OutputFile, links_of_the_kernel_are_followed) {
  root_.write("x", "from before");
  const int file = open(path("x").c_str(), O_WRONLY | O_CLOEXEC);

  EXPECT_EQ(write_new(open_named_file("/dev/fd/" + std::to_string(file))), "");
  close(file);

  EXPECT_EQ(content("x"), "new");
}

TEST_F(OutputFile, a_device_is_written_to) {
  EXPECT_EQ(write_new(open_named_file("/dev/null")), "");
}

TEST_F(OutputFile, a_file_is_replaced_in_one_step_and_past_a_link) {
  root_.write("x", "from before").write("victim", "precious");
  link("x.new", path("victim"));

  EXPECT_EQ(replace_file(path("x"), path("x.new"), "new"), "");

  EXPECT_EQ(content("x"), "new");
  EXPECT_EQ(content("victim"), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(path("x.new")));
}

TEST_F(OutputFile, what_cannot_be_replaced_leaves_no_file_beside_it) {
  std::filesystem::create_directory(path("folder"));

  EXPECT_EQ(replace_file(path("folder"), path("folder.new"), "new"), "Is a directory");

  EXPECT_FALSE(std::filesystem::exists(path("folder.new")));
  EXPECT_THAT(replace_file(path("no/x"), path("no/x.new"), ""), StartsWith("No such file"));
}

}  // namespace output_file_test
