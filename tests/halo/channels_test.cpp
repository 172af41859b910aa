// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers between neighbours: each arrives where it was meant to go, also where both sides are the
// same rank.
#include "weft/halo/channels.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo/cart.hpp"

#include "halo/caught.hpp"

namespace weft::halo::test {
namespace channels_test {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

constexpr std::array all_carriers{carrier::messages, carrier::one_sided, carrier::shared_memory};

std::vector<std::array<int, 2>> all_directions() {
  std::vector<std::array<int, 2>> found;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      if (i != 0 || j != 0) {
        found.push_back({i, j});
      }
    }
  }
  return found;
}

/// What `rank` sends towards `towards`: nobody else sends the same.
int number_of(int rank, const std::array<int, 2>& towards, int round) {
  return round * 1000 + rank * 10 + (towards[0] + 1) * 3 + towards[1] + 1;
}

void expect_all_arrive(const cart<2>& grid, carrier by) {
  channels<2> net(grid, by);
  const auto directions = all_directions();
  std::vector<int> out(directions.size());
  std::vector<std::array<int, 2>> in(directions.size());
  for (std::size_t n = 0; n < directions.size(); ++n) {
    net.send_to(directions[n], std::as_bytes(std::span(&out[n], 1)));
    net.receive_from(directions[n], in[n].data(), 1, MPI_INT);
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t n = 0; n < directions.size(); ++n) {
      out[n] = number_of(grid.rank(), directions[n], round);
      in[n] = {-1, -1};
    }
    net.exchange();
    for (std::size_t n = 0; n < directions.size(); ++n) {
      const std::array<int, 2> back{-directions[n][0], -directions[n][1]};
      const auto from = grid.neighbour(directions[n]);
      EXPECT_EQ(in[n][0], from.has_value() ? number_of(*from, back, round) : -1);
      EXPECT_EQ(in[n][1], -1);
    }
  }
}

TEST(Channels, every_buffer_arrives_on_a_torus) {
  for (const carrier by : all_carriers) {
    expect_all_arrive(cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}), by);
  }
}

TEST(Channels, buffers_to_nobody_are_ignored) {
  for (const carrier by : all_carriers) {
    expect_all_arrive(cart<2>(MPI_COMM_WORLD), by);
  }
}

void expect_sizes_may_change(carrier by) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  channels<1> net(ring, by);
  std::array<double, 4> out{5, 6, 7, 8};
  std::array<double, 4> in{};
  net.send_to<1>(out.data(), 4, MPI_DOUBLE);
  net.receive_from<-1>(in.data(), 4, MPI_DOUBLE);
  net.exchange();
  EXPECT_THAT(in, testing::ElementsAre(5, 6, 7, 8));

  out = {1, 2, 3, 4};
  net.resize_send({1}, 2);
  net.resize_receive({-1}, 2);
  net.post_receives();
  net.do_sends();
  net.wait();
  EXPECT_THAT(in, testing::ElementsAre(1, 2, 7, 8));

  net.resize_send({1}, 0);
  net.resize_receive({-1}, 0);
  net.exchange();
  EXPECT_THAT(in, testing::ElementsAre(1, 2, 7, 8));

  net.resize_send({1}, 4);
  net.resize_receive({-1}, 4);
  net.exchange();
  EXPECT_THAT(in, testing::ElementsAre(1, 2, 3, 4));
}

TEST(Channels, sizes_may_change_between_exchanges) {
  for (const carrier by : all_carriers) {
    expect_sizes_may_change(by);
  }
}

void expect_differing_sizes_to_be_errors(carrier by) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  channels<1> net(ring, by);
  std::array<double, 4> out{};
  std::array<double, 4> in{};
  net.send_to<1>(out.data(), 2, MPI_DOUBLE);
  net.receive_from<-1>(in.data(), 4, MPI_DOUBLE);

  EXPECT_THAT(error_of([&] { net.exchange(); }), HasSubstr("sends 16 B, 32 B are expected"));

  net.resize_send({1}, 0);
  EXPECT_THAT(error_of([&] { net.exchange(); }), HasSubstr("sends 0 B, 32 B are expected"));

  net.resize_receive({-1}, 2);
  net.resize_send({1}, 4);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(error_of([&] { net.exchange(); }),
                AnyOf(HasSubstr("sends 32 B, 16 B are expected"),
                      HasSubstr("sends more than the 16 B of the buffer for it")));
  }

  net.resize_receive({-1}, 4);
  out = {1, 2, 3, 4};
  net.exchange();
  EXPECT_EQ(in, out);
}

TEST(Channels, sizes_that_differ_are_an_error) {
  for (const carrier by : all_carriers) {
    expect_differing_sizes_to_be_errors(by);
  }
}

TEST(Channels, memory_to_land_in_does_not_grow) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  std::array<double, 4> data{};
  for (const carrier by : {carrier::one_sided, carrier::shared_memory}) {
    channels<1> net(ring, by);
    net.send_to<1>(data.data(), 1, MPI_DOUBLE);
    net.receive_from<-1>(&data[2], 1, MPI_DOUBLE);
    net.exchange();
    net.resize_receive({-1}, 2);
    EXPECT_THAT(error_of([&] { net.exchange(); }),
                HasSubstr("grew from 8 to 16 B after the first exchange; register the largest"));
  }
}

