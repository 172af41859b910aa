// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages of host exchanges, with addresses in a device's memory.
#include "halo/device/device_mpi_legs.hpp"

#include <cstdint>
#include <memory>
#include <utility>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/executor.hpp"

#include "halo/device/device.hpp"
#include "halo/device/device_carrier.hpp"
#include "halo/device/device_legs.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/message_links.hpp"

namespace weft::halo::detail {
namespace {

class mpi_leg final : public leg {
 public:
  mpi_leg(const grid& processes, device& on, message cells, partner with, bool is_out)
      : processes_(processes), on_(on), cells_(std::move(cells)), with_(with), is_out_(is_out) {}
  mpi_leg(const mpi_leg&) = delete;
  mpi_leg& operator=(const mpi_leg&) = delete;
  ~mpi_leg() override {
    if (request_ != MPI_REQUEST_NULL && is_mpi_running()) {
      MPI_Request_free(&request_);
    }
  }

  void begin(const leg_places& where, device_mark* ready) override {
    where_ = where;
    ready_ = ready;
    state_ = state::waiting;
  }
  bool advance() override {
    if (state_ == state::waiting && on_.is_reached(ready_)) {
      if (is_out_) {
        cells_.pack(processes_, where_.fields, copies_);
      }
      cells_.prepare(processes_, where_.fields, with_.rank, with_.tag, request_);
      check_mpi(MPI_Start(&request_), "MPI_Start");
      state_ = state::under_way;
    }
    if (state_ == state::under_way) {
      int is_complete = 0;
      check_mpi(MPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_complete != 0) {
        if (!is_out_) {
          cells_.unpack(processes_, where_.fields, {}, copies_);
        }
        state_ = state::done;
      }
    }
    return state_ == state::done;
  }
  [[nodiscard]] bool waits_for_rank() const override { return state_ == state::under_way; }

 private:
  enum class state : std::uint8_t { waiting, under_way, done };

  const grid& processes_;
  device& on_;
  message cells_;
  copy_list copies_{executor()};  // always empty: MPI packs
  partner with_;
  bool is_out_;
  state state_ = state::done;
  leg_places where_;
  device_mark* ready_ = nullptr;
  MPI_Request request_ = MPI_REQUEST_NULL;  // persistent
};

}  // namespace

std::unique_ptr<leg> make_mpi_leg(const grid& processes,
                                  device& on,
                                  const agenda& about,
                                  const link& what,
                                  bool is_out,
                                  int tag) {
  message cells(processes,
                about,
                is_out ? what.out : what.in,
                is_out ? what.out_bytes : what.in_bytes,
                is_out);
  return std::make_unique<mpi_leg>(
      processes, on, std::move(cells), partner{.rank = what.peer, .tag = tag}, is_out);
}

}  // namespace weft::halo::detail
