// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All calls of MPI are made by who holds the lock; callers that do not get it leave what they have
// to who does.
#include "distributed/transport/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/message.hpp"

#include "distributed/transport/frames.hpp"

namespace weft::distributed::detail {
namespace {

constexpr std::size_t slab_bytes = 16384;
constexpr std::size_t num_slots = 16;
constexpr std::uint32_t window = 32;  // slabs of a pair of ranks that were not taken
constexpr int most_bodies_in_flight = 8192;
constexpr int most_tested = 64;
constexpr std::size_t most_spare = 64;
constexpr std::size_t piece_bytes = std::size_t{1} << 30;
constexpr std::uint32_t tag_mask = 0x7fff;  // the least upper bound of tags that MPI grants

struct slab_header {
  std::uint32_t num_taken;   // slabs of the other direction
  std::uint32_t size_bytes;  // of the frames; 0: it only tells the above
};
static_assert(sizeof(slab_header) == 8);

constexpr std::uint32_t num_pieces(std::size_t size) noexcept {
  return static_cast<std::uint32_t>((size + piece_bytes - 1) / piece_bytes);
}

int tag_of(std::uint32_t number) noexcept { return static_cast<int>(number & tag_mask); }

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

std::string text_of(int result) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int size = 0;
  MPI_Error_string(result, text.data(), &size);
  return {text.data(), static_cast<std::size_t>(size)};
}

MPI_Comm duplicated() {
  MPI_Comm copy = MPI_COMM_NULL;
  if (const int result = MPI_Comm_dup(MPI_COMM_WORLD, &copy); result != MPI_SUCCESS) {
    throw error("MPI_Comm_dup: " + text_of(result));
  }
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

}  // namespace

mpi_transport::mpi_transport(bool aggregates)
    : aggregates_(aggregates),
      frames_(duplicated()),
      bodies_(duplicated()),
      collectives_(duplicated()),
      slots_(num_slots, slab(slab_bytes)),
      receives_(num_slots, MPI_REQUEST_NULL),
      indices_(most_tested) {
  MPI_Comm_rank(frames_, &rank_);
  MPI_Comm_size(frames_, &size_);
  peers_ = std::vector<peer>(static_cast<std::size_t>(size_));
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
  for (MPI_Request& each : receives_) {
    MPI_Cancel(&each);
    MPI_Wait(&each, MPI_STATUS_IGNORE);
    MPI_Request_free(&each);
  }
  for (MPI_Comm* const each : {&frames_, &bodies_, &collectives_}) {
    MPI_Comm_free(each);
  }
}

void mpi_transport::check(int result, const char* call) const noexcept {
  if (result != MPI_SUCCESS) {
    const_cast<mpi_transport*>(this)->abort(std::string(call) + ": " + text_of(result));
  }
}

void mpi_transport::abort(std::string_view why) noexcept {
  send_message("weft: rank " + std::to_string(rank_) + " ends the job: " + std::string(why) + '\n');
  MPI_Abort(frames_, 1);
  std::abort();
}

mpi_transport::slab mpi_transport::spare_slab() {
  {
    const std::lock_guard guard(spare_lock_);
    if (!spare_.empty()) {
      slab found = std::move(spare_.back());
      spare_.pop_back();
      return found;
    }
  }
  slab fresh;
  fresh.reserve(slab_bytes);
  return fresh;
}

void mpi_transport::keep_spare(slab&& used) noexcept {
  used.clear();
  const std::lock_guard guard(spare_lock_);
  if (spare_.size() < most_spare) {
    spare_.push_back(std::move(used));
  }
}

std::size_t mpi_transport::queued_bytes(int to) const noexcept {
  return peer_of(to).queued_bytes.load(std::memory_order_relaxed);
}

/// Holds the peer's guard.
void mpi_transport::append_bodies(peer& to,
                                  const std::byte* data,
                                  std::size_t size,
                                  const std::shared_ptr<const void>& owner) {
  for (std::size_t at = 0; at < size; at += piece_bytes) {
    to.bodies.push_back({.data = data + at,
                         .size = static_cast<int>(std::min(piece_bytes, size - at)),
                         .tag = tag_of(to.num_bodies++),
                         .owner = owner});
  }
}

/// Holds the peer's guard.
void mpi_transport::append(peer& to, const outgoing& message, std::uint32_t first_body) {
  const std::size_t size = padded(frame_size(message));
  if (!to.gathering.empty() && to.gathering.size() + size > slab_bytes) {
    to.full.push_back(std::move(to.gathering));
    to.gathering = {};
  }
  if (to.gathering.empty()) {
    to.gathering = spare_slab();
    to.gathering.resize(sizeof(slab_header));
  }
  append_frame(to.gathering, message, first_body);
  to.queued_bytes.fetch_add(size, std::memory_order_relaxed);
}

/// A frame that no slab holds: it goes as a body, and a stub says so. Holds the peer's guard.
void mpi_transport::send_large(peer& to, const outgoing& message) {
  const std::size_t size = padded(frame_size(message));
  const auto frame = std::make_shared<std::vector<std::byte>>();
  append_frame(*frame, message, to.num_bodies + num_pieces(size));
  outgoing stub{};
  stub.header.kind = frame_kind::large;
  stub.header.request = size;
  append(to, stub, to.num_bodies);
  append_bodies(to, frame->data(), size, frame);
}

std::size_t mpi_transport::send(int to, const outgoing& message) {
  peer& there = peer_of(to);
  bool was_dirty = false;
  {
    const std::lock_guard guard(there.guard);
    if (padded(frame_size(message)) > slab_bytes - sizeof(slab_header)) {
      send_large(there, message);
    } else {
      append(there, message, there.num_bodies);
    }
    for (const part& each : message.parts) {
      append_bodies(there, each.data, each.size, message.owner);
    }
    was_dirty = std::exchange(there.is_dirty, true);
  }
  if (!was_dirty) {
    const std::lock_guard guard(dirty_lock_);
    dirty_.push_back(to);
  }
  flush_dirty();
  return queued_bytes(to);
}

/// Sends what is to be sent, or leaves it to who holds the lock of MPI, who looks again afterwards.
void mpi_transport::flush_dirty() noexcept {
  has_dirty_.store(true, std::memory_order_seq_cst);
  while (has_dirty_.load(std::memory_order_seq_cst)) {
    const std::unique_lock guard(mpi_, std::try_to_lock);
    if (!guard.owns_lock()) {
      return;
    }
    flush_dirty_locked();
  }
}

void mpi_transport::flush_dirty_locked() noexcept {
  has_dirty_.store(false, std::memory_order_seq_cst);
  std::vector<int> ranks;
  {
    const std::lock_guard guard(dirty_lock_);
    ranks.swap(dirty_);
  }
  for (const int rank : ranks) {
    {
      const std::lock_guard guard(peer_of(rank).guard);
      peer_of(rank).is_dirty = false;
    }
    flush(rank);
  }
}

/// True: a slab may be sent now, and is in `to`. Holds the lock of MPI.
bool mpi_transport::take_slab(peer& from, slab& to) const noexcept {
  const std::uint32_t num_unknown = from.num_sent - from.num_taken_there;
  if (num_unknown >= window) {
    return false;
  }
  const std::lock_guard guard(from.guard);
  if (!from.full.empty()) {
    to = std::move(from.full.front());
    from.full.erase(from.full.begin());
    return true;
  }
  if (from.gathering.empty() || (num_unknown != 0 && aggregates_)) {
    return false;
  }
  to = std::move(from.gathering);
  from.gathering = {};
  return true;
}

void mpi_transport::flush(int rank) noexcept {
  send_bodies(rank);
  slab next;
  while (take_slab(peer_of(rank), next)) {
    peer& there = peer_of(rank);
    ++there.num_sent;
    there.queued_bytes.fetch_sub(next.size() - sizeof(slab_header), std::memory_order_relaxed);
    send_slab(rank, std::move(next));
  }
}

void mpi_transport::send_bodies(int rank) noexcept {
  peer& there = peer_of(rank);
  std::vector<body> taken;
  {
    const std::lock_guard guard(there.guard);
    const auto room = static_cast<std::size_t>(
        std::max(0, most_bodies_in_flight - there.num_bodies_in_flight));
    const auto end =
        there.bodies.begin() + static_cast<std::ptrdiff_t>(std::min(room, there.bodies.size()));
    taken.assign(std::make_move_iterator(there.bodies.begin()), std::make_move_iterator(end));
    there.bodies.erase(there.bodies.begin(), end);
  }
  for (body& each : taken) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(each.data, each.size, MPI_BYTE, rank, each.tag, bodies_, &request),
          "MPI_Isend");
    ++there.num_bodies_in_flight;
    purpose what;
    what.owner = std::move(each.owner);
    what.body_to = rank;
    add_request(request, std::move(what));
  }
}

