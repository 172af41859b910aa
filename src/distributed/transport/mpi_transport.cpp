// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Duplicates the communicators, receives, and completes requests.
#include "distributed/transport/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/archive_error.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/message.hpp"

#include "distributed/transport/frames.hpp"
#include "distributed/transport/mpi_slabs.hpp"

namespace weft::distributed::detail {
namespace {

MPI_Datatype mpi_type_of(element type) noexcept {
  // In the order of `element`.
  const std::array<MPI_Datatype, 10> types{MPI_INT8_T,
                                           MPI_UINT8_T,
                                           MPI_INT16_T,
                                           MPI_UINT16_T,
                                           MPI_INT32_T,
                                           MPI_UINT32_T,
                                           MPI_INT64_T,
                                           MPI_UINT64_T,
                                           MPI_FLOAT,
                                           MPI_DOUBLE};
  return types[static_cast<std::size_t>(type)];
}

MPI_Op mpi_operation_of(reduction operation) noexcept {
  const std::array<MPI_Op, 4> operations{MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  return operations[static_cast<std::size_t>(operation)];
}

std::string mpi_text_of(int result) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int size = 0;
  MPI_Error_string(result, text.data(), &size);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::uint32_t tag_mask_of(MPI_Comm where) {
  const int* largest = nullptr;
  int is_known = 0;
  MPI_Comm_get_attr(where, MPI_TAG_UB, static_cast<void*>(&largest), &is_known);
  return tag_mask_for(is_known != 0 ? *largest : least_tag_bound);
}

MPI_Comm duplicated() {
  MPI_Comm copy = MPI_COMM_NULL;
  if (const int result = MPI_Comm_dup(MPI_COMM_WORLD, &copy); result != MPI_SUCCESS) {
    throw error("MPI_Comm_dup: " + mpi_text_of(result));
  }
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

}  // namespace

mpi_transport::mpi_transport(bool aggregates)
    : aggregates_(aggregates),
      frames_(duplicated()),
      bodies_(duplicated()),
      collectives_{duplicated(), duplicated()},
      tag_mask_(tag_mask_of(MPI_COMM_WORLD)),
      slots_(num_slots, slab(slab_bytes)),
      receives_(num_slots, MPI_REQUEST_NULL),
      indices_(most_tested) {
  MPI_Comm_rank(frames_, &rank_);
  MPI_Comm_size(frames_, &size_);
  peers_ = std::vector<peer>(static_cast<std::size_t>(size_));
  dirty_.reserve(peers_.size());
  flushed_.reserve(peers_.size());
  spare_.reserve(most_spare);
  for (std::size_t i = 0; i < num_slots; ++i) {
    check(MPI_Recv_init(slots_[i].data(),
                        static_cast<int>(slab_bytes),
                        MPI_BYTE,
                        MPI_ANY_SOURCE,
                        0,
                        frames_,
                        &receives_[i]),
          "MPI_Recv_init");
    check(MPI_Start(&receives_[i]), "MPI_Start");
  }
}

mpi_transport::~mpi_transport() {
  restart_receives();  // MPI cancels only active ones
  for (MPI_Request& each : receives_) {
    MPI_Cancel(&each);
    MPI_Wait(&each, MPI_STATUS_IGNORE);
    MPI_Request_free(&each);
  }
  for (MPI_Comm* const each : {&frames_, &bodies_, &collectives_[0], &collectives_[1]}) {
    MPI_Comm_free(each);
  }
}

void mpi_transport::check(int result, const char* call) const noexcept {
  if (result != MPI_SUCCESS) {
    const_cast<mpi_transport*>(this)->abort(std::string(call) + ": " + mpi_text_of(result));
  }
}

void mpi_transport::abort(std::string_view why) noexcept {
  send_message("weft: rank " + std::to_string(rank_) + " ends the job: " + std::string(why) + '\n');
  // Another thread that is in a call of MPI may never return; so this one waits for the lock only
  // for a while. The calling thread itself may hold it: then pthread_mutex_trylock fails too.
  for (int i = 0; i < 100 && !mpi_.try_lock(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  MPI_Abort(frames_, 1);
  std::abort();
}

/// Starts the receives of slots whose slabs were taken, in the order of the slots. Holds the lock of
/// MPI.
void mpi_transport::restart_receives() noexcept {
  for (; num_stopped_ != 0; --num_stopped_) {
    check(MPI_Start(&receives_[(head_ + num_slots - num_stopped_) % num_slots]), "MPI_Start");
  }
}

/// Receives the next slab, if one has arrived. `to` is null when only slabs without frames can
/// arrive. Holds the lock of MPI, but releases it while the engine takes frames.
mpi_transport::received mpi_transport::receive_slab(engine* to) noexcept {
  int has_come = 0;
  MPI_Status status;
  check(MPI_Test(&receives_[head_], &has_come, &status), "MPI_Test");
  if (has_come == 0) {
    return received::nothing;
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  slab_header header{};
  if (static_cast<std::size_t>(size) >= sizeof header) {
    std::memcpy(&header, slots_[head_].data(), sizeof header);
  }
  if (sizeof header + header.size_bytes != static_cast<std::size_t>(size)) {
    abort("a damaged message of " + std::to_string(size) + " bytes came from rank " +
          std::to_string(status.MPI_SOURCE));
  }
  peer& there = peer_of(status.MPI_SOURCE);
  if (!is_possible_count(header.num_taken, there.num_taken_there, there.num_sent)) {
    abort("rank " + std::to_string(status.MPI_SOURCE) + " says that it took more messages than " +
          "were sent to it");
  }
  there.num_taken_there = header.num_taken;
  ++num_received_;
  transfers_.received(static_cast<std::size_t>(size));
  if (header.size_bytes != 0) {
    if (there.num_taken++ == there.num_taken_told) {
      there.num_polls_owed = 0;
    }
    if (!std::exchange(there.is_owed, true)) {
      owed_.push_back(status.MPI_SOURCE);
    }
    if (to == nullptr) {
      abort("a message came after the last one, from rank " + std::to_string(status.MPI_SOURCE));
    }
    mpi_.unlock();
    take_frames(
        *to, status.MPI_SOURCE, std::span(slots_[head_]).subspan(sizeof header, header.size_bytes));
    mpi_.lock();
  }
  head_ = (head_ + 1) % num_slots;
  ++num_stopped_;
  flush(status.MPI_SOURCE);
  return header.size_bytes != 0 ? received::frames : received::a_count;
}

void mpi_transport::take_frames(engine& to, int source, std::span<const std::byte> bytes) {
  try {
    frame_reader frames(source, bytes);
    while (!frames.is_at_end()) {
      const incoming message = frames.next();
      if (message.header.kind == frame_kind::large) {
        receive_large(message);
      } else {
        to.take(message);
      }
    }
  } catch (const std::exception& why) {
    abort("a message of rank " + std::to_string(source) + ": " + why.what());
  }
}

void mpi_transport::receive_large(const incoming& stub) {
  if (!is_possible_frame(stub.header.request)) {
    throw archive_error(
        0,
        "a message of a size that may be, not " + std::to_string(stub.header.request) + " bytes");
  }
  const auto frame = std::make_shared<arrival>();
  frame->source = stub.source;
  frame->frame_size = stub.header.request;
  frame->frame.resize(padded(frame->frame_size) / sizeof(std::uint64_t));
  std::uint32_t number = stub.header.first_body;
  const std::lock_guard guard(mpi_);
  receive_bodies(
      frame, reinterpret_cast<std::byte*>(frame->frame.data()), frame->frame_size, number);
}

/// Holds the lock of MPI.
void mpi_transport::receive_bodies(const std::shared_ptr<arrival>& to,
                                   std::byte* data,
                                   std::size_t size,
                                   std::uint32_t& number) {
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    const std::size_t piece = std::min(piece_bytes, size - at);
    check(MPI_Irecv(data + at,
                    static_cast<int>(piece),
                    MPI_BYTE,
                    to->source,
                    tag_of(number++),
                    bodies_,
                    &request),
          "MPI_Irecv");
    ++to->num_missing;
    purpose what;
    what.received = to;
    what.body_size = piece;
    add_request(request, std::move(what));
  }
}

void mpi_transport::receive_parts(const incoming& message,
                                  std::span<const part_to_fill> parts,
                                  part_arrival& whole) noexcept {
  const auto all = std::make_shared<arrival>();
  all->whole = &whole;
  all->source = message.source;
  std::uint32_t number = message.header.first_body;
  const std::lock_guard guard(mpi_);
  for (const part_to_fill& each : parts) {
    receive_bodies(all, each.data, each.size, number);
  }
}

void mpi_transport::start(collective& operation) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto count = static_cast<int>(operation.count);
  const MPI_Comm where = collectives_[static_cast<std::size_t>(operation.channel)];
  std::unique_lock guard(mpi_);
  switch (operation.kind) {
    case collective_kind::barrier:
      check(MPI_Ibarrier(where, &request), "MPI_Ibarrier");
      break;
    case collective_kind::all_gather:
      check(
          MPI_Iallgather(
              operation.input, count, MPI_BYTE, operation.output, count, MPI_BYTE, where, &request),
          "MPI_Iallgather");
      break;
    case collective_kind::all_reduce:
      check(MPI_Iallreduce(operation.input,
                           operation.output,
                           count,
                           mpi_type_of(operation.type),
                           mpi_operation_of(operation.operation),
                           where,
                           &request),
            "MPI_Iallreduce");
      break;
    case collective_kind::broadcast:
      check(MPI_Ibcast(operation.output, count, MPI_BYTE, operation.root, where, &request),
            "MPI_Ibcast");
      break;
  }
  purpose what;
  what.operation = &operation;
  add_request(request, std::move(what));
  guard.unlock();
  if (has_dirty_.load(std::memory_order_seq_cst)) {
    flush_dirty();  // messages of threads that did not get the lock
  }
}

/// Tests some of the requests, different ones each time. Holds the lock of MPI.
void mpi_transport::complete_requests(std::vector<purpose>& completed) noexcept {
  if (requests_.empty()) {
    return;
  }
  first_tested_ = first_tested_ < requests_.size() ? first_tested_ : 0;
  const auto num_tested =
      static_cast<int>(std::min(requests_.size() - first_tested_, std::size_t{most_tested}));
  int num_done = 0;
  check(MPI_Testsome(num_tested,
                     requests_.data() + first_tested_,
                     &num_done,
                     indices_.data(),
                     MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  const std::size_t first = first_tested_;
  first_tested_ += static_cast<std::size_t>(num_tested);  // so that all are tested eventually
  if (num_done == MPI_UNDEFINED || num_done == 0) {
    return;
  }
  const std::span done(indices_.data(), static_cast<std::size_t>(num_done));
  std::ranges::sort(done, std::greater());
  for (const int index : done) {  // from the back, so that the last element fills the gap
    const std::size_t at = first + static_cast<std::size_t>(index);
    const purpose& what = purposes_[at];
    if (what.body_to >= 0) {
      peer& there = peer_of(what.body_to);
      --there.num_bodies_in_flight;
      there.queued_bytes.fetch_sub(what.body_size, std::memory_order_relaxed);
    }
    if (is_transfer(what)) {
      num_transfers_.fetch_sub(1, std::memory_order_relaxed);
    }
    completed.push_back(std::move(purposes_[at]));
    requests_[at] = requests_.back();
    purposes_[at] = std::move(purposes_.back());
    requests_.pop_back();
    purposes_.pop_back();
  }
  for (const purpose& each : completed) {
    if (each.body_to >= 0) {
      send_bodies(each.body_to);  // the bodies that had to wait
    }
  }
}

/// Notifies the waiting objects of completed requests. Holds no lock.
void mpi_transport::tell(engine& to, std::vector<purpose>& completed) noexcept {
  for (purpose& each : completed) {
    if (each.received != nullptr) {
      transfers_.received(each.body_size);
    }
    if (each.operation != nullptr) {
      each.operation->done();
    } else if (each.received != nullptr && --each.received->num_missing == 0) {
      arrival& whole = *each.received;
      if (whole.whole != nullptr) {
        whole.whole->arrived();
      } else {
        take_frames(to, whole.source, std::as_bytes(std::span(whole.frame)));
      }
    } else if (!each.sent.empty()) {
      keep_spare(std::move(each.sent));
    }
  }
}

/// Receives until there are frames, whose tasks run first. Returns whether anything came.
bool mpi_transport::receive_slabs(engine& to) noexcept {
  while (num_stopped_ < num_slots) {
    const received last = receive_slab(&to);
    if (last != received::a_count) {
      return last == received::frames || num_stopped_ != 0;
    }
  }
  return true;
}

bool mpi_transport::poll(engine& to) noexcept {
  if (is_polled_.load(std::memory_order_relaxed) ||
      is_polled_.exchange(true, std::memory_order_acquire)) {
    return false;
  }
  bool has_happened = false;
  std::vector<purpose> completed;
  if (mpi_.try_lock()) {
    restart_receives();
    // A test lets all of MPI progress, so one test is enough.
    tests_requests_ = !tests_requests_ && !requests_.empty();
    if (tests_requests_) {
      complete_requests(completed);
    } else {
      has_happened = receive_slabs(to);
      tell_taken(!has_happened);
    }
    mpi_.unlock();
  }
  tell(to, completed);
  // MPI may move data only while it is called, so report progress.
  has_happened =
      has_happened || !completed.empty() || num_transfers_.load(std::memory_order_relaxed) != 0;
  if (has_dirty_.load(std::memory_order_seq_cst)) {
    flush_dirty();
  }
  is_polled_.store(false, std::memory_order_release);
  return has_happened;
}

/// Exchanges the numbers of messages sent, and receives the messages that are still in flight, none
/// of which has frames.
void mpi_transport::close() noexcept {
  const std::lock_guard guard(mpi_);
  std::vector<std::uint64_t> sent;
  sent.reserve(peers_.size());
  for (const peer& each : peers_) {
    sent.push_back(each.num_messages);
  }
  std::vector<std::uint64_t> expected(peers_.size());
  MPI_Request counted = MPI_REQUEST_NULL;
  check(MPI_Ialltoall(sent.data(),
                      1,
                      MPI_UINT64_T,
                      expected.data(),
                      1,
                      MPI_UINT64_T,
                      collectives_[0],
                      &counted),
        "MPI_Ialltoall");
  std::vector<purpose> completed;
  for (int is_counted = 0;;) {
    if (is_counted == 0) {
      check(MPI_Test(&counted, &is_counted, MPI_STATUS_IGNORE), "MPI_Test");
    }
    restart_receives();
    static_cast<void>(receive_slab(nullptr));
    complete_requests(completed);
    completed.clear();
    if (is_counted != 0 && requests_.empty() &&
        num_received_ == std::accumulate(expected.begin(), expected.end(), std::uint64_t{0})) {
      return;
    }
    sched_yield();  // there may be more ranks than processors
  }
}

}  // namespace weft::distributed::detail
