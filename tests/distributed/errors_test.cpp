// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions that cross ranks, and mistakes.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote_error.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;
using testing::HasSubstr;

namespace {

struct unusual : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "something unusual"; }
};

template <class E>
void throw_with(const std::string& text) {
  throw E(text);
}
void throw_system() { throw std::system_error(ENOENT, std::generic_category(), "a file"); }
void throw_unusual() { throw unusual(); }
void throw_number() { throw 42; }
void throw_ours() { throw weft::error(weft::errc::bad_parameter, "of ours"); }
void throw_memory() { throw std::bad_alloc(); }
void sleep_long() { weft::this_task::sleep_for(std::chrono::seconds(2)); }
void throw_next() { wd::async<&throw_unusual>(wd::locality(0)).get(); }

template <class E>
void expect_kept() {
  try {
    wd::async<&throw_with<E>>(wd::locality(1), "its text").get();
    FAIL() << "nothing was thrown";
  } catch (const E& raised) {
    EXPECT_STREQ(raised.what(), "its text");
    const auto& origin = dynamic_cast<const wd::remote_origin&>(raised);
    EXPECT_EQ(origin.rank(), 1);
    EXPECT_THAT(origin.function(), HasSubstr("throw_with"));
    EXPECT_THAT(origin.type(), HasSubstr("std::"));
  }
}

/// Runs `body` on rank 0 of two.
template <class F>
void on_first_of_two(F body) {
  weft::test::ranks job({});
  job.run([&] {
    if (wd::here().rank() == 0) {
      body();
    }
  });
}

/// Cannot be read: it writes less than it reads.
struct short_written {
  int value = 0;
  template <class Archive>
  void serialize(Archive& ar) {
    if constexpr (Archive::is_loading::value) {
      ar(value);
    }
  }
};
int value_of(const short_written& given) { return given.value; }
short_written make_short_written() { return {}; }

template <class T>
void expect_unreadable(weft::future<T> answer) {
  try {
    answer.get();
    FAIL() << "nothing was thrown";
  } catch (const weft::error& raised) {
    EXPECT_EQ(raised.get_error(), weft::errc::invalid_data);
    EXPECT_THAT(raised.what(), HasSubstr("the serialised data cannot be read"));
  }
}

std::string sentence_of(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const weft::error& raised) {
    return raised.what();
  }
  return "";
}

}  // namespace

TEST(RemoteErrorsDeathTest, an_answer_of_another_rank_than_was_called_ends_the_job) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        weft::test::ranks job({.size = 3});
        job.run([&] {
          if (wd::here().rank() == 0) {
            auto slow = wd::async<&sleep_long>(wd::locality(1));
            wd::detail::outgoing forged{};
            constexpr std::uint64_t first_request = 1;
            job.engine(2).answer(0, first_request, forged);
            slow.get();
          }
        });
      },
      "an answer that nobody awaits came from rank 2");
}

TEST(RemoteErrors, an_exception_keeps_type_text_rank_and_function) {
  on_first_of_two([] {
    expect_kept<std::runtime_error>();
    expect_kept<std::logic_error>();
    expect_kept<std::invalid_argument>();
    expect_kept<std::domain_error>();
    expect_kept<std::length_error>();
    expect_kept<std::out_of_range>();
    expect_kept<std::range_error>();
    expect_kept<std::overflow_error>();
    expect_kept<std::underflow_error>();
  });
}

TEST(RemoteErrors, a_system_error_keeps_its_code) {
  on_first_of_two([] {
    try {
      wd::async<&throw_system>(wd::locality(1)).get();
      FAIL() << "nothing was thrown";
    } catch (const std::system_error& raised) {
      EXPECT_EQ(raised.code(), std::errc::no_such_file_or_directory);
      EXPECT_STREQ(raised.what(),
                   std::system_error(ENOENT, std::generic_category(), "a file").what());
    }
  });
}

TEST(RemoteErrors, weft_errors_keep_their_codes) {
  on_first_of_two([] {
    try {
      wd::async<&throw_ours>(wd::locality(1)).get();
      FAIL() << "nothing was thrown";
    } catch (const weft::error& raised) {
      EXPECT_EQ(raised.get_error(), weft::errc::bad_parameter);
      EXPECT_STREQ(raised.what(), "of ours");
    }
  });
}

TEST(RemoteErrors, other_types_arrive_as_remote_errors_that_name_them) {
  on_first_of_two([] {
    try {
      wd::async<&throw_unusual>(wd::locality(1)).get();
      FAIL() << "nothing was thrown";
    } catch (const wd::remote_error& raised) {
      EXPECT_STREQ(raised.what(), "something unusual");
      EXPECT_THAT(raised.type(), HasSubstr("unusual"));
      EXPECT_EQ(raised.rank(), 1);
    }
    try {
      wd::async<&throw_number>(wd::locality(1)).get();
      FAIL() << "nothing was thrown";
    } catch (const wd::remote_error& raised) {
      EXPECT_EQ(raised.type(), "int");
    }
  });
}

TEST(RemoteErrors, a_lack_of_memory_keeps_type_and_rank) {
  on_first_of_two([] {
    try {
      wd::async<&throw_memory>(wd::locality(1)).get();
      FAIL() << "nothing was thrown";
    } catch (const std::bad_alloc& raised) {
      EXPECT_EQ(dynamic_cast<const wd::remote_origin&>(raised).rank(), 1);
    }
  });
}

TEST(RemoteErrors, an_exception_that_crosses_twice_names_where_it_was_thrown) {
  on_first_of_two([] {
    try {
      wd::async<&throw_next>(wd::locality(1)).get();
      FAIL() << "nothing was thrown";
    } catch (const wd::remote_error& raised) {
      EXPECT_EQ(raised.rank(), 0);
      EXPECT_THAT(raised.function(), HasSubstr("throw_unusual"));
    }
  });
}

TEST(RemoteErrors, arguments_that_cannot_be_read_fail_the_call) {
  on_first_of_two(
      [] { expect_unreadable(wd::async<&value_of>(wd::locality(1), short_written{})); });
}

TEST(RemoteErrors, a_result_that_cannot_be_read_fails_the_call) {
  on_first_of_two([] { expect_unreadable(wd::async<&make_short_written>(wd::locality(1))); });
}

TEST(RemoteErrors, a_rank_that_does_not_exist_is_named) {
  on_first_of_two([] {
    const auto call = [] { static_cast<void>(wd::async<&throw_ours>(wd::locality(7))); };
    EXPECT_EQ(sentence_of(call), "there is no rank 7: the job has 2 ranks, 0 to 1");
    const auto post = [] { wd::post<&throw_ours>(wd::locality(-1)); };
    EXPECT_EQ(sentence_of(post), "there is no rank -1: the job has 2 ranks, 0 to 1");
  });
}

TEST(RemoteErrors, without_a_runtime_the_message_says_what_to_make) {
  EXPECT_THAT(sentence_of([] { static_cast<void>(wd::here()); }),
              HasSubstr("make one at the beginning of main"));
}
