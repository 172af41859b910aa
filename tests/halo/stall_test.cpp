// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank that does not call an exchange is named by those that wait for it.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/base/message.hpp"
#include "weft/halo.h"
#include "weft/halo.hpp"
#include "weft/halo/cuda.hpp"

#include "halo/device/device.hpp"
#include "halo/emulated_device.hpp"

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

/// Rank 1 calls `late` only after rank 0 has said that it waits, and `early` before.
std::string said_of(const std::function<void()>& late, const std::function<void()>& early = [] {}) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  told().clear();
  const message_sink former = rank == 0 ? set_message_sink(&take) : nullptr;
  early();
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
  std::vector<double> other_cells_ = std::vector<double>(10);
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

TEST_F(Stall, a_rank_that_does_not_exchange_its_channels_is_named) {
  for (const carrier by : {carrier::messages, carrier::one_sided, carrier::shared_memory}) {
    channels<1> net(grid_, by, patience);
    const unsigned made_at = __LINE__ - 1;
    const auto bytes = std::as_writable_bytes(std::span(cells_));
    for (const int side : {-1, 1}) {
      net.send_to({side}, bytes.first(8));
      net.receive_from({side}, bytes.last(8));
    }
    net.exchange();

    expect_said(said_of([&] { net.exchange(); }), 2, made_at);
    const auto end = [&] {
      net.do_sends();
      net.wait();
    };
    expect_said(said_of(end, [&] { net.post_receives(); }), 3, made_at);
  }
}

TEST_F(Stall, a_rank_that_does_not_receive_what_channels_sent_is_named) {
  const std::vector<std::byte> large(std::size_t{1} << 22);  // MPI keeps no copy of so much
  std::vector<std::byte> into(large.size());
  for (const carrier by : {carrier::messages, carrier::shared_memory}) {
    channels<1> net(grid_, by, patience);
    const unsigned made_at = __LINE__ - 1;
    if (grid_.rank() == 0) {
      net.send_to({1}, large);
    } else {
      net.receive_from({-1}, into);
    }
    net.exchange();
    const bool runs_ahead = by == carrier::shared_memory;  // by two exchanges

    expect_said(said_of([&] {
                  for (int n = 0; n < (runs_ahead ? 3 : 1); ++n) {
                    net.exchange();
                  }
                }),
                runs_ahead ? 4 : 2,
                made_at);
  }
}

/// Bytes for each neighbour.
struct some_bytes {
  std::size_t num;

  [[nodiscard]] std::size_t size(const std::array<int, 1>& /*towards*/) const { return num; }
  void gather(const std::array<int, 1>& /*towards*/, std::span<std::byte> into) const {
    std::ranges::fill(into, std::byte{1});
  }
  void scatter(const std::array<int, 1>& /*from*/, std::span<const std::byte> bytes) const {
    EXPECT_EQ(bytes.size(), num);
  }
};

TEST_F(Stall, a_rank_that_does_not_exchange_its_data_is_named) {
  for (const std::size_t num : {std::size_t{8}, std::size_t{1} << 22}) {
    some_bytes data{num};
    data_exchange<1> ex(grid_, directions::all, patience);
    const unsigned made_at = __LINE__ - 1;
    ex(data);

    expect_said(said_of([&] { ex(data); }), 2, made_at);
    if (num > 8) {  // else it has arrived
      expect_said(said_of([&] { ex.wait(data); }, [&] { ex.start(data); }), 3, made_at);
    }
  }
}

class StalledDevice : public Stall {
 protected:
  using on_gpu = exchange<double, layout::right<1>, cuda>;

  void TearDown() override { current_emulated_device() = former_; }

  /// One whose memory MPI reads, or does not.
  void use_device(detail::mpi_support::answer mpi_says) {
    current_emulated_device() = std::make_shared<emulated_device>(mpi_says);
  }
  [[nodiscard]] static cuda_stream stream_of(const detail::owned_queue& queue) {
    return reinterpret_cast<cuda_stream>(queue.get());
  }
  [[nodiscard]] static detail::device_memory field() {
    return detail::allocate_on(*current_emulated_device(), 10 * sizeof(double));
  }

 private:
  std::shared_ptr<emulated_device> former_ = current_emulated_device();
};

