// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about PAPI's counters on this machine, and with a PAPI that lies.
#include "counters/families/papi/papi_families.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "weft/counters/counter.hpp"

#include "counters/core/worker_threads.hpp"
#include "counters/families/papi/papi_library.hpp"
#include "tests/counters/planted_families.hpp"
#include "tests/support/fake_root.hpp"

namespace papi_families_test {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using weft::counters::counter;
using weft::counters::detail::papi_answer;
using weft::counters::detail::papi_families;
using weft::counters::detail::papi_library;
using weft::counters::detail::worker_thread;
using weft::counters::test::number_of;
using weft::counters::test::planted_families;
using weft::counters::test::read;
using weft::counters::test::reset;

/// Has a code for every event, as PAPI does, and fails at what a test says.
class lying_papi final : public papi_library {
 public:
  struct event_set {
    int thread_id = 0;
    bool is_running = false;
    std::vector<int> events = {};
  };
  std::string absent;  // why there is no PAPI at all
  std::set<std::string> cannot_be_added;
  std::set<std::string> cannot_be_started;
  std::set<std::string> stay_zero;
  std::set<int> threads_that_ended;
  bool delivers = true;
  std::map<int, event_set> sets;
  std::map<int, std::int64_t> counted;  // by thread: what each event that moves has, while it runs

  std::string begin() override { return absent; }
  papi_answer find_event(const std::string& name) override {
    const auto known = std::ranges::find(names_, name);
    if (known == names_.end()) {
      names_.push_back(name);
      return {.value = static_cast<int>(names_.size()) - 1};
    }
    return {.value = static_cast<int>(known - names_.begin())};
  }
  papi_answer make_set(int thread_id) override {
    if (threads_that_ended.contains(thread_id)) {
      return {.problem = "PAPI_attach failed: no such thread"};
    }
    sets[next_] = {.thread_id = thread_id};
    return {.value = next_++};
  }
  std::string add(int set, int event) override {
    EXPECT_FALSE(sets.at(set).is_running) << "PAPI refuses to change a set that runs";
    if (cannot_be_added.contains(names_.at(static_cast<std::size_t>(event)))) {
      return "PAPI_add_event failed: Event does not exist (error -7)";
    }
    sets.at(set).events.push_back(event);
    return {};
  }
  void remove(int set, int event) override { std::erase(sets.at(set).events, event); }
  std::string start(int set) override {
    for (const int event : sets.at(set).events) {
      if (cannot_be_started.contains(names_.at(static_cast<std::size_t>(event)))) {
        return "PAPI_start failed: conflict";
      }
    }
    sets.at(set).is_running = true;
    since_[set] = counted[sets.at(set).thread_id];
    return {};
  }
  std::optional<std::vector<std::int64_t>> read(int set, std::size_t num_events) override {
    const event_set& asked = sets.at(set);
    EXPECT_EQ(num_events, asked.events.size());
    if (!delivers || threads_that_ended.contains(asked.thread_id)) {
      return std::nullopt;
    }
    if (asked.thread_id == ::gettid()) {
      counted[asked.thread_id] += 10;  // known work
    }
    std::vector<std::int64_t> values;
    for (const int event : asked.events) {
      const bool moves = !stay_zero.contains(names_.at(static_cast<std::size_t>(event)));
      values.push_back(moves ? counted[asked.thread_id] - since_[set] : 0);
    }
    return values;
  }
  void stop(int set, std::size_t /*num_events*/) override { sets.at(set).is_running = false; }
  void destroy(int set) override { sets.erase(set); }

 private:
  std::vector<std::string> names_;
  std::map<int, std::int64_t> since_;
  int next_ = 0;
};

class PapiFamilies : public testing::Test {
 protected:
  PapiFamilies() {
    root_.write("proc/self/task/41/comm", "a").write("proc/self/task/42/comm", "b");
  }
  [[nodiscard]] std::unique_ptr<counter> begin(const std::string& name) const {
    auto made = families_.make(name);
    reset(*made);
    return made;
  }
  [[nodiscard]] std::string reason_of(const std::string& name) const {
    return read(*begin(name)).reason;
  }