void mpi_transport::send_slab(int rank, slab&& bytes) noexcept {
  peer& there = peer_of(rank);
  const slab_header header{
      .num_taken = there.num_taken,
      .size_bytes = static_cast<std::uint32_t>(bytes.size() - sizeof(slab_header))};
  std::memcpy(bytes.data(), &header, sizeof header);
  there.num_taken_told = there.num_taken;
  ++there.num_messages;
  MPI_Request request = MPI_REQUEST_NULL;
  check(
      MPI_Isend(
          bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, 0, frames_, &request),
      "MPI_Isend");
  int is_done = 0;
  check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
  purpose what;
  what.sent = std::move(bytes);
  if (is_done == 0) {
    add_request(request, std::move(what));
    return;
  }
  keep_spare(std::move(what.sent));
}

void mpi_transport::add_request(MPI_Request request, purpose&& what) {
  if (what.body_to >= 0 || what.received != nullptr) {
    num_bodies_in_flight_.fetch_add(1, std::memory_order_relaxed);
  }
  requests_.push_back(request);
  purposes_.push_back(std::move(what));
}

/// Tells ranks how many of their slabs were taken, if nothing went there since: those that may soon
/// have to wait, or all. Holds the lock of MPI.
void mpi_transport::tell_taken(bool all) noexcept {
  std::erase_if(owed_, [&](int rank) {
    const peer& there = peer_of(rank);
    const std::uint32_t num_owed = there.num_taken - there.num_taken_told;
    if (num_owed == 0) {
      return true;
    }
    if (!all && num_owed < window / 2) {
      return false;
    }
    slab bytes = spare_slab();
    bytes.resize(sizeof(slab_header));
    send_slab(rank, std::move(bytes));
    return true;
  });
}

