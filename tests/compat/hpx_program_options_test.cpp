// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the command lines of HPX programs, and how they begin and end.
#include <array>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hpx/init.hpp>
#include <hpx/program_options.hpp>
#include <hpx/runtime.hpp>

#include "weft/base/error.hpp"

namespace hpx_program_options_test {

using hpx::program_options::bool_switch;
using hpx::program_options::options_description;
using hpx::program_options::read_arguments;
using hpx::program_options::value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

options_description all_kinds(int* stored = nullptr) {
  options_description all("Options");
  all.add_options()("size,s", value<unsigned>()->default_value(10), "a number")(
      "name", value<std::string>(), "a text")("fast", bool_switch(), "a switch")(
      "flag", "given or not")("list", value<std::vector<int>>()->composing(), "several")(
      "stored", value<int>(stored)->default_value(5), "kept elsewhere")(
      "sizes", value<std::vector<int>>()->multitoken(), "several at once");
  return all;
}

TEST(HpxProgramOptions, values_are_given_in_every_way) {
  std::vector<std::string> arguments{
      "--name=a=b", "rest", "-s12", "--list", "1", "--list=-2", "--fast", "--flag"};
  int stored = 0;

  const auto values = read_arguments(arguments, all_kinds(&stored), false);

  EXPECT_EQ(values["size"].as<unsigned>(), 12u);
  EXPECT_FALSE(values["size"].defaulted());
  EXPECT_EQ(values["name"].as<std::string>(), "a=b");
  EXPECT_TRUE(values["fast"].as<bool>());
  EXPECT_EQ(values.count("flag"), 1u);
  EXPECT_THAT(values["list"].as<std::vector<int>>(), ElementsAre(1, -2));
  EXPECT_EQ(stored, 5);
  EXPECT_THAT(arguments, ElementsAre("rest"));
}

TEST(HpxProgramOptions, an_option_of_several_tokens_takes_all_up_to_the_next_option) {
  std::vector<std::string> arguments{
      "--sizes", "10", "20", "-30", "--fast", "rest", "--sizes=40", "50", "--", "60"};

  const auto values = read_arguments(arguments, all_kinds(), false);

  EXPECT_THAT(values["sizes"].as<std::vector<int>>(), ElementsAre(10, 20, -30, 40, 50));
  EXPECT_THAT(arguments, ElementsAre("rest", "--", "60"));
  arguments = {"--sizes", "10", "x"};
  EXPECT_THAT([&] { static_cast<void>(read_arguments(arguments, all_kinds(), false)); },
              ThrowsMessage<weft::error>(HasSubstr("--sizes=x")));
}

TEST(HpxProgramOptions, what_is_not_given_has_its_default_or_nothing) {
  std::vector<std::string> arguments;

  const auto values = read_arguments(arguments, all_kinds(), false);

  EXPECT_EQ(values["size"].as<unsigned>(), 10u);
  EXPECT_TRUE(values["size"].defaulted());
  EXPECT_FALSE(values["fast"].as<bool>());
  EXPECT_EQ(values.count("name") + values.count("flag") + values.count("list"), 0u);
  EXPECT_TRUE(values["name"].empty());
}

TEST(HpxProgramOptions, bad_input_names_the_argument) {
  const auto read = [](const std::vector<std::string>& given, bool keeps_unknown = false) {
    return [given, keeps_unknown] {
      std::vector<std::string> arguments = given;
      static_cast<void>(read_arguments(arguments, all_kinds(), keeps_unknown));
      return arguments.size();
    };
  };

  EXPECT_THAT(read({"--size=-1"}), ThrowsMessage<weft::error>(HasSubstr("--size=-1")));
  EXPECT_THAT(read({"--size=1x"}), ThrowsMessage<weft::error>(HasSubstr("--size=1x")));
  EXPECT_THAT(read({"--name"}), ThrowsMessage<weft::error>(HasSubstr("--name=VALUE")));
  EXPECT_THAT(read({"--flag=1"}), ThrowsMessage<weft::error>(HasSubstr("takes no value")));
  EXPECT_THAT(read({"--unknown"}), ThrowsMessage<weft::error>(HasSubstr("no such option")));
  EXPECT_EQ(read({"--unknown", "-5"}, true)(), 2u);
}

TEST(HpxProgramOptions, help_lists_names_and_defaults) {
  std::ostringstream help;
  help << all_kinds();

  EXPECT_THAT(help.str(), HasSubstr("-s [ --size ] arg (=10)  a number"));
  EXPECT_THAT(help.str(), HasSubstr("--flag  given or not"));
}

TEST(HpxInit, a_program_has_ended_whatever_was_thrown) {
  std::string name("program");
  std::array<char*, 2> argv{name.data(), nullptr};
  bool was_shut_down = false;
  hpx::init_params params;
  params.shutdown = [&] {
    was_shut_down = true;
    throw std::runtime_error("shutdown");
  };

  EXPECT_EQ(hpx::init([]() -> int { throw 42; }, 1, argv.data(), params), -1);
  EXPECT_TRUE(was_shut_down);
  EXPECT_FALSE(hpx::is_running());
  EXPECT_EQ(hpx::init([] { return 5; }, 1, argv.data(), params), -1);
  EXPECT_EQ(hpx::init([] { return 5; }, 1, argv.data()), 5);
}

TEST(HpxInit, one_program_runs_at_a_time) {
  std::string name("program");
  std::array<char*, 2> argv{name.data(), nullptr};

  EXPECT_TRUE(hpx::start([] { return hpx::is_running() ? 7 : 8; }, 1, argv.data()));
  EXPECT_TRUE(hpx::is_running());
  EXPECT_FALSE(hpx::start([] { return 1; }, 1, argv.data()));
  EXPECT_EQ(hpx::stop(), 7);
  EXPECT_FALSE(hpx::is_running());
  EXPECT_EQ(hpx::stop(), -1);
}

}  // namespace hpx_program_options_test