TEST(Channels, growing_on_one_rank_fails_there_alone) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  for (const carrier by : {carrier::one_sided, carrier::shared_memory}) {
    channels<1> net(ring, by);
    std::array<double, 2> out{1, 2};
    std::array<double, 2> in{};
    std::array<double, 2> unasked{};
    net.send_to<1>(out.data(), 1, MPI_DOUBLE);
    net.receive_from<-1>(in.data(), 1, MPI_DOUBLE);
    net.exchange();
    for (int round = 0; round < 3; ++round) {
      in = {};
      if (ring.rank() == 0) {
        net.resize_receive({-1}, 2);
        EXPECT_THAT(error_of([&] { net.exchange(); }), HasSubstr("grew from 8 to 16 B"));
        EXPECT_EQ(in[0], 0);
        net.resize_receive({-1}, 1);
      } else {
        net.exchange();
        EXPECT_EQ(in[0], 1);
      }
    }
    net.exchange();
    EXPECT_THAT(in, testing::ElementsAre(1, 0));
    if (ring.rank() == 0) {
      net.receive_from<1>(unasked.data(), 1, MPI_DOUBLE);
      EXPECT_THAT(error_of([&] { net.exchange(); }), HasSubstr("grew from 0 to 8 B"));
    } else {
      net.exchange();
    }
  }
}

TEST(Channels, stores_let_messages_of_the_program_arrive) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  if (ring.size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  std::array<double, 2> data{1, 0};
  channels<1> net(ring, carrier::shared_memory);
  net.send_to<1>(data.data(), 1, MPI_DOUBLE);
  net.receive_from<-1>(&data[1], 1, MPI_DOUBLE);
  net.exchange();
  std::vector<double> large(200'000, ring.rank());
  MPI_Request sent = MPI_REQUEST_NULL;
  const auto size = static_cast<int>(large.size());
  if (ring.rank() == 0) {
    MPI_Isend(large.data(), size, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &sent);
  } else if (ring.rank() == 1) {
    MPI_Recv(large.data(), size, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(large.back(), 0);
  }

  net.exchange();

  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  EXPECT_EQ(data[1], 1);
}

TEST(Channels, buffers_that_nobody_waits_for_are_an_error) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  std::array<double, 4> data{};
  channels<1> net(ring, carrier::shared_memory);
  net.send_to<1>(data.data(), 1, MPI_DOUBLE);
  EXPECT_THAT(error_of([&] { net.exchange(); }),
              AllOf(HasSubstr("sends 8 B in direction (+1)"), HasSubstr("registered no buffer")));
}

TEST(Channels, those_that_end_under_way_let_messages_arrive) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  std::vector<double> out(100'000, ring.rank() + 1.0);
  std::vector<double> in(out.size());
  const auto end_after = [&](bool sends, carrier by = carrier::messages) {
    channels<1> net(ring, by);
    net.send_to<1>(std::as_bytes(std::span(out)));
    net.receive_from<-1>(std::as_writable_bytes(std::span(in)));
    net.post_receives();
    if (sends) {
      net.do_sends();
    }
  };

  end_after(false);
  EXPECT_EQ(in, std::vector<double>(out.size()));

  end_after(true);
  EXPECT_EQ(in, std::vector<double>(out.size(), ring.neighbour<-1>().value_or(-1) + 1.0));

  for (const carrier by : {carrier::one_sided, carrier::shared_memory}) {
    end_after(false, by);
    end_after(true, by);
  }
}

TEST(Channels, mistakes_have_sentences) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  channels<1> net(ring);
  std::array<double, 4> data{};

  EXPECT_THAT(error_of([&] { net.send_to({2}, std::as_bytes(std::span(data))); }),
              HasSubstr("(+2) is no direction"));
  EXPECT_THAT(error_of([&] { net.send_to({0}, std::as_bytes(std::span(data))); }),
              HasSubstr("(0) is no direction"));
  EXPECT_THAT(error_of([&] { net.send_to({1}, nullptr, 3, MPI_INT); }),
              HasSubstr("is a null pointer"));
  const std::ptrdiff_t many = std::ptrdiff_t{1} << 31;
  EXPECT_THAT(error_of([&] { net.send_to({1}, data.data(), many, MPI_CHAR); }),
              HasSubstr("2147483648 elements of an MPI datatype, of which MPI counts 2^31 - 1"));
  EXPECT_THAT(error_of([&] { net.resize_send({1}, 3); }), HasSubstr("register it first"));
  EXPECT_THAT(error_of([&] { net.do_sends(); }), HasSubstr("without post_receives()"));
  EXPECT_THAT(error_of([&] { net.wait(); }), HasSubstr("wait() without"));
  net.send_to<1>(data.data(), 1, MPI_DOUBLE);
  EXPECT_THAT(error_of([&] { net.resize_send({1}, -1); }), HasSubstr("a size cannot be negative"));
  EXPECT_THAT(error_of([&] { net.resize_send({1}, many); }), HasSubstr("pass bytes, or put"));
  net.receive_from<-1>(&data[2], 1, MPI_DOUBLE);
  net.post_receives();
  EXPECT_THAT(error_of([&] { net.post_receives(); }), HasSubstr("receives are posted already"));
  net.do_sends();
  EXPECT_THAT(error_of([&] { net.do_sends(); }), HasSubstr("sends are under way already"));
  EXPECT_THAT(error_of([&] { net.resize_send({1}, 0); }), HasSubstr("buffers are under way"));
  net.wait();
}

}  // namespace channels_test
}  // namespace weft::halo::test
