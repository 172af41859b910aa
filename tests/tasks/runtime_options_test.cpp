// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the choices for a runtime and where they come from.
#include "weft/tasks/runtime_options.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // setenv
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/options.hpp"
#include "weft/tasks/runtime.hpp"

#include "tasks/runtime/runtime_options.hpp"

namespace runtime_options_test {

using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::bind_policy;
using weft::deadlock_action;
using weft::runtime_options;
using weft::smt_policy;

/// A variable of this process, for the length of a test.
class scoped_variable {
 public:
  scoped_variable(std::string name, const char* value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value, 1);
  }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;
  ~scoped_variable() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

runtime_options options_from(std::vector<std::string> texts) {
  std::vector<char*> argv;
  argv.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    argv.push_back(text.data());
  }
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  runtime_options options = weft::runtime_options_from(argc, argv.data());
  EXPECT_EQ(argc, 1) << "an argument was not removed";
  return options;
}

runtime_options options_with(const std::map<std::string, std::string>& settings) {
  weft::base::option_registry registry;
  weft::tasks::detail::register_runtime_options(registry);
  for (const auto& [name, text] : settings) {
    registry.set(name, text);
  }
  return weft::tasks::detail::read_runtime_options(registry);
}

long num_online_cpus() { return ::sysconf(_SC_NPROCESSORS_ONLN); }

TEST(RuntimeOptions, without_any_are_the_defaults) {
  const runtime_options options = options_from({"program"});

  EXPECT_EQ(options.workers, std::nullopt);
  EXPECT_EQ(options.bind, bind_policy::none);
  EXPECT_EQ(options.stack_size_bytes, std::size_t{1} << 20);
  EXPECT_EQ(options.max_stacks, std::nullopt);
  EXPECT_FALSE(options.print_bind);
  EXPECT_EQ(options.help_text, "");
}

TEST(RuntimeOptions, the_defaults_that_help_names_are_the_defaults) {
  const runtime_options named = options_with({{"bind", "none"},
                                              {"smt", "all"},
                                              {"print-bind", "no"},
                                              {"stack-size", "1 MiB"},
                                              {"deadlock", "log"}});
  const runtime_options defaults;

  EXPECT_EQ(named.bind, defaults.bind);
  EXPECT_EQ(named.smt, defaults.smt);
  EXPECT_EQ(named.print_bind, defaults.print_bind);
  EXPECT_EQ(named.stack_size_bytes, defaults.stack_size_bytes);
  EXPECT_EQ(named.deadlock, defaults.deadlock);
  const std::string help = options_with({{"help", "yes"}}).help_text;
  for (const char* text : {"none", "all", "no", "1 MiB", "log"}) {
    EXPECT_THAT(help, HasSubstr("Default: " + std::string(text) + "."));
  }
}

TEST(RuntimeOptions, every_one_can_be_set) {
  const runtime_options options = options_from({"program",
                                                "--weft:workers=3",
                                                "--weft:bind=scatter",
                                                "--weft:smt=one-per-core",
                                                "--weft:print-bind",
                                                "--weft:stack-size=256KiB",
                                                "--weft:max-stacks=100",
                                                "--weft:deadlock=throw"});

  EXPECT_EQ(options.workers, 3);
  EXPECT_EQ(options.bind, bind_policy::scatter);
  EXPECT_EQ(options.smt, smt_policy::one_per_core);
  EXPECT_TRUE(options.print_bind);
  EXPECT_EQ(options.stack_size_bytes, std::size_t{256} << 10);
  EXPECT_EQ(options.max_stacks, std::size_t{100});
  EXPECT_EQ(options.deadlock, deadlock_action::raise);
}

TEST(RuntimeOptions, an_option_wins_over_a_variable) {
  const scoped_variable workers("WEFT_WORKERS", "5");
  const scoped_variable bind("WEFT_BIND", "compact");

  EXPECT_EQ(weft::runtime_options_from_environment().workers, 5);
  const runtime_options options = options_from({"program", "--weft:workers=6"});

  EXPECT_EQ(options.workers, 6);
  EXPECT_EQ(options.bind, bind_policy::compact);
}

TEST(RuntimeOptions, a_number_of_workers_that_cannot_be_is_an_error_that_says_where) {
  EXPECT_THAT([] { (void)options_from({"program", "--weft:workers=0"}); },
              ThrowsMessage<weft::error>(HasSubstr("option --weft:workers=0: accepted is")));
  const std::string most =
      std::to_string(weft::tasks::detail::most_workers(static_cast<int>(num_online_cpus())));
  EXPECT_THAT([] { (void)options_from({"program", "--weft:workers=1000000"}); },
              ThrowsMessage<weft::error>(HasSubstr(" from 1 to " + most + ", for example 2;")));

  const scoped_variable workers("WEFT_WORKERS", "-4");
  EXPECT_THAT(
      [] { (void)weft::runtime_options_from_environment(); },
      ThrowsMessage<weft::error>(HasSubstr("environment variable WEFT_WORKERS=-4: accepted is")));
}

TEST(RuntimeOptions, a_stack_too_small_for_any_task_is_refused) {
  EXPECT_THAT([] { (void)options_from({"program", "--weft:stack-size=4KiB"}); },
              ThrowsMessage<weft::error>(HasSubstr("a size from 64 KiB to 1 GiB")));
  runtime_options options;
  options.stack_size_bytes = std::size_t{16} << 10;
  EXPECT_THAT([&] { const weft::runtime runtime(options); },
              ThrowsMessage<weft::error>(HasSubstr("(64 KiB) to 1073741824 (1 GiB)")));
}

TEST(RuntimeOptions, help_comes_back_as_text) {
  EXPECT_THAT(options_from({"program", "--weft:help"}).help_text, HasSubstr("--weft:workers=..."));
}

}  // namespace runtime_options_test
