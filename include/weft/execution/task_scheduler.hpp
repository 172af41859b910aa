// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any scheduler that does not fail, behind one type.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/inline_scheduler.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"

namespace weft::execution {

class task_scheduler;

namespace detail {

/// The outer side of an erased `schedule`.
struct erased_arrival {
  void (*arrived)(erased_arrival& me) noexcept;
  void (*stopped)(erased_arrival& me) noexcept;
  inplace_stop_token token = {};
};

struct arrival_env {
  using forwards_all = void;
  [[nodiscard]] inplace_stop_token query(get_stop_token_t /*key*/) const noexcept { return token; }
  inplace_stop_token token;
};

struct arrival_receiver {
  using receiver_concept = receiver_tag;
  void set_value() noexcept { to->arrived(*to); }
  void set_stopped() noexcept { to->stopped(*to); }
  [[nodiscard]] arrival_env get_env() const noexcept { return {to->token}; }
  erased_arrival* to;
};

/// Room for the operation of an erased `schedule`: here if it is small, else on the heap.
class schedule_room {
 public:
  schedule_room() noexcept = default;
  schedule_room(const schedule_room&) = delete;
  schedule_room& operator=(const schedule_room&) = delete;
  ~schedule_room() {
    if (object_ != nullptr) {
      end_(object_);
    }
  }
  /// Errors: std::bad_alloc.
  template <class Scheduler>
  void connect_to(const Scheduler& where, erased_arrival& to) {
    using operation = connect_result_t<schedule_result_t<Scheduler>, arrival_receiver>;
    const auto made = [&] { return connect(schedule(Scheduler(where)), arrival_receiver{&to}); };
    if constexpr (sizeof(operation) <= size_bytes && alignof(operation) <= alignof(void*)) {
      object_ = ::new (static_cast<void*>(bytes_)) operation(made());
      end_ = [](void* object) noexcept { static_cast<operation*>(object)->~operation(); };
    } else {
      object_ = ::new operation(made());
      end_ = [](void* object) noexcept { delete static_cast<operation*>(object); };
    }
    start_ = [](void* object) noexcept { static_cast<operation*>(object)->start(); };
  }
  void start() noexcept { start_(object_); }

 private:
  static constexpr std::size_t size_bytes = 12 * sizeof(void*);  // those of weft's schedulers

  void* object_ = nullptr;
  void (*start_)(void* object) noexcept = nullptr;
  void (*end_)(void* object) noexcept = nullptr;
  alignas(void*) std::byte bytes_[size_bytes];  // NOLINT(*-avoid-c-arrays): raw memory
};

/// True if `schedule` sends nothing, or is stopped, and cannot end otherwise.
template <class List>
inline constexpr bool only_arrives_or_stops = false;
template <class... Signatures>
inline constexpr bool only_arrives_or_stops<completion_signatures<Signatures...>> =
    ((std::same_as<Signatures, set_value_t()> || std::same_as<Signatures, set_stopped_t()>) && ...);

/// True for those of weft that run work wherever there is a worker, and for what derives from the
/// runtime's.
template <class Scheduler>
inline constexpr bool is_any_workers =
    std::derived_from<Scheduler, runtime_scheduler> || std::same_as<Scheduler, inline_scheduler>;

/// How to handle a kept scheduler of one type.
struct scheduler_calls {
  void (*copy)(const void* from, void* to) noexcept;
  void (*end)(void* kept) noexcept;
  bool (*equals)(const void* a, const void* b) noexcept;
  void (*connect_to)(const void* kept, schedule_room& room, erased_arrival& to);
  forward_progress_guarantee (*progress)(const void* kept) noexcept;
  bool is_wefts;
};

/// A scheduler as it is kept: itself if it is small, else shared by all copies.
template <class Scheduler>
struct kept_scheduler {
  static constexpr std::size_t most_bytes = 2 * sizeof(void*);
  static constexpr bool is_small = sizeof(Scheduler) <= most_bytes &&
                                   alignof(Scheduler) <= alignof(void*) &&
                                   std::is_nothrow_copy_constructible_v<Scheduler>;
  using type = std::conditional_t<is_small, Scheduler, std::shared_ptr<const Scheduler>>;

  static const Scheduler& of(const void* kept) noexcept {
    if constexpr (is_small) {
      return *static_cast<const Scheduler*>(kept);
    } else {
      return **static_cast<const type*>(kept);
    }
  }
  static void copy(const void* from, void* to) noexcept {
    ::new (to) type(*static_cast<const type*>(from));
  }
  static void end(void* kept) noexcept { static_cast<type*>(kept)->~type(); }
  static bool equals(const void* a, const void* b) noexcept { return of(a) == of(b); }
  static void connect_to(const void* kept, schedule_room& room, erased_arrival& to) {
    room.connect_to(of(kept), to);
  }
  static forward_progress_guarantee progress(const void* kept) noexcept {
    return get_forward_progress_guarantee(of(kept));
  }
  static constexpr scheduler_calls calls{
      copy, end, equals, connect_to, progress, is_any_workers<Scheduler>};
};

struct task_schedule_sender;
template <class Receiver>
struct task_schedule_operation;

}  // namespace detail

/// Any scheduler; what `execution::task<T, Env>` comes back to unless `Env` names another type.
///
/// Cost:    no allocation for schedulers of up to two pointers, and their operations of up to
///          twelve, as all of weft's are; else one each.
/// Threads: any, for copies.
/// Source:  C++26 working draft, [exec.task.scheduler]
/// Example: tests/execution/task_test.cpp: any_scheduler_is_kept.
class task_scheduler {
 public:
  using scheduler_concept = scheduler_tag;

