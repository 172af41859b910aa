// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A running exchange of one plan between the memories of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/device/device.hpp"
#include "halo/device/device_batches.hpp"
#include "halo/device/device_carrier.hpp"
#include "halo/device/device_launch.hpp"
#include "halo/device/device_legs.hpp"
#include "halo/device/device_probe.hpp"
#include "halo/exchange/stall_watch.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/overlaps.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// Cells are packed in one launch per phase, sent to the other ranks, and unpacked in one launch
/// per rank as they arrive. Cells that this rank sends to itself are copied in one launch per
/// stage. All of this runs in the exchange's own queues, between two marks in the user's queue.
///
/// Threads: as `engine`.
class device_exchange {
 public:
  device_exchange(std::shared_ptr<grid> processes,
                  const cuda_options& options,
                  std::shared_ptr<device> on,
                  std::vector<shape> fields,
                  const std::source_location& where);
  ~device_exchange();
  device_exchange(const device_exchange&) = delete;
  device_exchange& operator=(const device_exchange&) = delete;

  /// Starts after the work that is in `users` now. Errors: `halo::error` (`wrong_state`,
  /// `bad_field`).
  void begin(device_queue* users, std::span<std::byte* const> fields);
  /// Makes progress without waiting. Returns true when all messages are sent and received, and the
  /// remaining work is in queues of the device.
  bool advance();
  /// Calls `advance()` until it returns true.
  void finish();
  /// As `finish()`; work added to `users` from now on sees the filled halos.
  void then(device_queue* users);
  /// As `finish()`, but returns when the halos are filled.
  void wait();
  /// As `advance()`, but returns true only if the halos are filled.
  [[nodiscard]] bool test();

  [[nodiscard]] const std::vector<shape>& fields() const noexcept { return fields_; }
  [[nodiscard]] std::string report() const;

 private:
  enum class state : std::uint8_t { idle, under_way, leaving, failed };

  struct peer_legs {
    const link* what = nullptr;
    std::unique_ptr<leg> out = nullptr;  // null: no cells are sent there
    std::unique_ptr<leg> in = nullptr;
    launch unpack = {};
    bool is_unpacked = false;
    std::string path = {};
  };
  struct running_phase {
    device_memory out_buffer;
    device_memory in_buffer;
    launch pack;
    std::vector<peer_legs> peers;
  };

  [[nodiscard]] refusal trouble() const;
  void agree_on_ways(const std::source_location& where);
  void make_parts(std::span<const int> tags);
  void make_phase(const phase& what, int tag);
  void make_packed_phase(const phase& what, int tag);
  [[nodiscard]] std::unique_ptr<leg> make_leg(
      const link& with, std::ptrdiff_t base, bool is_out, int tag, std::vector<box_move>& moves);
  [[nodiscard]] std::string path() const;
  void make_locals();
  void check_fields(std::span<std::byte* const> fields);
  void begin_phase();
  void advance_phase();
  void copy_locally(device_queue* in);
  void end();
  bool advance_unguarded();
  /// Returns ranks; empty: the exchange waits for the device.
  [[nodiscard]] std::vector<int> waited_for() const;

  std::shared_ptr<grid> processes_;
  cuda_options ways_;
  exchange_options options_;  // the options of `ways_` that host exchanges have too
  std::shared_ptr<device> on_;
  std::vector<shape> fields_;
  stall_watch watch_;
  plan plan_;
  mpi_verdict verdict_;
  mpi_carrier carrier_;
  owned_queue work_;  // packs, and copies within this rank
  owned_queue out_;   // copies to the host
  owned_queue in_;    // copies from the host, and unpacks
  owned_mark ready_;
  owned_mark packed_;
  owned_mark may_store_;
  owned_mark copied_;
  owned_mark filled_;
  std::vector<running_phase> phases_;
  std::vector<launch> locals_;

  state state_ = state::idle;
  // True from `begin` until `finish()` or `test()` has reported the end. Whether `begin` is refused
  // must not depend on when messages arrive.
  bool is_awaited_ = false;
  std::size_t phase_ = 0;
  std::vector<std::byte*> pointers_;
  overlap_finder overlaps_;
  bool has_pointers_ = false;  // `pointers_` are those of an exchange that began, and were checked
  std::size_t alignment_ = 1;
  std::uint64_t num_exchanges_ = 0;
  std::int64_t num_messages_ = 0;  // per exchange, as are the bytes below
  std::int64_t message_bytes_ = 0;
  std::int64_t local_bytes_ = 0;
  double wait_s_ = 0;  // of all exchanges, in finish()
};

}  // namespace weft::halo::detail
