// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the machine profile: which file is read, when it is used, and what refusals say.
#include "weft/base/profile.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/base/options.hpp"

namespace profile_test {

using testing::HasSubstr;
using weft::base::large_stores;
using weft::base::profile_origin;
using weft::base::profile_reading;

const profile_origin here{
    .processor = "A family 1 model 2 stepping 3", .cpus = "0-7", .weft = "0.1.0", .build = "c 1"};

const std::string head =
    "format = 1  # of this file\n"
    "[origin]\n"
    "processor = \"A family 1 model 2 stepping 3\"\n"
    "cpus = \"0-7\"\n"
    "weft = \"0.1.0\"\n";

class Profile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ / "weft"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(file()) << text; }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "weft" / "profile.toml"; }

  [[nodiscard]] profile_reading read(std::map<std::string, std::string> variables) const {
    return weft::base::read_profile(
        [variables = std::move(variables)](const char* name) {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional(found->second);
        },
        here);
  }
  [[nodiscard]] profile_reading read() const { return read({{"XDG_CONFIG_HOME", folder_}}); }
  [[nodiscard]] profile_reading reading_of(const std::string& text) const {
    write(text);
    return read();
  }

 private:
  std::filesystem::path folder_ = testing::TempDir() + "weft_profile_" + std::to_string(getpid());
};

TEST_F(Profile, a_profile_of_this_origin_is_used) {
  const profile_reading found =
      reading_of(head +
                 "\n[stores]\n"
                 "fill = \"plain\"   # measured\r\n"
                 "clear=\"streamed\"\n"
                 "stream_from_bytes = 33554432\n"
                 "[ workers ]\n"
                 "wake_us = 12.5\n"
                 "[memory]\nworkers = 4\nworker_gb_per_s = 10\ncache_bytes = 33554432");

  EXPECT_EQ(found.problem, "");
  EXPECT_TRUE(found.is_there);
  EXPECT_EQ(found.values.stores[0], large_stores::plain);
  EXPECT_EQ(found.values.stores[5], large_stores::streamed);
  EXPECT_EQ(found.values.stores[1], std::nullopt) << "what is not there is not known";
  EXPECT_EQ(found.values.stream_from_bytes, 33554432);
  EXPECT_EQ(found.values.wake_us, 12.5);
  EXPECT_EQ(found.values.memory_workers, 4);
  EXPECT_EQ(found.values.spin_us, std::nullopt);
}

TEST_F(Profile, every_value_says_where_it_stands_and_what_holds_without_it) {
  const profile_reading found = reading_of(head + "[workers]\nwake_us = 12.5\n");

  ASSERT_EQ(found.all.size(), 17U);
  for (const auto& value : found.all) {
    EXPECT_EQ(value.text.empty(), value.name != "workers.wake_us") << value.name;
    EXPECT_EQ(value.line, value.name == "workers.wake_us" ? 7 : 0) << value.name;
    EXPECT_NE(value.default_text, "") << value.name;
    EXPECT_NE(value.meaning, "") << value.name;
  }
}

TEST_F(Profile, is_refused_as_a_whole_with_the_reason) {
  const std::pair<std::string, std::string> wrong[] = {
      {head + "[workers]\nwake_us = fast\n", "line 7: workers.wake_us accepts a number from 0.5"},
      {head + "[workers]\nwake_us = 1e9\n", "line 7: workers.wake_us accepts"},
      {head + "[workers]\nwake_us = nan\n", "line 7: workers.wake_us accepts"},
      {head + "[workers]\nwake_us = -3\n", "line 7: workers.wake_us accepts"},
      {head + "[workers]\nwake_us =\n", "line 7: workers.wake_us accepts"},
      {head + "[stores]\nfill = plain\n", "line 7: stores.fill accepts \"plain\" or \"streamed\""},
      {head + "[stores]\nfil = \"plain\"\n", "line 7: no value has the name stores.fil"},
      {head + "wake_us = 1\n", "line 6: no value has the name origin.wake_us"},
      {head + "something\n", "line 6: it is neither a [section] nor name = value"},
      {head.substr(head.find('[')) + "[workers]\nwake_us = 9\n", "it does not say format = 1"},
      {"", "it does not say format = 1"},
      {head + "[workers]\nwake_us = 9\nwake_us = 9\n",
       "line 8: workers.wake_us stands there twice"},
      {head + "[memory]\nworkers = 2\n", "memory.cache_bytes is missing"},
      {head + "[timing]\nbuild = \"c 1\"\ncalled_ticks = 80\n", "timing.cost_ticks is missing"},
  };
  for (const auto& [text, problem] : wrong) {
    const profile_reading found = reading_of(text);
    EXPECT_THAT(found.problem, HasSubstr(problem)) << text;
    EXPECT_EQ(found.values.wake_us, std::nullopt) << text;
    EXPECT_EQ(found.values.stores[0], std::nullopt) << text;
  }
}

