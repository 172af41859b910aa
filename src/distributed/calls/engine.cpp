// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends messages, receives them, and calls their handlers.
#include "weft/distributed/detail/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include <sched.h>

#include "weft/base/error.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/archive_error.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/handler.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/distributed/runtime.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/progress.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/this_task.hpp"

#include "distributed/calls/engines.hpp"
#include "distributed/calls/exceptions.hpp"
#include "distributed/calls/module_table.hpp"
#include "distributed/transport/transport.hpp"

namespace weft::distributed::detail {
namespace {

// How many bytes a rank may post ahead of the transport.
constexpr std::size_t most_queued_bytes = std::size_t{4} << 20;
// A rank that is further ahead polls now and then, to learn what the receiver has taken meanwhile.
constexpr std::size_t queued_bytes_before_polls = std::size_t{64} << 10;
constexpr std::uint64_t posts_between_polls = 128;

/// Errors: `weft::error` for invalid options.
runtime_options checked(runtime_options options) {
  if (options.part_threshold_bytes < 64) {
    throw error(errc::bad_parameter,
                "parts of " + std::to_string(options.part_threshold_bytes) +
                    " bytes would cost more than copies: "
                    "runtime_options::part_threshold_bytes takes 64 and more");
  }
  return options;
}

/// Never fails: the previous message has been sent, and a failure would make the caller send it
/// again.
void yield_to_others() noexcept {
  try {
    this_task::yield();
  } catch (const error&) {  // there is no other stack
    sched_yield();
  }
}

/// Receives the parts of a message and discards them.
struct drained final : part_arrival {
  std::vector<std::vector<std::byte>> memory;
  void arrived() noexcept override { delete this; }
};

}  // namespace

std::size_t sum_of_parts(const incoming& message) noexcept {
  return std::accumulate(message.part_sizes.begin(), message.part_sizes.end(), std::size_t{0});
}

void check_parts(const incoming& message, std::span<const part_to_fill> parts) {
  const auto has_size = [](const part_to_fill& each, std::uint64_t size) {
    return each.size == size;
  };
  if (!std::ranges::equal(parts, message.part_sizes, has_size)) {
    throw archive_error(message.bytes.size(), "large parts of the sizes that the message names");
  }
}

void report_lost_exception() noexcept {
  weft::post([raised = std::current_exception()] { std::rethrow_exception(raised); });
}

engine::engine(std::unique_ptr<transport> link,
               tasks::scheduler& home,
               const runtime_options& options)
    : link_(std::move(link)),
      home_(home),
      options_(checked(options)),
      rank_(link_->rank()),
      size_(link_->size()),
      modules_(std::make_unique<module_table>()),
      awaiting_(1),
      objects_(std::make_shared<rank_objects>(rank_)),
      tables_(std::make_unique<rank_tables>(*this, rank_)) {
  register_engine(*this, home_);
  try {
    tasks::add_progress_source(home_, *this);
  } catch (...) {
    unregister_engine(*this);
    throw;
  }
}

engine::~engine() {
  tasks::remove_progress_source(home_, *this);
  tables_->close();
  unregister_engine(*this);
}

void engine::require_rank(int rank) const {
  if (rank < 0 || rank >= size_) {
    throw error(errc::bad_parameter,
                "there is no rank " + std::to_string(rank) + ": the job has " +
                    std::to_string(size_) + (size_ == 1 ? " rank, 0" : " ranks, 0 to ") +
                    (size_ == 1 ? "" : std::to_string(size_ - 1)));
  }
}

std::uint64_t engine::enlist(awaited_answer& answer, int from) {
  const std::lock_guard guard(awaiting_lock_);
  std::uint32_t slot = first_free_;
  if (slot == 0) {
    slot = static_cast<std::uint32_t>(awaiting_.size());
    awaiting_.emplace_back();
  } else {
    first_free_ = awaiting_[slot].next_free;
  }
  awaiting_[slot].answer = &answer;
  awaiting_[slot].from = from;
  return std::uint64_t{awaiting_[slot].generation} << 32 | slot;
}

awaited_answer* engine::strike(std::uint64_t request, int from) noexcept {
  const auto slot = static_cast<std::uint32_t>(request);
  const std::lock_guard guard(awaiting_lock_);
  if (slot >= awaiting_.size() || awaiting_[slot].generation != request >> 32 ||
      awaiting_[slot].from != from) {
    return nullptr;
  }
  awaiting& found = awaiting_[slot];
  awaited_answer* const answer = std::exchange(found.answer, nullptr);
  if (answer != nullptr) {
    ++found.generation;
    found.next_free = std::exchange(first_free_, slot);
  }
  return answer;
}

/// `is_answered`: the caller will get an answer.
void engine::expect(bool is_answered) noexcept {
  if (tasks::scheduler_here() != &home_) {
    if (is_answered) {
      tasks::expect_awaited_progress(home_);
    } else {
      tasks::expect_progress(home_);
    }
  } else if (is_answered) {
    tasks::expect_more_progress(home_);
  }
}

std::size_t engine::send(int to, outgoing& message) {
  num_sent_.fetch_add(1, std::memory_order_relaxed);
  try {
    const std::size_t queued = link_->send(to, message);
    expect(message.header.kind == frame_kind::call);
    return queued;
  } catch (...) {
    num_sent_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
}

void engine::call(int to,
                  const handler& target,
                  outgoing& message,
                  std::unique_ptr<awaited_answer> awaited) {
  const module_table::place place = modules_->place_of(target);
  message.header.kind = frame_kind::call;
  message.header.module = place.module;
  message.header.offset = place.offset;
  message.header.request = enlist(*awaited, to);
  try {
    send(to, message);
  } catch (...) {
    static_cast<void>(strike(message.header.request, to));
    throw;
  }
  static_cast<void>(awaited.release());  // the answer's
}

void engine::post(int to, const handler& target, outgoing& message) {
  const module_table::place place = modules_->place_of(target);
  message.header.kind = frame_kind::post;
  message.header.module = place.module;
  message.header.offset = place.offset;
  std::size_t queued = send(to, message);
  if (queued > queued_bytes_before_polls && !tasks::is_polling_progress() &&
      num_sent_.load(std::memory_order_relaxed) % posts_between_polls == 0) {
    tasks::poll_progress(home_);
  }
  while (queued > most_queued_bytes && !tasks::is_polling_progress()) {
    if (!tasks::poll_progress(home_)) {
      yield_to_others();
    }
    queued = link_->queued_bytes(to);
  }
}

void engine::answer(int to, std::uint64_t request, outgoing& message) {
  message.header.kind = frame_kind::answer;
  message.header.request = request;
  send(to, message);
}

void engine::send_failure(int to,
                          std::uint64_t request,
                          const std::exception_ptr& why,
                          std::string_view function) {
  const std::vector<std::byte> bytes = exception_bytes(why, rank_, function);
  outgoing message{};
  message.header.kind = frame_kind::failure;
  message.header.request = request;
  message.bytes = bytes;
  send(to, message);
}

void engine::answer_failure(int to, std::uint64_t request, std::string_view function) noexcept {
  try {
    send_failure(to, request, std::current_exception(), function);
  } catch (const std::exception& why) {
    abort_job("an exception cannot be sent to the rank that awaits it: " + std::string(why.what()));
  }
}

void engine::start(tasks::work_item& item) noexcept { tasks::start_surely(&home_, item); }

void engine::receive_parts(const incoming& message,
                           std::span<const part_to_fill> parts,
                           part_arrival& whole) noexcept {
  link_->receive_parts(message, parts, whole);
}

void engine::drain(const incoming& message) noexcept {
  if (message.part_sizes.empty()) {
    return;
  }
  try {
    auto kept = std::make_unique<drained>();
    std::vector<part_to_fill> parts;
    for (const std::uint64_t size : message.part_sizes) {
      kept->memory.emplace_back(size);
      parts.push_back({kept->memory.back().data(), size});
    }
    link_->receive_parts(message, parts, *kept.release());
  } catch (const std::exception&) {
    abort_job("there is no memory to receive a message of " +
              std::to_string(sum_of_parts(message)) + " bytes");
  }
}

std::exception_ptr engine::exception_in(const incoming& message) const noexcept {
  try {
    return exception_from(message.bytes);
  } catch (...) {
    return std::current_exception();
  }
}

void engine::start(collective& operation) {
  link_->start(operation);
  expect(true);
}

future<void> engine::queue_quiescence(future<void> end) {
  const std::lock_guard guard(quiescence_lock_);
  return std::exchange(last_quiescence_, std::move(end));
}

/// Reads in an order in which too much can seem sent, and too little done, but never the reverse.
engine::message_counts engine::counts(bool with_service) const noexcept {
  const std::uint64_t done = num_done_.load(std::memory_order_acquire);  // first: see quiescence
  const std::uint64_t service_done = num_service_done_.load(std::memory_order_acquire);
  const std::uint64_t service_sent = num_service_sent_.load(std::memory_order_acquire);
  const std::uint64_t sent =
      num_sent_.load(std::memory_order_acquire) + num_local_.load(std::memory_order_acquire);
  return {.sent = with_service ? sent : sent - service_sent,
          .done = with_service ? done : done - service_done};
}

traffic engine::exchanged() const noexcept {
  const transfer_counts by_link = link_->transfers();
  return {.parcels_sent = num_sent_.load(std::memory_order_relaxed),
          .parcels_received = num_received_.load(std::memory_order_relaxed),
          .messages_sent = by_link.messages_sent,
          .messages_received = by_link.messages_received,
          .bytes_sent = by_link.bytes_sent,
          .bytes_received = by_link.bytes_received};
}

void engine::close() noexcept {
  tables_->close();
  tasks::remove_progress_source(home_, *this);
  link_->close();
}

void engine::abort_job(std::string_view why) noexcept {
  link_->abort(why);
  std::abort();  // never reached: g++ does not use [[noreturn]] of virtual functions
}

bool engine::wants_polling() const noexcept {
  return options_.always_serialize || link_->needs_polling();
}

bool engine::poll() noexcept {
  const polling_scope here(*this);
  return link_->poll(*this);
}

void engine::take(const incoming& message) noexcept {
  num_received_.fetch_add(1, std::memory_order_relaxed);
  switch (message.header.kind) {
    case frame_kind::call:
    case frame_kind::post:
      take_call(message);
      return;
    case frame_kind::answer:
    case frame_kind::failure:
      take_answer(message);
      return;
    case frame_kind::large:
      break;
  }
  abort_job("a message of an unknown kind came from rank " + std::to_string(message.source));
}

void engine::take_call(const incoming& message) noexcept {
  const frame_header& header = message.header;
  if (last_target_ == nullptr || header.module != last_module_ || header.offset != last_offset_) {
    last_target_ = modules_->at({header.module, header.offset});
    last_module_ = header.module;
    last_offset_ = header.offset;
  }
  if (last_target_ != nullptr) {
    last_target_->run(*this, message);
    return;
  }
  drain(message);
  const std::string why =
      "rank " + std::to_string(rank_) +
      " has not loaded the shared object that holds a function called by rank " +
      std::to_string(message.source) + ": load the same one on all ranks";
  if (message.header.kind == frame_kind::post) {
    abort_job(why);
  }
  try {
    throw error(errc::bad_function_call, why);
  } catch (const error&) {
    answer_failure(message.source, message.header.request, "");
  }
  message_is_done();
}

void engine::take_answer(const incoming& message) noexcept {
  awaited_answer* const awaited = strike(message.header.request, message.source);
  if (awaited == nullptr) {
    abort_job("an answer that nobody awaits came from rank " + std::to_string(message.source));
  }
  awaited->take(*this, message);
}

std::uint64_t rank_objects::add(std::shared_ptr<void> object, const std::type_info& type) {
  const std::lock_guard guard(mutex_);
  all_[num_made_] = {.object = std::move(object), .type = &type};
  changed_.notify_all();
  return num_made_++;
}

void rank_objects::remove(std::uint64_t number) noexcept {
  const std::lock_guard guard(mutex_);
  all_.erase(number);
}

std::shared_ptr<void> rank_objects::find(std::uint64_t number, const std::type_info& type) {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return number < num_made_; });
  const auto found = all_.find(number);
  if (found == all_.end()) {
    throw error(errc::invalid_status,
                "rank " + std::to_string(rank_) +
                    " has destroyed its object of this local_of: destroy it after "
                    "weft::distributed::quiescence()");
  }
  if (*found->second.type != type) {
    throw error(errc::invalid_status,
                "rank " + std::to_string(rank_) + " made another local_of as its number " +
                    std::to_string(number) + ": all ranks make them in the same order");
  }
  return found->second.object;
}

}  // namespace weft::distributed::detail
