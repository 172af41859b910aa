// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the counters /parcels, /messages and /data, with all ranks in one process.
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "weft/counters/session.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/runtime.hpp"
#include "weft/tasks/future.hpp"

#include "tests/distributed/ranks.hpp"

namespace wd = weft::distributed;

namespace {

int counted_call(int number) { return number + 1; }
std::size_t length_of(const std::vector<double>& all) { return all.size(); }

void call_repeatedly(int num_calls, int to) {
  for (int i = 0; i < num_calls; ++i) {
    EXPECT_EQ(wd::async<&counted_call>(wd::locality(to), i).get(), i + 1);
  }
}

/// Returns what each of two ranks exchanged while the first did `body`.
template <class F>
std::vector<wd::detail::traffic> traffic_of(F body) {
  weft::test::ranks job({});
  job.run([&] {
    if (wd::here().rank() == 0) {
      body();
    }
  });
  return {job.engine(0).exchanged(), job.engine(1).exchanged()};
}

}  // namespace

TEST(MessageCounters, calls_and_their_results_are_parcels_of_both_ranks) {
  const auto traffic = traffic_of([] { call_repeatedly(10, 1); });

  for (const wd::detail::traffic& each : traffic) {
    EXPECT_EQ(each.parcels_sent, 10);
    EXPECT_EQ(each.parcels_received, 10);
  }
  EXPECT_EQ(traffic[0].bytes_sent, traffic[1].bytes_received);
  EXPECT_EQ(traffic[1].messages_sent, traffic[0].messages_received);
}

TEST(MessageCounters, a_ranks_calls_of_itself_are_no_parcels) {
  const auto traffic = traffic_of([] { call_repeatedly(10, 0); });

  EXPECT_EQ(traffic[0].parcels_sent, 0);
  EXPECT_EQ(traffic[0].parcels_received, 0);
}

TEST(MessageCounters, large_arguments_count_as_bytes) {
  static constexpr std::size_t num_elements = 100'000;
  const auto traffic = traffic_of([] {
    const std::vector<double> large(num_elements);
    EXPECT_EQ(wd::async<&length_of>(wd::locality(1), large).get(), num_elements);
  });

  constexpr std::size_t headers = 1'000;
  EXPECT_GE(traffic[0].bytes_sent, num_elements * sizeof(double));
  EXPECT_LE(traffic[0].bytes_sent, num_elements * sizeof(double) + headers);
  EXPECT_EQ(traffic[1].bytes_received, traffic[0].bytes_sent);
  EXPECT_LE(traffic[0].bytes_received, headers);
}

TEST(MessageCounters, have_hpxs_names_and_stay_when_the_runtime_has_ended) {
  wd::runtime_options options;
  options.always_serialize = true;
  std::optional<weft::counters::session> counted;
  {
    const wd::runtime job(options);
    counted.emplace(std::initializer_list<std::string_view>{"/parcels/count/mpi/sent",
                                                            "/parcels/count/mpi/received",
                                                            "/messages/count/mpi/sent",
                                                            "/messages/count/mpi/received",
                                                            "/data/count/mpi/sent",
                                                            "/data/count/mpi/received"});
    call_repeatedly(3, 0);
    EXPECT_EQ(counted->evaluate().number_of("/parcels/count/mpi/sent"), 6);
  }
  {
    const wd::runtime job(options);
    call_repeatedly(1, 0);
  }

  const auto now = counted->evaluate();

  EXPECT_EQ(now.number_of("/parcels/count/mpi/sent"), 8);
  EXPECT_EQ(now.number_of("/parcels/count/mpi/received"), 8);
  EXPECT_EQ(now.number_of("/messages/count/mpi/sent"), 8);
  EXPECT_EQ(now.number_of("/messages/count/mpi/received"), 8);
  EXPECT_GT(now.number_of("/data/count/mpi/sent"), 8 * sizeof(wd::detail::frame_header));
  EXPECT_EQ(now.number_of("/data/count/mpi/received"), now.number_of("/data/count/mpi/sent"));
}
