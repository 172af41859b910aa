// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about options: who wins, what is removed from the arguments, what errors say.
#include "weft/base/options.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // setenv

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"

namespace options_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;
using weft::base::option_registry;
using weft::base::option_source;

/// Arguments as main() gets them, for reading and for looking at afterwards.
class arguments {
 public:
  explicit arguments(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) {
      pointers_.push_back(text.data());
    }
    argc_ = static_cast<int>(pointers_.size());
    pointers_.push_back(nullptr);
  }

  void read_with(option_registry& registry) { registry.read_command_line(argc_, pointers_.data()); }
  [[nodiscard]] std::vector<std::string> left() const {
    return {pointers_.begin(), pointers_.begin() + argc_};
  }
  [[nodiscard]] bool ends_with_null() const {
    return pointers_[static_cast<std::size_t>(argc_)] == nullptr;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int argc_ = 0;
};

weft::base::environment_lookup variables(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

class Options : public testing::Test {
 protected:
  Options() {
    registry.add({.name = "workers",
                  .environment = "WEFT_WORKERS",
                  .help = "Number of workers.",
                  .default_text = "all CPUs"},
                 weft::base::whole_number(1, 64));
    registry.add({.name = "bind",
                  .environment = "WEFT_BIND",
                  .help = "Where workers may run.",
                  .default_text = "none"},
                 weft::base::one_of<int>({{"none", 0}, {"compact", 1}}));
    registry.add({.name = "print-bind",
                  .environment = "",
                  .help = "Prints where workers may run.",
                  .default_text = "no",
                  .bare_value = "yes"},
                 weft::base::yes_or_no());
  }

  option_registry registry;
};

TEST_F(Options, nothing_given_is_the_default) {
  EXPECT_EQ(registry.value<int>("workers"), std::nullopt);
  EXPECT_EQ(registry.source("workers"), option_source::standard);
}

TEST_F(Options, what_is_read_is_removed_from_the_arguments) {
  arguments given({"program", "--size=3", "--weft:workers=4", "file", "--weft:print-bind"});

  given.read_with(registry);

  EXPECT_THAT(given.left(), ElementsAre("program", "--size=3", "file"));
  EXPECT_TRUE(given.ends_with_null());
  EXPECT_EQ(registry.value<int>("workers"), 4);
  EXPECT_EQ(registry.value<bool>("print-bind"), true);
  EXPECT_EQ(registry.source("workers"), option_source::command_line);
}

TEST_F(Options, nothing_after_two_dashes_is_read) {
  arguments given({"program", "--weft:workers=4", "--", "--weft:workers=5", "--weft:nonsense"});

  given.read_with(registry);

  EXPECT_THAT(given.left(), ElementsAre("program", "--", "--weft:workers=5", "--weft:nonsense"));
  EXPECT_EQ(registry.value<int>("workers"), 4);
}

TEST_F(Options, the_name_of_the_program_is_no_option) {
  arguments given({"--weft:nonsense"});

  given.read_with(registry);

  EXPECT_THAT(given.left(), ElementsAre("--weft:nonsense"));
}

TEST_F(Options, no_arguments_at_all_are_fine) {
  arguments given({});

  given.read_with(registry);

  EXPECT_THAT(given.left(), ElementsAre());
}

TEST_F(Options, given_twice_the_last_one_holds) {
  arguments given({"program", "--weft:workers=4", "--weft:workers=6"});

  given.read_with(registry);

  EXPECT_EQ(registry.value<int>("workers"), 6);
}

TEST_F(Options, a_list_keeps_all_that_the_winning_place_gave) {
  registry.add(
      {.name = "file", .environment = "WEFT_FILE", .help = "A file.", .default_text = "none"},
      weft::base::list_of(weft::base::any_text("a file")));
  arguments given({"program", "--weft:file=a", "--weft:file=b"});

  given.read_with(registry);
  registry.read_environment(variables({{"WEFT_FILE", "c"}}));

  EXPECT_EQ(registry.value<std::vector<std::string>>("file"), (std::vector<std::string>{"a", "b"}));
  EXPECT_THAT(registry.help_text(), HasSubstr("a file; may be given several times"));
}

TEST_F(Options, another_dialect_is_understood_with_its_own_names) {
  registry.accept({.prefix = "--hpx:", .names = {{"threads", "workers"}}});
  arguments given({"program", "--hpx:threads=3", "--hpx:bind=compact", "--other:bind=none"});

  given.read_with(registry);

  EXPECT_EQ(registry.value<int>("workers"), 3);
  EXPECT_EQ(registry.value<int>("bind"), 1);
  EXPECT_THAT(given.left(), ElementsAre("program", "--other:bind=none"));
}

TEST_F(Options, a_mistake_in_another_dialect_is_shown_as_it_was_written) {
  registry.accept({.prefix = "--hpx:", .names = {{"threads", "workers"}}});
  arguments bad_value({"program", "--hpx:threads=all"});
  arguments unknown({"program", "--hpx:binds=none"});

  EXPECT_THAT([&] { bad_value.read_with(registry); },
              ThrowsMessage<weft::error>(
                  "option --hpx:threads=all: accepted is a whole number from 1 to 64"));
  EXPECT_THAT([&] { unknown.read_with(registry); },
              ThrowsMessage<weft::error>("there is no option --hpx:binds; did you mean "
                                         "--weft:bind? --weft:help lists all"));
}

TEST_F(Options, the_command_line_wins_over_the_environment) {
  arguments given({"program", "--weft:workers=4"});

  given.read_with(registry);
  registry.read_environment(variables({{"WEFT_WORKERS", "8"}, {"WEFT_BIND", "compact"}}));

  EXPECT_EQ(registry.value<int>("workers"), 4);
  EXPECT_EQ(registry.value<int>("bind"), 1);
  EXPECT_EQ(registry.source("bind"), option_source::environment);
}

TEST_F(Options, the_program_wins_over_the_command_line) {
  arguments given({"program", "--weft:workers=4"});

  registry.set("workers", "2");
  given.read_with(registry);

  EXPECT_EQ(registry.value<int>("workers"), 2);
  EXPECT_EQ(registry.source("workers"), option_source::program);
}

TEST_F(Options, an_unknown_option_is_told_its_nearest_name) {
  arguments given({"program", "--weft:workers=4", "--weft:wrokers=4"});

  EXPECT_THAT([&] { given.read_with(registry); },
              ThrowsMessage<weft::error>("there is no option --weft:wrokers; did you mean "
                                         "--weft:workers? --weft:help lists all"));
  EXPECT_EQ(given.left().size(), 3u) << "arguments stay as they were";
}

TEST_F(Options, a_bad_argument_is_named_with_what_is_accepted) {
  arguments given({"program", "--weft:workers=many"});

  EXPECT_THAT([&] { given.read_with(registry); },
              ThrowsMessage<weft::error>(
                  "option --weft:workers=many: accepted is a whole number from 1 to 64"));
}

TEST_F(Options, a_bad_variable_is_named_even_if_another_place_wins) {
  registry.set("bind", "none");

  EXPECT_THAT([&] { registry.read_environment(variables({{"WEFT_BIND", "tight"}})); },
              ThrowsMessage<weft::error>(
                  "environment variable WEFT_BIND=tight: accepted is one of none, compact"));
}

TEST_F(Options, a_bad_variable_may_be_ignored_with_a_message_of_one_line) {
  static std::string told;
  told.clear();
  const auto before = weft::set_message_sink([](std::string_view text) noexcept { told += text; });

  registry.read_environment(variables({{"WEFT_WORKERS", "ma\nny"}, {"WEFT_BIND", "compact"}}),
                            weft::base::bad_variable::is_ignored);
  weft::set_message_sink(before);

  EXPECT_EQ(told,
            "weft: environment variable WEFT_WORKERS=ma?ny: accepted is a whole number from 1 to "
            "64; it is ignored\n");
  EXPECT_EQ(registry.source("workers"), option_source::standard);
  EXPECT_EQ(registry.value<int>("bind"), 1);
}

TEST_F(Options, a_misspelt_variable_is_told_with_the_name_that_was_meant) {
  static std::string told;
  const auto told_about = [&](const char* name) {
    told.clear();
    ::setenv(name, "1", 1);
    const auto before =
        weft::set_message_sink([](std::string_view text) noexcept { told += text; });
    registry.tell_misspelt_variables({"WEFT_STATISTICS"});
    weft::set_message_sink(before);
    ::unsetenv(name);
    return told;
  };
  const auto told_of = [](const std::string& name, const std::string& meant) {
    return HasSubstr("weft: nothing reads environment variable " + name + "; did you mean " +
                     meant + "?\n");
  };

  EXPECT_THAT(told_about("WEFT_WORKER"), told_of("WEFT_WORKER", "WEFT_WORKERS"));
  EXPECT_THAT(told_about("WEFT_WORKEXY"), told_of("WEFT_WORKEXY", "WEFT_WORKERS"));
  EXPECT_THAT(told_about("WEFT_STATISTIC"), told_of("WEFT_STATISTIC", "WEFT_STATISTICS"));
  EXPECT_THAT(told_about("WEFT_BIN"), told_of("WEFT_BIN", "WEFT_BIND"));
  for (const char* right : {"WEFT_WORKERS", "WEFT_STATISTICS"}) {
    EXPECT_THAT(told_about(right), Not(HasSubstr(right)));
  }
  for (const char* other : {"WEFT_WORKXYZ", "WEFT_BI", "NEFT_WORKER"}) {
    EXPECT_THAT(told_about(other), Not(HasSubstr(other)));
  }
}

TEST_F(Options, a_bad_setting_of_the_program_is_named) {
  EXPECT_THAT([&] { registry.set("bind", "tight"); },
              ThrowsMessage<weft::error>(HasSubstr("the program's setting bind=tight")));
  EXPECT_THAT([&] { registry.set("bnd", "none"); },
              ThrowsMessage<weft::error>(HasSubstr("did you mean --weft:bind?")));
}

TEST_F(Options, an_option_without_its_value_is_told_to_have_one) {
  arguments given({"program", "--weft:workers", "4"});

  EXPECT_THAT(
      [&] { given.read_with(registry); },
      ThrowsMessage<weft::error>(HasSubstr("write --weft:workers=..., accepted is a whole")));
}

TEST_F(Options, a_switch_can_be_turned_off) {
  arguments given({"program", "--weft:print-bind", "--weft:print-bind=no"});

  given.read_with(registry);

  EXPECT_EQ(registry.value<bool>("print-bind"), false);
}

TEST_F(Options, a_name_can_be_registered_once) {
  EXPECT_THAT(
      [&] {
        registry.add({.name = "bind", .environment = {}, .help = {}, .default_text = {}},
                     weft::base::yes_or_no());
      },
      ThrowsMessage<weft::error>(HasSubstr("--weft:bind is registered twice")));
}

TEST_F(Options, help_lists_every_option_and_all_there_is_to_know) {
  EXPECT_FALSE(registry.wants_help());
  arguments given({"program", "--weft:help"});

  given.read_with(registry);

  EXPECT_TRUE(registry.wants_help());
  EXPECT_THAT(registry.help_text(),
              AllOf(HasSubstr("  --weft:help[=...]\n"),
                    HasSubstr("  --weft:bind=...\n      Where workers may run.\n"
                              "      Accepted: one of none, compact. Default: none. Environment: "
                              "WEFT_BIND.\n"),
                    HasSubstr("  --weft:print-bind[=...]\n")));
}

TEST(ProcessEnvironment, an_empty_variable_is_unset) {
  ::setenv("WEFT_OPTIONS_TEST", "", 1);
  EXPECT_EQ(weft::base::process_environment("WEFT_OPTIONS_TEST"), std::nullopt);

  ::setenv("WEFT_OPTIONS_TEST", "x", 1);
  EXPECT_EQ(weft::base::process_environment("WEFT_OPTIONS_TEST"), "x");

  ::unsetenv("WEFT_OPTIONS_TEST");
  EXPECT_EQ(weft::base::process_environment("WEFT_OPTIONS_TEST"), std::nullopt);
}

}  // namespace options_test