  weft::test::fake_root root_;
  lying_papi papi_;
  std::vector<worker_thread> workers_{{.pool = "default", .worker = 0, .thread_id = 41}};
  planted_families families_{papi_families(
      {.papi = &papi_, .root = root_.path(), .workers = [this] { return workers_; }})};
};

TEST(PapiFamiliesHere, every_listed_event_has_a_value_or_a_reason) {
  const planted_families here(papi_families());
  const std::vector<std::string> names = here.instances("/papi/PAPI_TOT_INS");
  EXPECT_THAT(names, Contains("/papi{locality#0/total}/PAPI_TOT_INS"));

  for (const std::string& name : names) {
    const auto made = here.make(name);
    reset(*made);
    const auto value = read(*made);
    EXPECT_NE(value.value.has_value(), !value.reason.empty()) << name;
  }
}

TEST_F(PapiFamilies, totals_sum_threads_and_workers_count_alone) {
  const auto total = begin("/papi/PAPI_TOT_INS");
  const auto worker = begin("/papi{locality#0/worker-thread#0}/PAPI_TOT_INS");

  papi_.counted[41] += 100;
  papi_.counted[42] += 1000;

  EXPECT_EQ(number_of(read(*total)), 1100);
  EXPECT_EQ(number_of(read(*worker)), 100);
}

TEST_F(PapiFamilies, an_event_with_a_code_that_cannot_be_added_is_unavailable) {
  papi_.cannot_be_added = {"OFFCORE_REQUESTS:ALL_DATA_RD"};

  EXPECT_THAT(reason_of("/papi/OFFCORE_REQUESTS:ALL_DATA_RD"),
              AllOf(HasSubstr("cannot count it here"), HasSubstr("Event does not exist")));
  EXPECT_THAT(reason_of("/papi/PAPI_TOT_INS"), IsEmpty());
}

TEST_F(PapiFamilies, an_event_that_cannot_be_started_leaves_the_others_running) {
  papi_.cannot_be_started = {"PAPI_FP_OPS"};
  workers_[0].thread_id = ::gettid();  // so that the proof touches the worker's set
  const auto instructions = begin("/papi{locality#0/worker-thread#0}/PAPI_TOT_INS");

  EXPECT_THAT(reason_of("/papi{locality#0/worker-thread#0}/PAPI_FP_OPS"), HasSubstr("PAPI_start"));

  EXPECT_GT(number_of(read(*instructions)), 0);
}

TEST_F(PapiFamilies, events_that_start_and_stay_zero_are_unavailable) {
  papi_.stay_zero = {"PAPI_TOT_INS", "PAPI_L3_TCM"};

  EXPECT_THAT(reason_of("/papi/PAPI_TOT_INS"), HasSubstr("stays 0 while known work runs"));
  EXPECT_THAT(reason_of("/papi/PAPI_L3_TCM"), HasSubstr("stays 0 while known work runs"));
}

TEST_F(PapiFamilies, an_event_may_be_zero_where_others_count) {
  papi_.stay_zero = {"PAPI_L3_TCM"};

  EXPECT_EQ(number_of(read(*begin("/papi/PAPI_L3_TCM"))), 0);
}

TEST_F(PapiFamilies, events_added_later_do_not_disturb_those_that_count) {
  const auto instructions = begin("/papi{locality#0/worker-thread#0}/PAPI_TOT_INS");
  papi_.counted[41] += 100;
  const auto cycles = begin("/papi{locality#0/worker-thread#0}/PAPI_TOT_CYC");
  papi_.counted[41] += 7;

  EXPECT_EQ(number_of(read(*instructions)), 107);
  EXPECT_EQ(number_of(read(*cycles)), 7);
  EXPECT_EQ(papi_.sets.size(), 1u);  // PAPI runs one set per thread
}

TEST_F(PapiFamilies, resets_of_one_counter_do_not_show_in_another) {
  const auto first = begin("/papi/PAPI_TOT_INS");
  const auto second = begin("/papi/PAPI_TOT_INS");
  papi_.counted[41] += 100;
  reset(*first);
  papi_.counted[41] += 7;

  EXPECT_EQ(number_of(read(*first)), 7);
  EXPECT_EQ(number_of(read(*second)), 107);
}

TEST_F(PapiFamilies, a_thread_that_begins_later_counts_from_when_it_is_found) {
  const auto total = begin("/papi/PAPI_TOT_INS");
  root_.write("proc/self/task/43/comm", "c");
  papi_.counted[43] = 500;

  EXPECT_EQ(number_of(read(*total)), 0);
  papi_.counted[43] += 20;
  EXPECT_EQ(number_of(read(*total)), 20);
}

TEST_F(PapiFamilies, a_thread_that_ends_keeps_what_it_had) {
  const auto total = begin("/papi/PAPI_TOT_INS");
  papi_.counted[42] += 50;
  EXPECT_EQ(number_of(read(*total)), 50);

  std::filesystem::remove_all(root_.path() / "proc/self/task/42");
  papi_.threads_that_ended = {42};

  EXPECT_EQ(number_of(read(*total)), 50);
}

TEST_F(PapiFamilies, a_papi_that_stops_delivering_is_unavailable) {
  const auto total = begin("/papi/PAPI_TOT_INS");
  papi_.delivers = false;

  EXPECT_THAT(read(*total).reason, HasSubstr("no longer delivers"));
}

TEST_F(PapiFamilies, without_papi_every_event_has_its_reason) {
  papi_.absent = "PAPI cannot be loaded";

  EXPECT_THAT(reason_of("/papi/PAPI_TOT_INS"), HasSubstr("cannot be loaded"));
  EXPECT_TRUE(papi_.sets.empty());
}

TEST_F(PapiFamilies, sets_end_with_their_counters) {
  {
    const auto total = begin("/papi/PAPI_TOT_INS");
    EXPECT_EQ(papi_.sets.size(), 2u);
  }
  EXPECT_TRUE(papi_.sets.empty());
}

TEST_F(PapiFamilies, a_first_reading_without_reset_is_no_zero) {
  EXPECT_THAT(read(*families_.make("/papi/PAPI_TOT_INS")).reason,
              HasSubstr("counting begins with this reading"));
}

}  // namespace papi_families_test
