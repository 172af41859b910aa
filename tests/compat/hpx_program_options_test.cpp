// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the options of HPX programs, which Boost reads.
#include <string>
#include <type_traits>
#include <vector>

#include <boost/program_options/options_description.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hpx/init.hpp>
#include <hpx/program_options.hpp>

namespace hpx_program_options_test {

using hpx::program_options::options_description;
using hpx::program_options::value;
using hpx::program_options::variables_map;
using testing::ElementsAre;
using testing::HasSubstr;

static_assert(std::is_same_v<options_description, boost::program_options::options_description>);

struct outcome {
  int result = 0;
  variables_map values;
  std::string messages;
};

/// Runs a program with the options below, and those arguments behind its name.
outcome run(std::vector<std::string> arguments, const std::vector<std::string>& settings = {}) {
  options_description all("Options");
  all.add_options()("size,s", value<unsigned>()->default_value(10), "a number")(
      "name", value<std::string>(), "a text")(
      "sizes", value<std::vector<int>>()->multitoken(), "several");
  hpx::init_params params;
  params.desc_cmdline = all;
  params.cfg = settings;
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& each : arguments) {
    argv.push_back(each.data());
  }
  argv.push_back(nullptr);
  outcome found;
  testing::internal::CaptureStderr();
  found.result = hpx::init(
      [&found](variables_map& values) {
        found.values = values;
        return 5;
      },
      static_cast<int>(arguments.size()),
      argv.data(),
      params);
  found.messages = testing::internal::GetCapturedStderr();
  return found;
}

TEST(HpxProgramOptions, the_function_gets_what_is_given_and_defaults) {
  const outcome given = run({"--name=a=b", "rest", "-s12", "--sizes", "1", "2", "--hpx:threads=2"});

  EXPECT_EQ(given.result, 5);
  EXPECT_EQ(given.values["size"].as<unsigned>(), 12U);
  EXPECT_EQ(given.values["name"].as<std::string>(), "a=b");
  EXPECT_THAT(given.values["sizes"].as<std::vector<int>>(), ElementsAre(1, 2));
  const outcome nothing = run({});
  EXPECT_EQ(nothing.values["size"].as<unsigned>(), 10U);
  EXPECT_TRUE(nothing.values["size"].defaulted());
  EXPECT_EQ(nothing.values.count("name"), 0U);
}

TEST(HpxProgramOptions, an_unknown_option_ends_the_program_unless_it_is_allowed) {
  const outcome refused = run({"--unknown"});

  EXPECT_EQ(refused.result, -1);
  EXPECT_THAT(refused.messages, HasSubstr("--unknown"));
  EXPECT_EQ(run({"--unknown"}, {"hpx.commandline.allow_unknown!=1"}).result, 5);
}

TEST(HpxProgramOptions, a_value_of_another_kind_is_named) {
  const outcome refused = run({"--size=1x"});

  EXPECT_EQ(refused.result, -1);
  EXPECT_THAT(refused.messages, HasSubstr("--size"));
  EXPECT_THAT(refused.messages, HasSubstr("1x"));
}

TEST(HpxProgramOptions, help_lists_options_and_runs_nothing) {
  const outcome help = run({"--help"});

  EXPECT_EQ(help.result, 0);
  EXPECT_TRUE(help.values.empty());
  EXPECT_THAT(help.messages, HasSubstr("-s [ --size ] arg (=10)"));
}

TEST(HpxProgramOptions, a_program_that_describes_no_options_gets_no_values) {
  std::string name("program");
  std::string unknown("--unknown");
  std::vector<char*> argv{name.data(), unknown.data(), nullptr};

  EXPECT_EQ(
      hpx::init(
          [](variables_map& values) { return static_cast<int>(values.size()); }, 2, argv.data()),
      0);
}

}  // namespace hpx_program_options_test