/// Takes the slab that came next, if one did. `to` is null when nothing but slabs without frames can
/// come. Holds the lock of MPI, but not while frames are taken.
bool mpi_transport::receive_slab(engine* to) noexcept {
  int has_come = 0;
  MPI_Status status;
  check(MPI_Test(&receives_[head_], &has_come, &status), "MPI_Test");
  if (has_come == 0) {
    return false;
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
  there.num_taken_there = header.num_taken;
  ++num_received_;
  if (header.size_bytes != 0) {
    if (there.num_taken++ == there.num_taken_told) {
      owed_.push_back(status.MPI_SOURCE);
    }
    if (to == nullptr) {
      abort("a message came after the last one, from rank " + std::to_string(status.MPI_SOURCE));
    }
    mpi_.unlock();
    take_frames(*to,
                status.MPI_SOURCE,
                std::span(slots_[head_]).subspan(sizeof header, header.size_bytes));
    mpi_.lock();
  }
  check(MPI_Start(&receives_[head_]), "MPI_Start");
  head_ = (head_ + 1) % num_slots;
  flush(status.MPI_SOURCE);
  return true;
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
    check(MPI_Irecv(data + at,
                    static_cast<int>(std::min(piece_bytes, size - at)),
                    MPI_BYTE,
                    to->source,
                    tag_of(number++),
                    bodies_,
                    &request),
          "MPI_Irecv");
    ++to->num_missing;
    purpose what;
    what.received = to;
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
  std::unique_lock guard(mpi_);
  switch (operation.kind) {
    case collective_kind::barrier:
      check(MPI_Ibarrier(collectives_, &request), "MPI_Ibarrier");
      break;
    case collective_kind::all_gather:
      check(MPI_Iallgather(operation.input,
                           count,
                           MPI_BYTE,
                           operation.output,
                           count,
                           MPI_BYTE,
                           collectives_,
                           &request),
            "MPI_Iallgather");
      break;
    case collective_kind::all_reduce:
      check(MPI_Iallreduce(operation.input,
                           operation.output,
                           count,
                           mpi_type_of(operation.type),
                           mpi_operation_of(operation.operation),
                           collectives_,
                           &request),
            "MPI_Iallreduce");
      break;
    case collective_kind::broadcast:
      check(MPI_Ibcast(operation.output, count, MPI_BYTE, operation.root, collectives_, &request),
            "MPI_Ibcast");
      break;
  }
  purpose what;
  what.operation = &operation;
  add_request(request, std::move(what));
  guard.unlock();
  if (has_dirty_.load(std::memory_order_seq_cst)) {
    flush_dirty();  // left by callers that did not get the lock
  }
}

/// Tests some of the requests, others each time. Holds the lock of MPI.
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
  if (num_done == MPI_UNDEFINED || num_done == 0) {
    first_tested_ += static_cast<std::size_t>(num_tested);
    return;
  }
  const std::span done(indices_.data(), static_cast<std::size_t>(num_done));
  std::ranges::sort(done, std::greater());
  for (const int index : done) {  // from the back, so that the last one takes the place
    const std::size_t at = first_tested_ + static_cast<std::size_t>(index);
    const purpose& what = purposes_[at];
    if (what.body_to >= 0) {
      --peer_of(what.body_to).num_bodies_in_flight;
    }
    if (what.body_to >= 0 || what.received != nullptr) {
      num_bodies_in_flight_.fetch_sub(1, std::memory_order_relaxed);
    }
    completed.push_back(std::move(purposes_[at]));
    requests_[at] = requests_.back();
    purposes_[at] = std::move(purposes_.back());
    requests_.pop_back();
    purposes_.pop_back();
  }
  for (const purpose& each : completed) {
    if (each.body_to >= 0) {
      send_bodies(each.body_to);  // those for which there was no room
    }
  }
}

