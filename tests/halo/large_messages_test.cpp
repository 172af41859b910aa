// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages of more than 2^31 bytes: every one of them arrives.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"

namespace weft::halo::test {
namespace large_messages_test {

// Two fields of so many cells make a message that an int cannot count.
constexpr std::ptrdiff_t width = (std::ptrdiff_t{1} << 27) + 1000;
constexpr std::ptrdiff_t field_bytes = width * static_cast<std::ptrdiff_t>(sizeof(double));
constexpr std::ptrdiff_t message_bytes = 2 * field_bytes;
static_assert(message_bytes > std::numeric_limits<std::int32_t>::max());

/// Zeros that cost no memory before they are written.
class lazy_memory {
 public:
  explicit lazy_memory(std::ptrdiff_t bytes)
      : bytes_(static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes), 1))) {}
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  struct release {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, release> bytes_;
};

constexpr std::ptrdiff_t block_bytes = 1 << 20;

/// Calls `body(block, number)` for each MiB.
template <class Byte, class Body>
void for_blocks(Byte* data, std::ptrdiff_t bytes, std::uint64_t number, const Body& body) {
  for (std::ptrdiff_t at = 0; at < bytes; at += block_bytes) {
    body(std::span(data + at, static_cast<std::size_t>(std::min(block_bytes, bytes - at))),
         ++number);
  }
}

/// Each MiB is another one: its number, then bytes that it determines. By calls that are fast in
/// unoptimised builds, too.
void fill(std::byte* data, std::ptrdiff_t bytes, std::uint64_t number) {
  for_blocks(data, bytes, number, [](std::span<std::byte> block, std::uint64_t own) {
    std::memset(block.data(), static_cast<int>(own % 251 + 1), block.size());
    std::memcpy(block.data(), &own, sizeof(own));
  });
}

std::ptrdiff_t num_wrong_blocks(const std::byte* data, std::ptrdiff_t bytes, std::uint64_t number) {
  std::ptrdiff_t wrong = 0;
  for_blocks(data, bytes, number, [&](std::span<const std::byte> block, std::uint64_t own) {
    const auto rest = block.subspan(sizeof(own));
    const bool is_right = std::memcmp(block.data(), &own, sizeof(own)) == 0 &&
                          std::to_integer<std::uint64_t>(rest.front()) == own % 251 + 1 &&
                          std::memcmp(rest.data(), rest.data() + 1, rest.size() - 1) == 0;
    wrong += is_right ? 0 : 1;
  });
  return wrong;
}

std::int64_t free_bytes() {
  std::ifstream told("/proc/meminfo");
  for (std::string line; std::getline(told, line);) {
    if (line.starts_with("MemAvailable:")) {
      return std::strtoll(line.c_str() + sizeof("MemAvailable"), nullptr, 10) * 1024;
    }
  }
  return 0;
}

/// Two ranks, of which the second one receives from the first.
class LargeMessages : public testing::Test {
 protected:
  void SetUp() override {
    if (grid_.size() != 2) {
      GTEST_SKIP() << "needs 2 ranks";
    }
    // What rank 0 says: all go on or none.
    int has_room = free_bytes() > 5 * message_bytes ? 1 : 0;
    MPI_Bcast(&has_room, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (has_room == 0) {
      GTEST_SKIP() << "needs 10.7 GB of free memory";
    }
  }
  [[nodiscard]] bool is_sender() const { return grid_.rank() == 0; }

  const cart<1> grid_{MPI_COMM_WORLD};
};

TEST_F(LargeMessages, of_fields_arrive_whole) {
  const axes<1> box{axis::inner(width).halo(width, 0)};
  for (const packing how : {packing::loops, packing::direct}) {
    const std::array<lazy_memory, 2> memory{lazy_memory(2 * field_bytes),
                                            lazy_memory(2 * field_bytes)};
    std::array<double*, 2> fields{};
    for (std::size_t n = 0; n < 2; ++n) {
      fields[n] = reinterpret_cast<double*>(memory[n].data());
      if (is_sender()) {
        fill(memory[n].data() + field_bytes, field_bytes, n * 10'000);
      }
    }
    exchange<double, layout::right<1>> ex(
        grid_, box, {.packing = how, .transport = transport::messages, .max_fields = 2});

    ex(fields[0], fields[1]);

    for (std::size_t n = 0; n < 2 && !is_sender(); ++n) {
      EXPECT_EQ(num_wrong_blocks(memory[n].data(), field_bytes, n * 10'000), 0) << to_string(how);
    }
    EXPECT_NE(ex.report().find((is_sender() ? "sends " : "receives ") +
                               std::to_string(message_bytes) + " B"),
              std::string::npos)
        << ex.report();
  }
}

TEST_F(LargeMessages, of_buffers_arrive_whole) {
  const lazy_memory memory(message_bytes);
  const std::span<std::byte> bytes(memory.data(), static_cast<std::size_t>(message_bytes));
  channels<1> net(grid_);
  if (is_sender()) {
    fill(memory.data(), message_bytes, 0);
    net.send_to({1}, bytes);
  } else {
    net.receive_from({-1}, bytes);
  }

  net.exchange();

  EXPECT_EQ(num_wrong_blocks(memory.data(), message_bytes, 0), 0);
}

struct large_data {
  bool is_sender;
  bool has_come = false;

  [[nodiscard]] std::size_t size(const std::array<int, 1>& /*towards*/) const {
    return is_sender ? static_cast<std::size_t>(message_bytes) : 0;
  }
  void gather(const std::array<int, 1>& /*towards*/, std::span<std::byte> into) const {
    fill(into.data(), std::ssize(into), 0);
  }
  void scatter(const std::array<int, 1>& /*from*/, std::span<const std::byte> bytes) {
    EXPECT_EQ(std::ssize(bytes), is_sender ? 0 : message_bytes);
    EXPECT_EQ(num_wrong_blocks(bytes.data(), std::ssize(bytes), 0), 0);
    has_come = true;
  }
};

TEST_F(LargeMessages, of_data_of_the_program_s_own_arrive_whole) {
  large_data data{.is_sender = is_sender()};
  data_exchange<1> exchange(grid_);

  exchange(data);

  EXPECT_TRUE(data.has_come);
}

}  // namespace large_messages_test
}  // namespace weft::halo::test
