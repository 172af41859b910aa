// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that live as long as any rank has a handle of them.
#include "weft/distributed/remote.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote_error.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/promise.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;
using testing::HasSubstr;

namespace remote_test {
namespace {

std::atomic<int> num_alive{0};

/// An object that counts how many there are.
class account {
 public:
  explicit account(std::string owner, long sum = 0) : owner_(std::move(owner)), sum_(sum) {
    if (owner_.empty()) {
      throw std::invalid_argument("an account has an owner");
    }
    ++num_alive;
  }
  account(const account&) = delete;
  account& operator=(const account&) = delete;
  ~account() { --num_alive; }

  long add(long amount) {
    const std::lock_guard guard(mutex_);
    return sum_ += amount;
  }
  [[nodiscard]] std::string owner() const { return owner_; }
  // NOLINTNEXTLINE(*-to-static): called as a member
  [[nodiscard]] int rank() const { return wd::here().rank(); }
  weft::future<long> later(long amount) { return weft::make_ready_future(add(amount)); }

 private:
  weft::mutex mutex_;
  std::string owner_;
  long sum_;
};
using handle = wd::remote<account>;

weft::test::ranks_options delayed(int size, bool always_serialize = false) {
  weft::test::ranks_options options;
  options.size = size;
  options.longest_delay = std::chrono::microseconds(100);
  options.calls.always_serialize = always_serialize;
  return options;
}

wd::locality next() { return wd::locality((wd::here().rank() + 1) % wd::num_localities()); }

/// Runs `body` on rank 0 of a job, after which no object may be left.
template <class F>
void on_first_of(int size, F body, bool always_serialize = false) {
  num_alive = 0;
  weft::test::ranks job(delayed(size, always_serialize));
  job.run([&] {
    if (wd::here().rank() == 0) {
      body();
    }
  });
  EXPECT_EQ(num_alive, 0);
  for (int rank = 0; rank < size; ++rank) {
    const auto& all = *job.engine(static_cast<std::size_t>(rank)).tables().objects;
    EXPECT_EQ(all.num_objects(), 0U) << rank;
    EXPECT_EQ(all.num_entries(), 0U) << rank;
  }
}

handle made_on(int rank, const std::string& owner = "x") {
  return wd::make_remote<account>(wd::locality(rank), owner).get();
}

std::string sentence_of(const std::function<void()>& mistake) {
  try {
    mistake();
  } catch (const weft::error& raised) {
    return raised.what();
  }
  return "";
}

long add_to(const handle& to, long amount) { return to.async<&account::add>(amount).get(); }
handle passed_on(handle what, int hops) {
  return hops == 0 ? what : wd::async<&passed_on>(next(), std::move(what), hops - 1).get();
}

struct box {
  int number = 0;
  std::vector<handle> handles;
};
std::size_t num_full(const box& all) {
  std::size_t full = 0;
  for (const handle& each : all.handles) {
    full += each ? 1U : 0U;
  }
  return full;
}
box filled() { return {.number = 3, .handles = {made_on(1), handle(), made_on(0)}}; }

std::optional<handle> kept_here;
std::mutex kept_mutex;
void keep(handle what) {
  const std::lock_guard guard(kept_mutex);
  kept_here = std::move(what);
}
void drop() {
  std::optional<handle> gone;
  const std::lock_guard guard(kept_mutex);
  gone.swap(kept_here);
}

}  // namespace

TEST(Remote, members_are_called_where_the_object_is) {
  on_first_of(3, [] {
    const handle there = made_on(2, "somebody");
    EXPECT_EQ(there.owner().rank(), 2);
    EXPECT_EQ(there.async<&account::owner>().get(), "somebody");
    EXPECT_EQ(there.async<&account::rank>().get(), 2);
    EXPECT_EQ(there.async([](account& mine, int by) { return mine.add(by); }, 2).get(), 2);
    EXPECT_EQ(there.async<&account::later>(5).get(), 7);
    EXPECT_EQ(num_alive, 1);
  });
}

TEST(Remote, a_handle_of_any_type_is_cast_back) {
  on_first_of(2, [] {
    const std::vector<wd::remote<void>> sent = {made_on(1, "somebody")};
    const auto all =
        wd::async(
            wd::locality(1), [](std::vector<wd::remote<void>> those) { return those; }, sent)
            .get();
    EXPECT_EQ(all.front(), sent.front());
    EXPECT_EQ(wd::static_remote_cast<account>(all.front()).async<&account::owner>().get(),
              "somebody");
    const auto size = [](std::string& text) { return text.size(); };
    EXPECT_THROW(wd::static_remote_cast<std::string>(all.front()).async(size).get(), weft::error);
  });
}

TEST(Remote, an_object_of_the_own_rank_is_called_without_serialisation) {
  on_first_of(2, [] {
    const handle mine = made_on(0);
    std::vector<int> given(10);
    const auto place = reinterpret_cast<std::uintptr_t>(given.data());
    const auto is_there = [](account& /*mine*/, std::vector<int> all, std::uintptr_t where) {
      return reinterpret_cast<std::uintptr_t>(all.data()) == where;
    };
    EXPECT_TRUE(mine.async(is_there, std::move(given), place).get());
    const std::shared_ptr<account> object = mine.local();
    ASSERT_NE(object, nullptr);
    object->add(7);
    EXPECT_EQ(mine.async<&account::add>(0).get(), 7);
    EXPECT_EQ(made_on(1).local(), nullptr);
  });
}

TEST(Remote, a_constructor_s_exception_arrives) {
  on_first_of(2, [] {
    try {
      static_cast<void>(made_on(1, ""));
      FAIL() << "nothing was thrown";
    } catch (const std::invalid_argument& raised) {
      EXPECT_STREQ(raised.what(), "an account has an owner");
      EXPECT_EQ(dynamic_cast<const wd::remote_origin&>(raised).rank(), 1);
    }
    EXPECT_THROW(static_cast<void>(made_on(0, "")), std::invalid_argument);
  });
}

TEST(Remote, copies_of_one_rank_share_one_count) {
  on_first_of(2, [] {
    handle first = made_on(1);
    std::vector<handle> copies(100, first);
    first = {};
    EXPECT_FALSE(first);
    EXPECT_EQ(copies.back().async<&account::add>(1).get(), 1);
    EXPECT_EQ(copies.front(), copies.back());
    EXPECT_NE(copies.front(), made_on(1));
    copies.resize(1);
    EXPECT_EQ(copies.back().async<&account::add>(1).get(), 2);
  });
}

TEST(Remote, handles_are_arguments_results_and_members) {
  on_first_of(3, [] {
    const handle there = made_on(1);
    EXPECT_EQ(wd::async<&add_to>(wd::locality(2), there, 4L).get(), 4);
    EXPECT_EQ(wd::async<&add_to>(wd::locality(1), there, 4L).get(), 8);
    EXPECT_EQ(passed_on(there, 7), there);
    const box got = wd::async<&filled>(wd::locality(2)).get();
    EXPECT_EQ(num_full(got), 2U);
    EXPECT_EQ(wd::async<&num_full>(wd::locality(1), got).get(), 2U);
    EXPECT_EQ(got.handles[2].owner().rank(), 0);
  });
}

TEST(Remote, the_object_lives_as_long_as_the_last_handle_on_any_rank) {
  on_first_of(3, [] {
    {
      const handle there = made_on(1);
      wd::async<&keep>(wd::locality(2), there).get();
    }
    for (int i = 0; i < 20; ++i) {  // time for what was given back to arrive
      wd::async(wd::locality(1), [] {}).get();
    }
    EXPECT_EQ(num_alive, 1);
    wd::async<&drop>(wd::locality(2)).get();
  });
}

TEST(Remote, a_call_keeps_the_object) {
  on_first_of(2, [] {
    for (int i = 0; i < 50; ++i) {
      handle there = made_on(1);
      there.post<&account::add>(1);
      auto answer = there.async<&account::add>(1);
      there = {};
      EXPECT_GT(answer.get(), 0);
    }
  });
}

TEST(Remote, credit_that_is_used_up_is_lent) {
  on_first_of(
      3,
      [] {
        wd::async(
            wd::locality(1),
            [](const handle& one) {
              // Each handle that is sent takes a 16th of the credit.
              std::vector<weft::future<long>> all;
              all.reserve(1000);
              for (int i = 0; i < 1000; ++i) {
                all.push_back(wd::async<&add_to>(wd::locality(2), one, 1L));
              }
              long last = 0;
              for (auto& each : all) {
                last = std::max(last, each.get());
              }
              EXPECT_EQ(last, 1000);
            },
            made_on(0))
            .get();
        EXPECT_TRUE(passed_on(made_on(0), 60));
      },
      true);
}

TEST(Remote, many_handles_come_back_to_one_rank) {
  on_first_of(2, [] {
    const handle there = made_on(1);
    wd::async<&keep>(wd::locality(1), there).get();
    wd::async<&keep>(wd::locality(1), there).get();
    std::vector<weft::future<void>> all;
    all.reserve(3000);
    for (int i = 0; i < 3000; ++i) {
      all.push_back(wd::async<&keep>(wd::locality(1), there));
    }
    for (auto& each : all) {
      each.get();
    }
    wd::async<&drop>(wd::locality(1)).get();
    EXPECT_EQ(there.async<&account::add>(1).get(), 1);
  });
  EXPECT_FALSE(kept_here.has_value());
}

TEST(Remote, handles_come_back_if_a_message_is_not_sent) {
  on_first_of(2, [] {
    const handle there = made_on(1);
    struct unsendable {
      handle what;
      std::vector<int> nested;
      void save(wd::output_archive& to) const {
        to(what);
        throw std::runtime_error("cannot be written");
      }
      void load(wd::input_archive& from) { from(what); }
    };
    const auto take = [](const unsendable&) {};
    EXPECT_THROW(wd::async(wd::locality(1), take, unsendable{there, {}}).get(), std::runtime_error);
  });
}

TEST(Remote, wrong_handles_are_errors) {
  on_first_of(2, [] {
    EXPECT_THAT(sentence_of([] { static_cast<void>(handle().async<&account::add>(1)); }),
                HasSubstr("is empty: use the one that the future of make_remote gives"));
    EXPECT_THAT(sentence_of([] { static_cast<void>(handle().owner()); }), HasSubstr("is empty"));

    const auto forged = [](wd::detail::sent_reference sent) {
      wd::output_archive to;
      to(sent);
      handle read;
      wd::input_archive from(to.bytes());
      from(read);
      return read;
    };
    const handle gone =
        forged({.object = {.home = 1, .number = 77}, .credit = 5, .lender = -1, .place = 1});
    EXPECT_THAT(sentence_of([&] { static_cast<void>(gone.async<&account::add>(1).get()); }),
                HasSubstr("rank 1 has no object 77: it was destroyed"));
    EXPECT_THAT(
        sentence_of([&] { forged({.object = {.home = 9, .number = 1}, .credit = 5, .place = 1}); }),
        HasSubstr("a handle of a rank that the job has"));
  });
}

TEST(Remote, an_object_of_another_type_is_named) {
  on_first_of(2, [] {
    const handle there = made_on(1);
    struct read_as_text {
      handle source;
      wd::remote<std::string> what;
      void save(wd::output_archive& to) const { to(source); }
      void load(wd::input_archive& from) { from(what); }
    };
    const auto call = [](const read_as_text& all) {
      return all.what.async([](const std::string& mine) { return mine; }).get();
    };
    EXPECT_THAT(
        sentence_of([&] {
          static_cast<void>(wd::async(wd::locality(1), call, read_as_text{there, {}}).get());
        }),
        HasSubstr("use the type that make_remote was called with"));
  });
}

TEST(Remote, a_handle_is_not_stored) {
  on_first_of(2, [] {
    wd::output_archive to;
    const handle mine = made_on(0);
    EXPECT_THAT(sentence_of([&] { to(mine); }), HasSubstr("can be sent to another rank, but not"));
  });
}

TEST(Remote, a_handle_may_outlive_the_runtime) {
  num_alive = 0;
  handle late;
  {
    weft::test::ranks job(delayed(2));
    job.run([&] {
      if (wd::here().rank() == 0) {
        late = made_on(1);
      }
    });
    EXPECT_EQ(num_alive, 1);
  }
  EXPECT_EQ(num_alive, 0);
  EXPECT_THAT(sentence_of([&] { static_cast<void>(late.async<&account::add>(1)); }),
              HasSubstr("has ended"));
  EXPECT_EQ(late.local(), nullptr);
}

TEST(Remote, threads_copy_and_drop_handles) {
  on_first_of(2, [] {
    const handle there = made_on(1);
    std::vector<std::thread> threads;
    threads.reserve(3);
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([there] {
        for (int j = 0; j < 1000; ++j) {
          handle copy = there;
          const handle moved = std::move(copy);
          EXPECT_TRUE(moved);
        }
      });
    }
    for (std::thread& each : threads) {
      each.join();
    }
  });
}

}  // namespace remote_test
