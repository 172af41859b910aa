// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of one rank: its transport, calls that await an answer, and objects that others call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/handler.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/distributed/runtime.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/progress.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::distributed::detail {

class module_table;
class transport;
struct collective;
struct rank_tables;

/// A call whose answer is awaited. Destroys itself when it has the answer.
class awaited_answer {
 public:
  awaited_answer() = default;
  awaited_answer(const awaited_answer&) = delete;
  awaited_answer& operator=(const awaited_answer&) = delete;
  virtual void take(engine& home, const incoming& message) noexcept = 0;
  virtual void fail(std::exception_ptr why) noexcept = 0;
  virtual ~awaited_answer() = default;
};

/// Objects of which each rank has one, numbered in the order in which they are made. May outlive the
/// engine.
class rank_objects {
 public:
  explicit rank_objects(int rank) noexcept : rank_(rank) {}

  [[nodiscard]] std::uint64_t add(std::shared_ptr<void> object, const std::type_info& type);
  void remove(std::uint64_t number) noexcept;
  /// Waits until this rank has made the object. Errors: `weft::error` if it is destroyed, or of
  /// another type.
  [[nodiscard]] std::shared_ptr<void> find(std::uint64_t number, const std::type_info& type);

 private:
  struct shared_object {
    std::shared_ptr<void> object;
    const std::type_info* type = nullptr;
  };
  const int rank_;
  mutex mutex_;
  condition_variable changed_;
  std::map<std::uint64_t, shared_object> all_;
  std::uint64_t num_made_ = 0;  // ever, here
};

/// Counts of what this rank sent to other ranks and received from them. A parcel is a call, a result
/// or an exception. A message carries small parcels or a part of a large one, or confirms messages.
struct traffic {
  std::uint64_t parcels_sent = 0;
  std::uint64_t parcels_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;  // of the messages
  std::uint64_t bytes_received = 0;
};

/// Threads: every member from any thread, unless it says otherwise.
class engine final : public tasks::progress_source {
 public:
  engine(std::unique_ptr<transport> link, tasks::scheduler& home, const runtime_options& options);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  ~engine() override;

  /// Of the calling task's runtime, or the only one. Errors: `weft::error` if there is none.
  [[nodiscard]] static engine& current();

  [[nodiscard]] tasks::scheduler& home() const noexcept { return home_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const runtime_options& options() const noexcept { return options_; }
  /// Errors: `weft::error` if there is no such rank.
  void require_rank(int rank) const;
  /// True if a call to `rank` is to be a call of this process.
  [[nodiscard]] bool is_local(int rank) const noexcept {
    return rank == rank_ && !options_.always_serialize;
  }

  /// Sends a call of `target`; its answer goes to `awaited`, which now belongs to this object.
  void call(int to,
            const handler& target,
            outgoing& message,
            std::unique_ptr<awaited_answer> awaited);
  /// Sends a call that nobody awaits; waits while too much is queued for that rank, but not on a
  /// thread that polls.
  void post(int to, const handler& target, outgoing& message);
  /// Sends a result, or the exception that is being handled.
  void answer(int to, std::uint64_t request, outgoing& message);
  void answer_failure(int to, std::uint64_t request, std::string_view function) noexcept;

  /// Starts what a message asks for.
  void start(tasks::work_item& item) noexcept;
  /// Receives the parts of a message; `whole` is told by the poller.
  void receive_parts(const incoming& message,
                     std::span<const part_to_fill> parts,
                     part_arrival& whole) noexcept;
  /// Receives the parts of a message that cannot be used.
  void drain(const incoming& message) noexcept;
  /// A call of this rank to itself begins, without a message; `message_is_done` says that it ended.
  void local_call_begins() noexcept { num_local_.fetch_add(1, std::memory_order_relaxed); }
  /// All that a message asked for has been done.
  void message_is_done() noexcept { num_done_.fetch_add(1, std::memory_order_release); }
  /// The message that was sent last, or that will be done next, serves weft itself: the program's
  /// `quiescence` does not wait for such messages.
  void service_message_sent() noexcept {
    num_service_sent_.fetch_add(1, std::memory_order_release);
  }
  void service_message_ends() noexcept {
    num_service_done_.fetch_add(1, std::memory_order_release);
  }

  /// The exception that a failure carries.
  [[nodiscard]] std::exception_ptr exception_in(const incoming& message) const noexcept;

  void start(collective& operation);
  /// One quiescence at a time: returns the end of the former one, and keeps that of the next.
  [[nodiscard]] future<void> queue_quiescence(future<void> end);
  struct message_counts {
    std::uint64_t sent;  // and local calls
    std::uint64_t done;
  };
  [[nodiscard]] message_counts counts(bool with_service) const noexcept;
  [[nodiscard]] traffic exchanged() const noexcept;

  [[nodiscard]] const std::shared_ptr<rank_objects>& objects() const noexcept { return objects_; }
  [[nodiscard]] rank_tables& tables() const noexcept { return *tables_; }

  /// Ends the exchange of messages. Collective; no message may be under way.
  void close() noexcept;
  /// Ends the whole job.
  [[noreturn]] void abort_job(std::string_view why) noexcept;

  bool poll() noexcept override;
  [[nodiscard]] bool wants_polling() const noexcept override;
  /// For the transport, one thread at a time.
  void take(const incoming& message) noexcept;

 private:
  struct awaiting {
    awaited_answer* answer = nullptr;
    int from = 0;  // rank
    std::uint32_t generation = 0;
    std::uint32_t next_free = 0;
  };
  [[nodiscard]] std::uint64_t enlist(awaited_answer& answer, int from);
  /// Null: no answer of that rank to that request is awaited.
  [[nodiscard]] awaited_answer* strike(std::uint64_t request, int from) noexcept;
  void expect(bool is_answered) noexcept;
  std::size_t send(int to, outgoing& message);
  void send_failure(int to,
                    std::uint64_t request,
                    const std::exception_ptr& why,
                    std::string_view function);
  void take_call(const incoming& message) noexcept;
  void take_answer(const incoming& message) noexcept;

  std::unique_ptr<transport> link_;
  tasks::scheduler& home_;
  const runtime_options options_;
  const int rank_;
  const int size_;
  std::unique_ptr<module_table> modules_;
  // The last call that was taken, as calls of one function often follow each other.
  const handler* last_target_ = nullptr;
  std::uint32_t last_module_ = 0;
  std::uint64_t last_offset_ = 0;
  tasks::spin_lock awaiting_lock_;
  std::vector<awaiting> awaiting_;  // slot 0 is none
  std::uint32_t first_free_ = 0;
  tasks::spin_lock quiescence_lock_;
  future<void> last_quiescence_ = make_ready_future();
  const std::shared_ptr<rank_objects> objects_;
  const std::unique_ptr<rank_tables> tables_;
  alignas(128) std::atomic<std::uint64_t> num_sent_{0};
  std::atomic<std::uint64_t> num_local_{0};
  std::atomic<std::uint64_t> num_received_{0};
  std::atomic<std::uint64_t> num_service_sent_{0};
  alignas(128) std::atomic<std::uint64_t> num_done_{0};
  std::atomic<std::uint64_t> num_service_done_{0};
};

}  // namespace weft::distributed::detail