TEST_F(StalledDevice, a_rank_that_does_not_exchange_is_named) {
  struct way {
    detail::mpi_support::answer mpi_says;
    packing how;
  };
  for (const auto& [mpi_says, how] :
       {way{detail::mpi_support::answer::no, packing::automatic},
        way{detail::mpi_support::answer::yes, packing::automatic},
        way{detail::mpi_support::answer::yes, packing::mpi_datatype}}) {
    use_device(mpi_says);
    const detail::owned_queue queue = detail::queue_of(*current_emulated_device());
    const detail::device_memory memory = field();
    auto* const cells = reinterpret_cast<double*>(memory.get());
    on_gpu ex(grid_, box_, {.packing = how, .patience = patience});
    const unsigned made_at = __LINE__ - 1;
    ex(stream_of(queue), cells);

    expect_said(said_of([&] { ex(stream_of(queue), cells); }), 2, made_at);
  }
}

TEST_F(StalledDevice, a_device_that_does_not_come_to_it_is_named) {
  use_device(detail::mpi_support::answer::no);
  const detail::owned_queue queue = detail::queue_of(*current_emulated_device());
  const detail::device_memory memory = field();
  auto* const cells = reinterpret_cast<double*>(memory.get());
  on_gpu ex(grid_, box_, {.patience = grid_.rank() == 0 ? patience : default_patience});
  const unsigned made_at = __LINE__ - 1;
  told().clear();
  const message_sink former = grid_.rank() == 0 ? set_message_sink(&take) : nullptr;

  if (grid_.rank() == 0) {
    int is_here = 0;
    while (is_here == 0) {  // what rank 1 sends
      MPI_Iprobe(1, MPI_ANY_TAG, grid_.communicator(), &is_here, MPI_STATUS_IGNORE);
    }
    std::atomic<bool> may_end = false;
    current_emulated_device()->run(queue.get(), [&] { may_end.wait(false); });
    auto under_way = ex.start(stream_of(queue), cells);
    while (told().empty()) {
      under_way.progress();
    }
    may_end.store(true);
    may_end.notify_all();
    under_way.wait();
    set_message_sink(former);
  } else {
    ex.start(stream_of(queue), cells).wait();
    MPI_Recv(nullptr, 0, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  EXPECT_EQ(told(),
            grid_.rank() != 0 ? ""
                              : "weft: rank 0 has waited 0.02 s for its own device in exchange 1 "
                                "(made at stall_test.cpp:" +
                                    std::to_string(made_at) + ")\n");
}

TEST_F(Stall, c_programs_say_how_long_and_where) {
  const int free = 0;
  const int periodic = 1;
  weft_halo_grid* grid = nullptr;
  ASSERT_EQ(weft_halo_grid_create(MPI_COMM_WORLD, 1, &free, &periodic, nullptr, &grid), 0);
  const weft_halo_axis box = weft_halo_inner(8, 1, 1);
  weft_halo_options options = weft_halo_default_options();
  EXPECT_EQ(options.patience_s, 30);
  options.patience_s = 0.02;
  options.made_at = WEFT_HALO_HERE;
  const unsigned made_at = __LINE__ - 1;
  weft_halo_exchange* ex = nullptr;
  ASSERT_EQ(weft_halo_exchange_create(grid, &box, WEFT_HALO_RIGHT, sizeof(double), &options, &ex),
            0)
      << weft_halo_error_message();
  const std::array<void*, 2> fields{cells_.data(), other_cells_.data()};

  ASSERT_EQ(weft_halo_exchange_run(ex, 1, fields.data()), 0);
  expect_said(said_of([&] { weft_halo_exchange_run(ex, 1, fields.data()); }), 2, made_at);
  ASSERT_EQ(weft_halo_exchange_run(ex, 2, fields.data()), 0);  // by a plan of its own
  expect_said(said_of([&] {
                weft_halo_exchange_start(ex, 2, fields.data());
                for (int is_over = 0; is_over == 0;) {
                  weft_halo_exchange_test(ex, &is_over);
                }
              }),
              2,
              made_at);

  weft_halo_exchange_free(ex);
  weft_halo_grid_free(grid);
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