TEST_F(Profile, of_another_origin_is_refused) {
  for (const std::string part : {"processor", "cpus", "weft"}) {
    std::string other = head;
    const std::size_t end = other.find('"', other.find(part + " = \"") + part.size() + 4);
    other.insert(end, "X");
    const profile_reading found = reading_of(other + "[workers]\nwake_us = 9\n");
    EXPECT_THAT(found.problem, HasSubstr("its " + part + " is '")) << other;
    EXPECT_EQ(found.values.wake_us, std::nullopt) << other;
  }
}

TEST_F(Profile, of_another_version_says_so_and_not_that_a_name_is_unknown) {
  std::string newer = head + "[workers]\nlater_us = 9\n";
  newer.replace(newer.find("0.1.0"), 5, "0.2.0");

  EXPECT_THAT(reading_of(newer).problem, HasSubstr("its weft is '0.2.0'"));
}

TEST_F(Profile, costs_of_timing_are_those_of_a_build) {
  const std::string ticks =
      "called_ticks = 80\nlooped_ticks = 70\ngrouped_ticks = 90\ncost_ticks = 300\n";
  const std::string workers = head + "[workers]\nwake_us = 9\n[timing]\n";

  const profile_reading same = reading_of(workers + "build = \"c 1\"\n" + ticks);
  EXPECT_EQ(same.values.timing[1], 70);
  const profile_reading other = reading_of(workers + "build = \"c 2\"\n" + ticks);
  EXPECT_EQ(other.problem, "");
  EXPECT_EQ(other.values.wake_us, 9);
  EXPECT_EQ(other.values.timing[1], std::nullopt);
  EXPECT_THAT(other.all.back().default_text, HasSubstr("'c 2', and here 'c 1'"));
}

TEST_F(Profile, commands_no_terminal) {
  const profile_reading found = reading_of(head + "[workers]\n\x1b[2Jx = 1\n");

  EXPECT_THAT(found.problem, HasSubstr("no value has the name"));
  EXPECT_EQ(found.problem.find('\x1b'), std::string::npos);
  EXPECT_THAT(reading_of(head + "[workers]\nwake\xfc = 1\n").problem,
              testing::Not(HasSubstr("\xfc")));
}

TEST_F(Profile, is_looked_for_where_the_environment_says) {
  write(head + "[workers]\nwake_us = 9\n");
  const std::filesystem::path home = file().parent_path().parent_path() / "home";
  std::filesystem::create_directories(home / ".config" / "weft");
  std::filesystem::copy(file(), home / ".config" / "weft" / "profile.toml");

  EXPECT_EQ(read({{"HOME", home}}).values.wake_us, 9);
  EXPECT_EQ(read({{"HOME", "/nowhere"}, {"XDG_CONFIG_HOME", home / ".config"}}).values.wake_us, 9);
  EXPECT_EQ(read({{"HOME", "/nowhere"}, {"WEFT_PROFILE", file()}}).values.wake_us, 9);
  EXPECT_EQ(read({{"HOME", home}, {"XDG_CONFIG_HOME", "relative"}}).values.wake_us, 9);
  const profile_reading off = read({{"HOME", home}, {"WEFT_PROFILE", "off"}});
  EXPECT_EQ(off.values.wake_us, std::nullopt);
  EXPECT_EQ(off.file + off.problem, "");
  EXPECT_THAT(read({{"HOME", home}, {"WEFT_PROFILE", "of"}}).problem,
              HasSubstr("accepted is off, or a path with a slash"));
  EXPECT_EQ(read({}).file, "");
}

TEST_F(Profile, only_a_named_file_must_exist) {
  const profile_reading none = read();
  EXPECT_EQ(none.problem, "");
  EXPECT_FALSE(none.is_there);
  EXPECT_EQ(none.file, file());

  EXPECT_NE(read({{"WEFT_PROFILE", file()}}).problem, "");
  EXPECT_EQ(read({{"HOME", "/dev/null"}}).problem, "") << "a home that is no folder";
}

TEST_F(Profile, nothing_but_a_small_file_is_read) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_THAT(read().problem, HasSubstr("not a regular file"));
  std::filesystem::remove(file());

  std::filesystem::create_directories(file());
  EXPECT_THAT(read().problem, HasSubstr("not a regular file"));
  std::filesystem::remove(file());

  EXPECT_THAT(reading_of(head + std::string(70'000, '#')).problem, HasSubstr("64 KiB"));
  std::filesystem::remove(file());

  std::filesystem::create_symlink("/dev/zero", file());
  EXPECT_THAT(read().problem, HasSubstr("not a regular file"));
}

TEST(ProfileOrigin, is_the_same_at_each_call_and_complete) {
  const profile_origin origin = weft::base::this_origin();

  EXPECT_EQ(origin, weft::base::this_origin());
  EXPECT_NE(origin.processor, "");
  EXPECT_NE(origin.cpus, "");
  EXPECT_NE(origin.weft, "");
  EXPECT_NE(origin.build, "");
}

}  // namespace profile_test
