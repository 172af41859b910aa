// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles that are found by name.
#include "weft/distributed/names.hpp"

#include <atomic>
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;
using testing::HasSubstr;

namespace names_test {
namespace {

using counter = std::atomic<int>;
using handle = wd::remote<counter>;
int increment(counter& mine) { return ++mine; }

template <class F>
void on_all_of_three(F body) {
  weft::test::ranks_options options;
  options.size = 3;
  options.longest_delay = std::chrono::microseconds(100);
  weft::test::ranks job(options);
  job.run(body);
}

template <class F>
std::string sentence_of(F mistake) {
  try {
    mistake();
  } catch (const weft::error& raised) {
    return raised.what();
  }
  return "";
}

}  // namespace

TEST(Names, a_handle_is_found_from_any_rank) {
  on_all_of_three([] {
    if (wd::here().rank() == 2) {
      weft::this_task::sleep_for(std::chrono::milliseconds(5));  // others wait
      wd::register_name("hits", wd::make_remote<counter>(wd::locality(0), 0).get(), wd::here())
          .get();
    }
    const auto found = wd::find<handle>("hits", wd::locality(2)).get();
    EXPECT_GE(found.async<&increment>().get(), 1);
    wd::quiescence().get();
    EXPECT_EQ(found.async([](const counter& mine) { return mine.load(); }).get(), 3);
    wd::barrier().get();
    if (wd::here().rank() == 0) {
      EXPECT_TRUE(wd::unregister_name("hits", wd::locality(2)).get());
      EXPECT_FALSE(wd::unregister_name("hits", wd::locality(2)).get());
    }
  });
}

TEST(Names, a_search_may_give_up) {
  on_all_of_three([] {
    constexpr auto a_moment = std::chrono::milliseconds(2);
    const wd::locality there(1);
    EXPECT_FALSE(wd::find_for<handle>("nothing", there, a_moment).get().has_value());
    wd::barrier().get();
    if (wd::here().rank() == 0) {
      wd::register_name("x", wd::make_remote<counter>(there, 4).get(), there).get();
    }
    const auto found = wd::find_for<handle>("x", there, std::chrono::minutes(1)).get();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->owner(), there);
    EXPECT_FALSE(wd::find_for<handle>("x", wd::locality(2), a_moment).get().has_value());
  });
}

TEST(Names, a_name_stands_for_one_object_of_one_type) {
  on_all_of_three([] {
    if (wd::here().rank() != 0) {
      return;
    }
    const handle mine = wd::make_remote<counter>(wd::here(), 0).get();
    wd::register_name("mine", mine, wd::locality(1)).get();
    EXPECT_THAT(sentence_of([&] { wd::register_name("mine", mine, wd::locality(1)).get(); }),
                HasSubstr("rank 1 has the name \"mine\" already: choose another one"));
    EXPECT_THAT(sentence_of([] {
                  static_cast<void>(wd::find<wd::remote<int>>("mine", wd::locality(1)).get());
                }),
                HasSubstr("call find with the type that was registered"));
  });
}

}  // namespace names_test
