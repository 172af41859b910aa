// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that other ranks refer to: how they are counted, found and moved.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::distributed::detail {

class engine;
class object_table;

/// Names an object for the whole job: the rank that made it, and a number that this rank never uses
/// again.
struct object_id {
  std::int32_t home = -1;  // -1: no object
  std::uint64_t number = 0;
  friend bool operator==(const object_id&, const object_id&) noexcept = default;
};
struct hash_of_object {
  std::size_t operator()(const object_id& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.number << 20 ^ static_cast<std::uint64_t>(id.home));
  }
};

/// A handle in a message. It takes credit of the sender along, or else is a loan.
struct sent_reference {
  object_id object;
  std::uint64_t credit = 0;
  std::int32_t lender = -1;  // without credit: keeps the object until the loan is returned
  std::int32_t place = -1;   // where the sender believes the object to be
};

/// Credit that a rank returns to the home, or a loan that it returns to its lender, when its last
/// handle is destroyed.
struct returned_reference {
  object_id object;
  std::uint64_t credit = 0;  // 0: a loan
};

/// The share of one rank in the life of an object, which all handles of the rank hold together.
class object_reference {
 public:
  object_reference(std::shared_ptr<object_table> all, object_id id, int place) noexcept
      : all_(std::move(all)), id_(id), place_(place) {}
  object_reference(const object_reference&) = delete;
  object_reference& operator=(const object_reference&) = delete;
  ~object_reference();

  [[nodiscard]] object_table& all() const noexcept { return *all_; }
  [[nodiscard]] object_id id() const noexcept { return id_; }
  [[nodiscard]] int place() const noexcept { return place_.load(std::memory_order_relaxed); }

 private:
  friend class object_table;
  const std::shared_ptr<object_table> all_;
  const object_id id_;
  std::atomic<int> place_;    // relaxed: a wrong place only costs a forwarded message
  std::uint64_t credit_ = 0;  // guarded by the table's lock, as the next one
  int lender_ = -1;
};

/// The objects of one rank, and its references to objects of all ranks. May outlive the engine.
///
/// References are weighted: the home of an object counts the credit that it has given to ranks. A
/// rank that sends a handle splits its own credit, without a message. A rank whose credit is used
/// up lends instead: it keeps its share until the receiver has returned the loan. A receiver that
/// holds credit or a loan already returns the new one at once, so lenders never form a circle.
///
/// The home knows where an object is. Other ranks only remember where it was; a call that finds no
/// object goes to the home, which sends it on.
/// Threads: any.
/// Source:  Watson and Watson, "An efficient garbage collection scheme for parallel computer
///          architectures", 1987: weights. Piquer, "Indirect reference counting", 1991: loans.
class object_table : public std::enable_shared_from_this<object_table> {
 public:
  using reference_pointer = std::shared_ptr<object_reference>;

  explicit object_table(engine& home);
  object_table(const object_table&) = delete;
  object_table& operator=(const object_table&) = delete;
  ~object_table() = default;

  /// Errors: `weft::error` if the runtime of this table's handles has ended.
  [[nodiscard]] engine& home() const;

  /// Takes in a new object of this rank.
  [[nodiscard]] reference_pointer add(std::shared_ptr<void> object, const std::type_info& type);
  /// Makes a handle that is sent: one that must arrive somewhere, or go to `join` again.
  [[nodiscard]] sent_reference lend(const reference_pointer& from);
  /// Takes in a handle that has come. Errors: `archive_error` if it names no rank of the job.
  [[nodiscard]] reference_pointer join(const sent_reference& sent);
  /// Takes what other ranks, or this one, give back. Destroys objects that nobody refers to.
  void take_back(std::span<const returned_reference> all);
  /// Destroys an object that nobody refers to.
  void destroy(object_id id);

  /// Either the object, which is not moved while the pointer lives, or the rank to be asked instead.
  struct access {
    std::shared_ptr<void> object;
    int elsewhere = -1;
    std::uint64_t version = 0;  // how often it was moved
  };
  /// Waits while the object is sent to another rank.
  /// Errors:  `weft::error` if there is no such object, or it has another type.
  [[nodiscard]] access pin(object_id id, const std::type_info& type);
  /// As `pin`, but returns null where that would wait, or the object is elsewhere.
  [[nodiscard]] std::shared_ptr<void> try_pin(object_id id, const std::type_info& type);

