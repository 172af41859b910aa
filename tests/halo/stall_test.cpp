// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank that does not call an exchange is named by those that wait for it.
#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/base/message.hpp"
#include "weft/halo.hpp"

namespace weft::halo::test {
namespace stall_test {

using testing::HasSubstr;
using line = exchange<double, layout::right<1>>;

constexpr int tag = 7;
constexpr auto patience = std::chrono::milliseconds(20);

std::string& told() {
  static std::string text;
  return text;
}

/// Rank 1 is told to go on as soon as rank 0 says that it waits.
void take(std::string_view text) noexcept {
  told() += text;
  MPI_Send(nullptr, 0, MPI_INT, 1, tag, MPI_COMM_WORLD);
}

/// Rank 1 calls `late` only after rank 0 has said that it waits.
std::string said_of(const std::function<void()>& late) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  told().clear();
  const message_sink former = rank == 0 ? set_message_sink(&take) : nullptr;
  if (rank == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  late();
  if (rank == 0) {
    set_message_sink(former);
  }
  return told();
}

class Stall : public testing::Test {
 protected:
  void SetUp() override {
    if (grid_.size() != 2) {
      GTEST_SKIP() << "needs 2 ranks";
    }
  }
  /// What rank 0 has to say, once; the other one nothing.
  void expect_said(const std::string& found, int exchange, unsigned made_at) const {
    const std::string words =
        "weft: rank 0 has waited 0.02 s for rank 1 in exchange " + std::to_string(exchange) +
        " (made at stall_test.cpp:" + std::to_string(made_at) + "); all ranks must call it\n";
    EXPECT_EQ(found, grid_.rank() == 0 ? words : "");
  }

  const cart<1> grid_{MPI_COMM_WORLD, {.periodic = {true}}};
  const axes<1> box_{axis::inner(8).halo(1)};
  std::vector<double> cells_ = std::vector<double>(10);
};

TEST_F(Stall, a_rank_that_does_not_exchange_is_named) {
  for (const transport by : {transport::automatic, transport::messages}) {
    const exchange_options how{.transport = by, .patience = patience};
    line ex(grid_, box_, how);
    const unsigned made_at = __LINE__ - 1;
    ex(cells_.data());

    expect_said(said_of([&] { ex(cells_.data()); }), 2, made_at);
    expect_said(said_of([&] {
                  auto under_way = ex.start(cells_.data());
                  while (!under_way.test()) {
                  }
                }),
                3,
                made_at);
    expect_said(said_of([&] {
                  ex.pack(cells_.data());
                  ex.start();
                  ex.wait();
                  ex.unpack(cells_.data());
                }),
                4,
                made_at);
  }
}

TEST_F(Stall, a_rank_that_does_not_exchange_its_parts_is_named) {
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {2}, .periodic = {true}});
  const std::vector<axes<1>> boxes(1, box_);
  const std::array<double*, 1> parts{cells_.data()};
  for (const transport by : {transport::automatic, transport::messages}) {
    const exchange_options how{.transport = by, .patience = patience};
    subdomain_exchange<double, layout::right<1>> ex(among, boxes, how);
    const unsigned made_at = __LINE__ - 1;
    ex(parts);

    expect_said(said_of([&] { ex(parts); }), 2, made_at);
  }
}

TEST_F(Stall, nothing_is_said_without_patience_to_lose) {
  line ex(grid_, box_, {.patience = {}});
  told().clear();
  const message_sink former = set_message_sink(&take);
  int rank_0_waits = 0;

  if (grid_.rank() == 0) {
    auto under_way = ex.start(cells_.data());
    for (int n = 0; n < 100'000; ++n) {
      under_way.progress();
    }
    MPI_Send(&rank_0_waits, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    under_way.wait();
  } else {
    MPI_Recv(&rank_0_waits, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ex(cells_.data());
  }

  set_message_sink(former);
  EXPECT_EQ(told(), "");
}

}  // namespace stall_test
}  // namespace weft::halo::test
