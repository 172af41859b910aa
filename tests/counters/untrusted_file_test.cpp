// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about opening what another user may have planted.
#include "counters/core/untrusted_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/fake_root.hpp"

namespace untrusted_file_test {

using testing::HasSubstr;
using weft::counters::detail::last_link;
using weft::counters::detail::open_untrusted;
using weft::counters::detail::opened_file;

class UntrustedFile : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path at(const std::string& name) const {
    return root_.path() / name;
  }

  weft::test::fake_root root_;
  std::uint64_t self_ = ::geteuid();
};

TEST_F(UntrustedFile, a_regular_file_is_read) {
  root_.write("file", "0123456789");

  const opened_file opened = open_untrusted(at("file"));

  ASSERT_TRUE(opened.file.has_value()) << opened.refusal;
  std::array<char, 3> text{};
  EXPECT_TRUE(opened.file->fill(4, std::span(text)));
  EXPECT_EQ(std::string(text.data(), text.size()), "456");
  EXPECT_EQ(opened.file->size_bytes(), 11u);
  EXPECT_EQ(opened.file->owner(), self_);
}

TEST_F(UntrustedFile, a_named_pipe_is_refused_at_once) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0666), 0);

  const opened_file opened = open_untrusted(at("pipe"), {.link = last_link::followed});

  EXPECT_FALSE(opened.file.has_value());
  EXPECT_EQ(opened.refusal, "it is a named pipe and no regular file");
}

TEST_F(UntrustedFile, devices_folders_and_sockets_are_refused) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  at("socket").string().copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  (void)::close(socket);

  EXPECT_EQ(open_untrusted("/dev/zero").refusal, "it is a device and no regular file");
  EXPECT_EQ(open_untrusted(at("socket")).refusal, "it is a socket and no regular file");
  EXPECT_EQ(open_untrusted(root_.path()).refusal, "it is a folder and no regular file");
}

TEST_F(UntrustedFile, a_link_is_followed_only_if_that_is_asked_for) {
  root_.write("file", "text");
  std::filesystem::create_symlink(at("file"), at("link"));

  EXPECT_EQ(open_untrusted(at("link")).refusal, "it is a symbolic link and no regular file");
  EXPECT_TRUE(open_untrusted(at("link"), {.link = last_link::followed}).file.has_value());
}

TEST_F(UntrustedFile, a_link_to_a_pipe_is_refused_even_if_links_are_followed) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0666), 0);
  std::filesystem::create_symlink(at("pipe"), at("link"));

  EXPECT_FALSE(open_untrusted(at("link"), {.link = last_link::followed}).file.has_value());
}

TEST_F(UntrustedFile, of_another_owner_than_asked_is_refused) {
  root_.write("file", "text");

  EXPECT_TRUE(open_untrusted(at("file"), {.owner = self_}).file.has_value());
  EXPECT_EQ(open_untrusted(at("file"), {.owner = self_ + 1}).refusal,
            "it belongs to user " + std::to_string(self_) + " and not to user " +
                std::to_string(self_ + 1));
}

TEST_F(UntrustedFile, is_read_on_behalf_of_a_user_only_if_the_user_may_read_it) {
  root_.write("public", "text").write("private", "text");
  ASSERT_EQ(::chmod(at("public").c_str(), 0644), 0);
  ASSERT_EQ(::chmod(at("private").c_str(), 0600), 0);
  const std::uint64_t other = self_ + 1;

  EXPECT_TRUE(open_untrusted(at("private"), {.on_behalf_of = self_}).file.has_value());
  EXPECT_TRUE(open_untrusted(at("public"), {.on_behalf_of = other}).file.has_value());
  EXPECT_THAT(open_untrusted(at("private"), {.on_behalf_of = other}).refusal,
              HasSubstr("user " + std::to_string(other) + " may not read it"));
}

TEST_F(UntrustedFile, that_is_too_large_is_refused) {
  root_.write("file", "");
  std::filesystem::resize_file(at("file"), std::uintmax_t{1} << 40U);

  EXPECT_EQ(open_untrusted(at("file"), {.most_bytes = 4096}).refusal,
            "it has 1099511627776 bytes, and at most 4096 are read");
}

TEST_F(UntrustedFile, that_does_not_exist_says_so) {
  const opened_file opened = open_untrusted(at("missing"));

  EXPECT_EQ(opened.code, ENOENT);
  EXPECT_EQ(opened.refusal, "No such file or directory");
}

TEST_F(UntrustedFile, that_is_shortened_while_open_ends_earlier) {
  root_.write("file", std::string(8191, 'x'));
  const opened_file opened = open_untrusted(at("file"));
  ASSERT_TRUE(opened.file.has_value());

  std::filesystem::resize_file(at("file"), 10);

  std::array<std::byte, 100> bytes{};
  EXPECT_EQ(opened.file->read(0, bytes), 10u);
  EXPECT_EQ(opened.file->read(4096, bytes), 0u);
  EXPECT_FALSE(opened.file->at<std::uint64_t>(8).has_value());
}

TEST_F(UntrustedFile, has_nothing_behind_the_largest_offset) {
  root_.write("file", "text");
  const opened_file opened = open_untrusted(at("file"));
  ASSERT_TRUE(opened.file.has_value());

  EXPECT_FALSE(opened.file->at<char>(~std::uint64_t{0}).has_value());
  EXPECT_FALSE(opened.file->at<std::uint64_t>(std::uint64_t{1} << 63U).has_value());
}

}  // namespace untrusted_file_test
