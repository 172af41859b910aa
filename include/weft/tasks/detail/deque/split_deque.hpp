// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A worker's tasks: a private part that costs its owner neither fence nor atomic read-modify-write,
// and a public part that thieves take from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

namespace weft::tasks::detail {

/// The requests to a deque's owner, who checks them after every push and every claim.
namespace request {
inline constexpr std::uint32_t publish = 1;  // a thief found nothing public
// a worker is parked: the owner wakes it when it publishes work
inline constexpr std::uint32_t sleepers = 2;
// a thief has published for the owner, who must acknowledge it
inline constexpr std::uint32_t forced = 4;
inline constexpr std::uint32_t fenced =
    8;  // no membarrier(2) here: every push and claim takes the lock
// the owner measures how long its next task stays in the deque
inline constexpr std::uint32_t follow = 16;
inline constexpr std::uint32_t traced = 32;  // all pushes are recorded
}  // namespace request

/// The result of an owner's attempt to take a certain task back.
enum class claim : std::uint8_t {
  mine,      // the caller runs it
  elsewhere  // another worker has it or will get it: wait for its completion
};

/// A deque of tasks with one owner and any number of thieves.
///
/// Tasks have indices that grow with every push. Those in [tail, split) are public, those in
/// [split, head) private. `tail` and `split` share the word `ends_`. Thieves (tail + 1) and the
/// thread that moves `split` change it by compare-and-swap. `head` is `top_`, which only the owner
/// uses. A slot's lowest bit says that its task is public. So one comparison shows the owner that
/// the top task is the one it pushed, and is still private.
///
/// Protocols, checked by the models in tests/tasks/model:
/// - *steal*: a thief reads `ends_`, then the slot of `tail`, then advances `tail`. The slot of
///   index `tail` never changes while `tail` stays: even the owner takes the last public task only
///   by advancing `tail`. So the thief wins the task that it read.
/// - *publish on request*: a thief sets `request::publish`; the owner, at its next push or claim,
///   publishes the older half of what is private.
/// - *forced publish*: the owner does not answer (a long leaf, or it is not scheduled). The thief
///   sets `request::forced`, makes every thread of the process pass a barrier (membarrier), and
///   takes the lock. The owner claims by *store top, compiler barrier, load requests*. After the
///   barrier, the thief sees the claim, or the owner sees the request. In its slow path the owner
///   then waits for the lock and checks again. `forced` stays set until then.
/// Everything but the fast paths and `steal` holds `lock_`.
///
/// Threads: `steal`, `ask`, `force_publish`, `looks_empty` and `size_estimate` from any thread, all
///          else from the owner.
/// Source:  van Dijk and van de Pol, "Lace: Non-blocking Split Deque for Work-Stealing", 2014, for
///          the split; Acar, Chargueraud and Rainey, "Scheduling Parallel Programs by Work Stealing
///          with Private Deques", 2013, for the requests.
class split_deque {
 public:
  using slot = std::atomic<std::uintptr_t>;

  /// `capacity` is rounded up to a power of two.
  /// Errors:  std::bad_alloc.
  explicit split_deque(std::size_t capacity = 1024);
  split_deque(const split_deque&) = delete;
  split_deque& operator=(const split_deque&) = delete;
  ~split_deque();

  /// Puts `t` on top and returns its slot. The caller must then check `is_asked()`.
  [[gnu::always_inline]] slot* push(task& t) {
    slot* place = top_.load(std::memory_order_relaxed);
    if (place == limit_) [[unlikely]] {
      place = make_room();
    }
    place->store(bits(t), std::memory_order_relaxed);
    disturb();
    // release: pairs with the acquire in force_publish(), which passes `t` to thieves
    top_.store(place + 1, std::memory_order_release);
    return place;
  }

  /// True if a thief waits for the owner to `answer()`.
  [[gnu::always_inline]] [[nodiscard]] bool is_asked() const noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    disturb();
    return requests_.load(std::memory_order_relaxed) != 0;
  }

  /// True if `what` is among the requests. For the owner.
  [[nodiscard]] bool is_asked_to(std::uint32_t what) const noexcept {
    return (requests_.load(std::memory_order_relaxed) & what) != 0;
  }