  /// Errors:  std::bad_alloc for schedulers that are not small.
  template <class Scheduler, class Allocator = std::allocator<void>>
    requires(!std::same_as<std::remove_cvref_t<Scheduler>, task_scheduler>) && scheduler<Scheduler>
  explicit task_scheduler(Scheduler&& where, [[maybe_unused]] const Allocator& memory = {})
      : calls_(&detail::kept_scheduler<std::remove_cvref_t<Scheduler>>::calls) {
    using plain = std::remove_cvref_t<Scheduler>;
    using kept = detail::kept_scheduler<plain>;
    static_assert(
        detail::only_arrives_or_stops<
            completion_signatures_of_t<schedule_result_t<plain>, detail::arrival_env>>,
        "weft::execution::task_scheduler: scheduling on this scheduler may fail (set_error_t); it "
        "takes those whose schedule() sends nothing, or is stopped");
    if constexpr (kept::is_small) {
      ::new (static_cast<void*>(bytes_)) plain(static_cast<Scheduler&&>(where));
    } else {
      ::new (static_cast<void*>(bytes_)) typename kept::type(
          std::allocate_shared<const plain>(memory, static_cast<Scheduler&&>(where)));
    }
  }
  task_scheduler(const task_scheduler& other) noexcept : calls_(other.calls_) {
    calls_->copy(other.bytes_, bytes_);
  }
  task_scheduler& operator=(const task_scheduler& other) noexcept {
    if (this != &other) {
      calls_->end(bytes_);
      calls_ = other.calls_;
      calls_->copy(other.bytes_, bytes_);
    }
    return *this;
  }
  ~task_scheduler() { calls_->end(bytes_); }

  [[nodiscard]] detail::task_schedule_sender schedule() const noexcept;
  [[nodiscard]] forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) const noexcept {
    return calls_->progress(bytes_);
  }
  /// True if it is one of weft's that runs work wherever there is a worker.
  [[nodiscard]] bool is_wefts() const noexcept { return calls_->is_wefts; }
  friend bool operator==(const task_scheduler& a, const task_scheduler& b) noexcept {
    return a.calls_ == b.calls_ && a.calls_->equals(a.bytes_, b.bytes_);
  }
  /// True if it keeps a scheduler of this type that is equal. `scheduler<Scheduler>` would ask for
  /// this very operator where a task_scheduler is a template argument of `Scheduler`.
  template <class Scheduler>
    requires(!std::same_as<Scheduler, task_scheduler>) &&
            std::derived_from<typename Scheduler::scheduler_concept, scheduler_tag>
  friend bool operator==(const task_scheduler& a, const Scheduler& b) noexcept {
    using kept = detail::kept_scheduler<Scheduler>;
    return a.calls_ == &kept::calls && kept::of(a.bytes_) == b;
  }

 private:
  template <class Receiver>
  friend struct detail::task_schedule_operation;

  const detail::scheduler_calls* calls_;
  alignas(void*) std::byte bytes_[2 * sizeof(void*)];  // NOLINT(*-avoid-c-arrays): raw memory
};

namespace detail {

template <class Receiver>
struct task_schedule_operation : erased_arrival {
  using operation_state_concept = operation_state_tag;
  using outer_token = stop_token_of_t<env_of_t<Receiver>>;

  task_schedule_operation(const task_scheduler& where, Receiver&& end)
      : erased_arrival{&on_arrived, &on_stopped}, to(static_cast<Receiver&&>(end)) {
    where.calls_->connect_to(where.bytes_, room, *this);
  }
  task_schedule_operation(const task_schedule_operation&) = delete;
  task_schedule_operation& operator=(const task_schedule_operation&) = delete;
  ~task_schedule_operation() = default;

  void start() noexcept {
    if constexpr (std::same_as<outer_token, inplace_stop_token>) {
      token = get_stop_token(execution::get_env(to));
    }
    room.start();
  }

  static void on_arrived(erased_arrival& me) noexcept {
    auto& mine = static_cast<task_schedule_operation&>(me);
    if constexpr (!unstoppable_token<outer_token> &&
                  !std::same_as<outer_token, inplace_stop_token>) {
      if (get_stop_token(execution::get_env(mine.to)).stop_requested()) {
        static_cast<Receiver&&>(mine.to).set_stopped();
        return;
      }
    }
    static_cast<Receiver&&>(mine.to).set_value();
  }
  static void on_stopped(erased_arrival& me) noexcept {
    if constexpr (unstoppable_token<outer_token>) {
      std::terminate();  // a scheduler that stops what nobody asked it to
    } else {
      static_cast<Receiver&&>(static_cast<task_schedule_operation&>(me).to).set_stopped();
    }
  }

  [[no_unique_address]] Receiver to;
  schedule_room room;
};

struct [[nodiscard]] task_schedule_sender {
  using tag_type = schedule_t;
  using sender_concept = sender_tag;
  template <class Self, class... Env>
  static consteval auto get_completion_signatures() {
    if constexpr ((unstoppable_token<stop_token_of_t<Env>> && ... && (sizeof...(Env) != 0))) {
      return completion_signatures<set_value_t()>();
    } else {
      return completion_signatures<set_value_t(), set_stopped_t()>();
    }
  }
  template <class Receiver>
  auto connect(Receiver to) const {
    return task_schedule_operation<Receiver>(where, static_cast<Receiver&&>(to));
  }
  [[nodiscard]] completes_on<task_scheduler> get_env() const noexcept { return {where}; }
  task_scheduler where;
};

}  // namespace detail

inline detail::task_schedule_sender task_scheduler::schedule() const noexcept { return {*this}; }

}  // namespace weft::execution
