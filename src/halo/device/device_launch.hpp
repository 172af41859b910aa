// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes that are copied together repeatedly. Their descriptors stay on the device.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "halo/device/device.hpp"
#include "halo/device/device_batches.hpp"

namespace weft::halo::detail {

/// Returns the largest power of two, at most 16, that divides all addresses.
[[nodiscard]] std::size_t common_alignment(std::span<std::byte* const> addresses);

/// The addresses of one exchange.
struct launch_places {
  std::byte* buffer = nullptr;
  std::span<std::byte* const> fields = {};
  std::size_t alignment = 1;  // of all fields
};

class launch {
 public:
  launch() = default;
  /// Uploads the descriptors for aligned fields now; others are uploaded when first needed.
  launch(device& on, std::vector<box_move> boxes);

  [[nodiscard]] bool is_empty() const noexcept { return boxes_.empty(); }
  /// One launch, or several if the fields are more than one launch has pointers.
  void run(const launch_places& where, device_queue* in);

 private:
  struct uploaded {
    device_memory memory;
    device_moves what;
    std::vector<std::size_t> fields;
  };
  const std::vector<uploaded>& batches_for(std::size_t alignment);

  device* on_ = nullptr;
  std::vector<box_move> boxes_;
  std::array<std::optional<std::vector<uploaded>>, 5> by_alignment_;  // 1, 2, 4, 8, 16
};

}  // namespace weft::halo::detail