  /// The result of `begin_claim`.
  enum class claiming : std::uint8_t {
    mine,   // the caller runs it
    asked,  // the caller's if `confirm_top(place)` returns true; else call `claim_slowly`
    none    // call `claim_slowly`
  };

  /// Takes `t`, pushed at `place`, back if it is on top and private: the common end of a fork.
  [[gnu::always_inline]] claiming begin_claim(task& t, slot* place) noexcept {
    if (top_.load(std::memory_order_relaxed) != place + 1 ||
        place->load(std::memory_order_relaxed) != bits(t)) [[unlikely]] {
      return claiming::none;
    }
    disturb();
    top_.store(place, std::memory_order_release);
    return is_asked() ? claiming::asked : claiming::mine;
  }
  /// The second step of `begin_claim` if there was a request.
  bool confirm_top(slot* place) noexcept;

  /// Takes `t` as `begin_claim` and `confirm_top` do. False: call `claim_slowly(t, place)`.
  [[gnu::always_inline]] bool claim_top(task& t, slot* place) noexcept {
    const claiming begun = begin_claim(t, place);
    if (begun == claiming::asked) [[unlikely]] {
      return confirm_top(place);
    }
    return begun == claiming::mine;
  }

  /// Takes `t` back if it is on top and private, wherever it was pushed, and empties its slot.
  /// False: try `claim_inside`, then call `claim_slowly`.
  [[gnu::always_inline]] bool claim_any(task& t) noexcept {
    slot* place = top_.load(std::memory_order_relaxed) - 1;
    if (!claim_top(t, place)) {
      return false;
    }
    forget(place);
    return true;
  }

  /// Takes `t`, pushed at `place`, back if it is private, even from below later tasks. Its slot
  /// stays empty. Needed by code that waits for several tasks in the order of their start.
  bool claim_inside(task& t, slot* place) noexcept;

  /// Takes `t` back if possible: private anywhere, or public and on top.
  claim claim_slowly(task& t, slot* place) noexcept;

  /// Takes the task on top; null if there is none.
  task* pop() noexcept;

  /// Replaces `t`, just pushed, by `other`; `claim_slowly` still finds it. False: `t` is public or
  /// gone (then no code may access it), or `may` returns false.
  [[nodiscard]] bool replace_top(task& t, task& other, bool (*may)(const task& t)) noexcept;
  /// True unless the replaced task was claimed.
  [[nodiscard]] bool has_replaced() const noexcept { return replaced_ != nullptr; }

  /// Answers all requests. True if tasks were published while workers are parked: wake one of them.
  [[nodiscard]] bool answer() noexcept;

  /// Takes the oldest task, for fairness; null if there is none.
  task* take_oldest() noexcept;

  /// Makes all tasks public, because their owner is about to leave.
  void publish_all() noexcept;

  /// Takes the oldest public task; null if there is none or another thief was faster.
  task* steal() noexcept;

  /// Sets request bits.
  void ask(std::uint32_t what) noexcept {
    // seq_cst: if the bit is set here, only an answer() can withdraw it that then finds the worker
    // that parked before this call
    if ((requests_.load(std::memory_order_seq_cst) & what) != what) {
      disturb();
      requests_.fetch_or(what, std::memory_order_seq_cst);
    }
  }
  void withdraw(std::uint32_t what) noexcept {
    requests_.fetch_and(~what, std::memory_order_relaxed);
  }

  /// Publishes for an owner that does not answer. `barrier` makes every running thread of the
  /// process pass a full fence. False if nothing was private, or another thief is publishing.
  bool force_publish(void (*barrier)() noexcept) noexcept;

