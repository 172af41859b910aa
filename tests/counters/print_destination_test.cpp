// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about where counters are printed.
#include "counters/print/print_destination.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"

namespace print_destination_test {

using testing::HasSubstr;
using weft::counters::detail::print_destination;
using weft::counters::detail::with_rank;

class PrintDestination : public testing::Test {
 protected:
  PrintDestination() {
    std::string pattern = testing::TempDir() + "weft-destination-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PrintDestination() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file() const { return folder_ / "counters"; }
  [[nodiscard]] std::string content() const {
    std::ifstream from(file());
    return {std::istreambuf_iterator<char>(from), {}};
  }
  [[nodiscard]] std::size_t num_files() const {
    using iterator = std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(iterator(folder_), iterator()));
  }

  std::filesystem::path folder_;
};

TEST_F(PrintDestination, a_file_is_written_anew) {
  std::ofstream(file()) << "from before\n";

  print_destination to(file(), false);
  to.write("a\n");
  to.write("b\n");

  EXPECT_EQ(content(), "a\nb\n");
}

TEST_F(PrintDestination, what_replaces_leaves_one_whole_text_and_no_other_file) {
  print_destination to(file(), true);
  to.write("a\n");
  to.write("b\n");

  EXPECT_EQ(content(), "b\n");
  EXPECT_EQ(num_files(), 1u);
}

TEST_F(PrintDestination, a_file_that_cannot_be_written_is_an_error_at_once) {
  for (const bool replaces : {false, true}) {
    EXPECT_THAT([&] { const print_destination to("/proc/no/such/file", replaces); },
                testing::ThrowsMessage<weft::error>(
                    testing::AllOf(HasSubstr("cannot be written to /proc/no/such/file: No such"),
                                   HasSubstr("stdout, stderr and none"))));
  }
}

TEST_F(PrintDestination, a_link_is_followed_only_if_it_belongs_to_this_user) {
  const std::filesystem::path link = folder_ / "link";
  std::ofstream(file()) << "precious\n";
  std::filesystem::create_symlink(file(), link);

  print_destination(link, false).write("a\n");

  EXPECT_EQ(content(), "a\n");
  if (lchown(link.c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "only root can give a link to another user";
  }
  EXPECT_THAT([&] { const print_destination to(link, false); },
              testing::ThrowsMessage<weft::error>(
                  HasSubstr("is not followed: it belongs to user 65534, not to user 0")));
  EXPECT_EQ(content(), "a\n");
}

TEST_F(PrintDestination, what_replaces_follows_no_link_beside_it) {
  const std::filesystem::path victim = folder_ / "victim";
  std::ofstream(victim) << "precious\n";
  std::filesystem::create_symlink(victim, file() + ".new." + std::to_string(getpid()));

  print_destination(file(), true).write("a\n");

  EXPECT_EQ(content(), "a\n");
  EXPECT_EQ(std::filesystem::file_size(victim), 9u) << "the link's target was overwritten";
}

TEST_F(PrintDestination, a_full_disk_is_told_once) {
  static std::string told;
  told.clear();
  const auto before = weft::set_message_sink([](std::string_view text) noexcept { told += text; });

  print_destination to("/dev/full", false);
  to.write("a\n");
  to.write("b\n");
  weft::set_message_sink(before);

  EXPECT_EQ(told,
            "weft: counters cannot be written to /dev/full: No space left on device; the program "
            "continues without it\n");
}

TEST_F(PrintDestination, none_is_no_file) {
  print_destination to("none", false);
  to.write("a\n");

  EXPECT_FALSE(std::filesystem::exists("none"));
}

TEST(WithRank, a_process_among_others_has_a_file_of_its_own) {
  std::map<std::string, std::string> variables{{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}};
  const auto lookup = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };

  EXPECT_EQ(with_rank("x.csv", lookup), "x.csv.3");
  variables["PMI_SIZE"] = "1";
  EXPECT_EQ(with_rank("x.csv", lookup), "x.csv") << "a process alone";
}

}  // namespace print_destination_test