  /// Waits until no call uses the object, and makes further calls wait until `end_move`.
  [[nodiscard]] access begin_move(object_id id, const std::type_info& type);
  /// The object is at `place` now: calls that wait go there.
  void end_move(object_id id, int place);
  /// Takes in an object of another rank.
  void install(object_id id,
               std::shared_ptr<void> object,
               const std::type_info& type,
               std::uint64_t version);
  /// The home learns where its object is.
  void note_place(object_id id, int place, std::uint64_t version);
  /// Another rank learns the same.
  void learn(object_id id, int place);

  /// The number of objects on this rank, for tests.
  [[nodiscard]] std::size_t num_objects() const;
  /// The number of other entries, for tests: references, objects made here, loans.
  [[nodiscard]] std::size_t num_entries() const;

  /// Destroys all objects; handles that are left refer to nothing.
  void close() noexcept;

 private:
  friend class object_reference;
  using clock = std::chrono::steady_clock;

  /// An object on this rank.
  struct body {
    std::shared_ptr<void> object;
    const std::type_info* type = nullptr;
    std::uint64_t version = 0;
    std::size_t num_pins = 0;
    bool is_in_transit = false;
    clock::time_point move_began = {};
    // valid: a task waits until it can move the object, or moves it
    shared_future<void> move_ended = {};
    std::optional<promise<void>> idle = {};  // for that task
    std::optional<promise<void>> ended = {};
  };
  /// The home rank's entry for an object.
  struct made {
    std::uint64_t credit = 0;  // of all ranks, this one included
    int place = 0;
    std::uint64_t version = 0;
  };
  struct pin_holder;
  struct loan {
    reference_pointer kept;
    std::uint64_t count = 0;
  };
  struct given_back {
    int to;
    returned_reference what;
  };
  /// Sends what was given back, in one message to each rank.
  struct sending_back final : tasks::work_item {
    explicit sending_back(object_table& mine) noexcept : task(run), all(mine) {}
    static tasks::waiter* run(tasks::work_item& item) noexcept;
    object_table& all;
  };

  void release(const object_reference& last) noexcept;
  void give_back(int to, returned_reference what);  // locked
  bool take_given_back(std::vector<given_back>& all) noexcept;
  void send_back(std::span<const given_back> all);
  void unpin(object_id id) noexcept;
  [[nodiscard]] int elsewhere(object_id id) const;  // locked
  void wait_until_idle(object_id id, const future<void>& idle);

  mutable tasks::spin_lock lock_;
  engine* const home_;
  bool is_closed_ = false;
  const int rank_;
  const int size_;
  std::atomic<std::uint64_t> next_number_{1};
  std::unordered_map<object_id, std::weak_ptr<object_reference>, hash_of_object> references_;
  std::unordered_map<object_id, loan, hash_of_object> loans_;
  std::unordered_map<object_id, body, hash_of_object> bodies_;
  std::unordered_map<std::uint64_t, made> made_;
  std::vector<given_back> given_back_;
  std::atomic<bool> is_sending_back_{false};
  sending_back sender_;
};

/// Collects the handles of a message that is written; takes them back unless it is sent.
class handles_in_message {
 public:
  handles_in_message() = default;
  handles_in_message(const handles_in_message&) = delete;
  handles_in_message& operator=(const handles_in_message&) = delete;
  ~handles_in_message();

  /// While it lives, handles that this thread writes belong to the message.
  class writing {
   public:
    explicit writing(handles_in_message& to) noexcept;
    writing(const writing&) = delete;
    writing& operator=(const writing&) = delete;
    ~writing();

   private:
    handles_in_message* outer_;
  };
  void are_sent() noexcept { all_.clear(); }

  /// Errors: `weft::error` if this thread writes no message.
  [[nodiscard]] static sent_reference add(const std::shared_ptr<object_reference>& one);

 private:
  struct handle {
    std::shared_ptr<object_reference> from;
    sent_reference sent;
  };
  std::vector<handle> all_;
};

}  // namespace weft::distributed::detail