/// Tells those who wait for what is complete. Holds no lock.
void mpi_transport::tell(engine& to, std::vector<purpose>& completed) noexcept {
  for (purpose& each : completed) {
    if (each.operation != nullptr) {
      each.operation->done(nullptr);
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

bool mpi_transport::poll(engine& to) noexcept {
  if (is_polled_.load(std::memory_order_relaxed) ||
      is_polled_.exchange(true, std::memory_order_acquire)) {
    return false;
  }
  bool has_happened = false;
  std::vector<purpose> completed;
  if (mpi_.try_lock()) {
    for (std::size_t i = 0; i < num_slots && receive_slab(&to); ++i) {
      has_happened = true;
    }
    complete_requests(completed);
    tell_taken(!has_happened);
    mpi_.unlock();
  }
  tell(to, completed);
  // MPI may move the data of bodies only while it is called: say that it goes on.
  has_happened = has_happened || !completed.empty() ||
                 num_bodies_in_flight_.load(std::memory_order_relaxed) != 0;
  if (has_dirty_.load(std::memory_order_seq_cst)) {
    flush_dirty();
  }
  is_polled_.store(false, std::memory_order_release);
  return has_happened;
}

/// Ranks tell each other how many messages they sent, and receive those that are still under way,
/// none of which has frames.
void mpi_transport::close() noexcept {
  const std::lock_guard guard(mpi_);
  std::vector<std::uint64_t> sent;
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
                      collectives_,
                      &counted),
        "MPI_Ialltoall");
  std::vector<purpose> completed;
  for (int is_counted = 0;;) {
    if (is_counted == 0) {
      check(MPI_Test(&counted, &is_counted, MPI_STATUS_IGNORE), "MPI_Test");
    }
    static_cast<void>(receive_slab(nullptr));
    complete_requests(completed);
    if (is_counted != 0 && requests_.empty() &&
        num_received_ == std::accumulate(expected.begin(), expected.end(), std::uint64_t{0})) {
      return;
    }
  }
}

}  // namespace weft::distributed::detail