  /// The number of publications, and of tasks in them. Exact for the owner; others may see old
  /// values.
  [[nodiscard]] std::uint64_t num_publications() const noexcept {
    return num_publications_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t num_published() const noexcept {
    return num_published_.load(std::memory_order_relaxed);
  }

  /// True if a thief would find a task now.
  /// Cost:    one load of a line that thieves share.
  [[nodiscard]] bool has_public() const noexcept {
    const std::uint64_t ends = ends_.load(std::memory_order_relaxed);
    return tail_of(ends) != split_of(ends);
  }
  /// True if the deque holds no task. For the owner.
  /// Cost:    as `has_public`, and the owner's line.
  [[nodiscard]] bool has_none_left() const noexcept;
  /// True if neither part seems to hold a task. Exact after a barrier while the owner changes
  /// nothing.
  /// Cost:    reads the owner's line.
  [[nodiscard]] bool looks_empty() noexcept;
  /// The approximate number of tasks, for statistics only: it ignores concurrent changes, and
  /// counts the holes of tasks that were claimed out of order.
  /// Cost:    reads the owner's line, takes no lock.
  [[nodiscard]] std::size_t size_estimate() const noexcept;

 private:
  struct ring;

  static std::uintptr_t bits(const task& t) noexcept {
    return reinterpret_cast<std::uintptr_t>(&t);
  }
  static task* task_of(std::uintptr_t slot_bits) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a tagged word
    return reinterpret_cast<task*>(slot_bits & ~public_bit);
  }
  static constexpr std::uintptr_t public_bit = 1;
  static constexpr std::uint32_t tail_of(std::uint64_t ends) noexcept {
    return static_cast<std::uint32_t>(ends);
  }
  static constexpr std::uint32_t split_of(std::uint64_t ends) noexcept {
    return static_cast<std::uint32_t>(ends >> 32);
  }
  static constexpr std::uint64_t ends_of(std::uint32_t tail, std::uint32_t split) noexcept {
    return (std::uint64_t{split} << 32) | tail;
  }

  /// Empties the slot at `place` after a claim, and moves down over slots whose tasks were claimed
  /// out of order.
  [[gnu::always_inline]] void forget(slot* place) noexcept {
    if (top_.load(std::memory_order_relaxed) != place) [[unlikely]] {
      return;  // it was the last public task: thieves rely on the slot's old value
    }
    place->store(0, std::memory_order_relaxed);
    if (place[-1].load(std::memory_order_relaxed) == 0) [[unlikely]] {
      drop_holes(place);
    }
  }
  [[gnu::always_inline]] void drop_holes(slot* place) noexcept {
    do {
      --place;
    } while (place[-1].load(std::memory_order_relaxed) == 0);
    top_.store(place, std::memory_order_release);
    if (is_asked()) [[unlikely]] {
      restore_top();
    }
  }

  slot* make_room();
  void restore_top() noexcept;
  task* pop_slowly() noexcept;
  [[nodiscard]] std::optional<std::uint32_t> private_estimate(std::uint64_t ends) const noexcept;

  // The rest holds lock_.
  [[nodiscard]] std::uint32_t head() const noexcept;
  [[nodiscard]] slot& at(std::uint32_t index) const noexcept;
  void step_back() noexcept;
  [[nodiscard]] std::uint32_t room() const noexcept;
  void set_limit() noexcept;
  void grow();
  void acknowledge() noexcept;
  bool settle() noexcept;
  void publish_if_asked() noexcept;
  void publish_up_to(std::uint32_t end) noexcept;
  bool take_public_top() noexcept;
  bool forget_private(const task& t, slot* place) noexcept;
  bool take(const task& t, slot* place) noexcept;
  [[nodiscard]] std::uint32_t private_count() const noexcept;

  // The owner's line: all members that the fast paths use, except `requests_`.
  alignas(128) late_atomic<slot*> top_;
  slot* limit_ = nullptr;        // a push at this slot needs make_room()
  std::uint32_t lap_index_ = 0;  // index of the ring's first slot in the current lap
  ring* own_ring_ = nullptr;
  // Written by others, read by the owner.
  alignas(128) std::atomic<std::uint32_t> requests_{0};
  // The thieves' line.
  alignas(128) std::atomic<std::uint64_t> ends_{0};
  std::atomic<ring*> ring_{nullptr};
  // Slow paths.
  alignas(128) spin_lock lock_;
  spin_lock force_lock_;
  std::atomic<std::uint64_t> num_publications_{0};  // written under lock_
  std::atomic<std::uint64_t> num_published_{0};
  // the task that `replacement_` stands for while that is in the deque; for the owner
  task* replaced_ = nullptr;
  task* replacement_ = nullptr;
  // all that ever existed: a slow thief may still read an old one
  std::vector<std::unique_ptr<ring>> rings_;
};

}  // namespace weft::tasks::detail
