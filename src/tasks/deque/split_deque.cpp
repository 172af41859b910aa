// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of the split deque: all functions that change the split, the ring or the lap.
#include "weft/tasks/detail/deque/split_deque.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/disturb.hpp"

namespace weft::tasks::detail {

/// The slots of a ring whose capacity is a power of two. A sentinel before the first slot stops
/// claims. Every slot starts empty and public, so an empty deque's top never looks private.
struct split_deque::ring {
  explicit ring(std::size_t capacity)
      : mask(static_cast<std::uint32_t>(capacity - 1)),
        slots(std::make_unique<slot[]>(capacity + 1)) {
    for (std::size_t i = 0; i <= capacity; ++i) {
      slots[i].store(public_bit, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] slot* first() const noexcept { return slots.get() + 1; }
  [[nodiscard]] std::uint32_t capacity() const noexcept { return mask + 1; }
  [[nodiscard]] slot* end() const noexcept { return first() + capacity(); }
  [[nodiscard]] slot& at(std::uint32_t index) const noexcept { return first()[index & mask]; }
  [[nodiscard]] bool holds(const slot* place) const noexcept {
    return std::less_equal<>{}(first(), place) && std::less<>{}(place, end());
  }

  std::uint32_t mask;
  std::unique_ptr<slot[]> slots;
};

split_deque::split_deque(std::size_t capacity) {
  rings_.push_back(std::make_unique<ring>(std::bit_ceil(std::max<std::size_t>(capacity, 2))));
  own_ring_ = rings_.back().get();
  ring_.store(own_ring_, std::memory_order_release);
  top_.store(own_ring_->first(), std::memory_order_relaxed);
  show_stores();  // the owner may be another thread
  set_limit();
}

split_deque::~split_deque() = default;

std::uint32_t split_deque::head() const noexcept {
  const slot* top = top_.load(std::memory_order_acquire);
  return lap_index_ + static_cast<std::uint32_t>(top - own_ring_->first());
}

split_deque::slot& split_deque::at(std::uint32_t index) const noexcept {
  return own_ring_->at(index);
}

std::uint32_t split_deque::private_count() const noexcept {
  const auto count =
      static_cast<std::int32_t>(head() - split_of(ends_.load(std::memory_order_acquire)));
  // Negative between a claim and its confirmation: a thief has published the claimed task
  // meanwhile.
  return static_cast<std::uint32_t>(std::max(count, 0));
}

/// Returns how many more tasks the ring can hold. The slot below the oldest task is never used. It
/// is public or empty, which stops an owner that moves down.
std::uint32_t split_deque::room() const noexcept {
  // acquire: pairs with the release of the thief that emptied the slots about to be overwritten
  const std::uint32_t used = head() - tail_of(ends_.load(std::memory_order_acquire));
  return own_ring_->mask - used;
}

void split_deque::set_limit() noexcept {
  slot* top = top_.load(std::memory_order_relaxed);
  limit_ = top + std::min<std::ptrdiff_t>(room(), own_ring_->end() - top);
}

split_deque::slot* split_deque::make_room() {
  const std::lock_guard guard(lock_);
  if (room() == 0) {
    grow();
  }
  if (top_.load(std::memory_order_relaxed) == own_ring_->end()) {
    lap_index_ += own_ring_->capacity();
    top_.store(own_ring_->first(), std::memory_order_release);
  }
  set_limit();
  return top_.load(std::memory_order_relaxed);
}

void split_deque::grow() {
  auto larger = std::make_unique<ring>(std::size_t{own_ring_->capacity()} * 2);
  const std::uint32_t end = head();
  // Thieves may take the oldest tasks meanwhile; their copies are never read.
  for (std::uint32_t i = tail_of(ends_.load(std::memory_order_relaxed)); i != end; ++i) {
    larger->at(i).store(at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  rings_.push_back(std::move(larger));
  own_ring_ = rings_.back().get();
  lap_index_ = end & ~own_ring_->mask;
  top_.store(own_ring_->first() + (end - lap_index_), std::memory_order_release);
  disturb();
  // release: pairs with the acquire in steal()
  ring_.store(own_ring_, std::memory_order_release);
}

/// Moves `top_` from the ring's first slot to its end, one lap earlier, where the next older task
/// is.
void split_deque::step_back() noexcept {
  lap_index_ -= own_ring_->capacity();
  top_.store(own_ring_->end(), std::memory_order_release);
  limit_ = own_ring_->end();
}

void split_deque::acknowledge() noexcept { withdraw(request::forced); }

/// Makes the private tasks before index `end` public.
void split_deque::publish_up_to(std::uint32_t end) noexcept {
  std::uint64_t ends = ends_.load(std::memory_order_acquire);
  num_publications_.store(num_publications() + 1, std::memory_order_relaxed);
  num_published_.store(num_published() + (end - split_of(ends)), std::memory_order_relaxed);
  for (std::uint32_t i = split_of(ends); i != end; ++i) {
    at(i).store(at(i).load(std::memory_order_relaxed) | public_bit, std::memory_order_relaxed);
    disturb();
  }
  // release: pairs with the acquire in steal(); only thieves change the word at the same time
  while (!ends_.compare_exchange_weak(
      ends, ends_of(tail_of(ends), end), std::memory_order_acq_rel, std::memory_order_acquire)) {
  }
}

/// Takes the public task on top for the owner; false if thieves took it.
bool split_deque::take_public_top() noexcept {
  std::uint64_t ends = ends_.load(std::memory_order_acquire);
  for (;;) {
    const std::uint32_t tail = tail_of(ends);
    const std::uint32_t split = split_of(ends);
    if (tail == split) {
      return false;
    }
    // The owner takes the last public task as a thief does, by advancing `tail`. If there are more,
    // the younger half becomes private again.
    const std::uint32_t kept = (split - tail) / 2;
    const std::uint64_t wanted = kept == 0 ? ends_of(tail + 1, split) : ends_of(tail, tail + kept);
    disturb();
    if (!ends_.compare_exchange_weak(
            ends, wanted, std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    if (kept != 0) {
      for (std::uint32_t i = tail + kept; i != split; ++i) {
        at(i).store(at(i).load(std::memory_order_relaxed) & ~public_bit, std::memory_order_relaxed);
      }
      slot* top = top_.load(std::memory_order_relaxed) - 1;
      top->store(0, std::memory_order_relaxed);
      top_.store(top, std::memory_order_release);
    }
    return true;
  }
}

/// Checks a claim that lowered `top_` to `place` while a request was pending. True: the claim
/// holds.
bool split_deque::confirm_top(slot* place) noexcept {
  const std::lock_guard guard(lock_);
  const std::uint32_t split = split_of(ends_.load(std::memory_order_acquire));
  bool is_mine = true;
  // true if a thief published the task first
  if (static_cast<std::int32_t>(split - head()) > 0 && !leaves_out(safety_step::owner_recheck)) {
    top_.store(place + 1, std::memory_order_release);
    is_mine = take_public_top();
  }
  acknowledge();
  publish_if_asked();
  return is_mine;
}

/// Call it after `top_` was lowered over holes while a request was pending. Raises `top_` again if
/// a thief has published the holes meanwhile.
void split_deque::restore_top() noexcept {
  const std::lock_guard guard(lock_);
  const std::uint32_t split = split_of(ends_.load(std::memory_order_acquire));
  const auto published = static_cast<std::int32_t>(split - head());
  if (published > 0) {
    top_.store(top_.load(std::memory_order_relaxed) + published, std::memory_order_release);
  }
  acknowledge();
  publish_if_asked();
}

/// Publishes the older half of the private part if a thief or a parked worker waits for it.
void split_deque::publish_if_asked() noexcept {
  if ((requests_.load(std::memory_order_relaxed) & request::publish) == 0) {
    return;
  }
  const std::uint32_t count = private_count();
  if (count > 0) {
    withdraw(request::publish);  // before, as in answer()
    publish_up_to(split_of(ends_.load(std::memory_order_relaxed)) + (count + 1) / 2);
  }
}

/// Moves `top_` down over slots whose tasks were claimed out of order. False: the deque is empty.
bool split_deque::settle() noexcept {
  while (head() != tail_of(ends_.load(std::memory_order_acquire))) {
    slot* top = top_.load(std::memory_order_relaxed);
    if (top == own_ring_->first()) {
      step_back();
    } else if (const std::uintptr_t on_top = top[-1].load(std::memory_order_relaxed); on_top == 0) {
      top_.store(top - 1, std::memory_order_release);
    } else if (on_top != public_bit || !take_public_top()) {
      return on_top != public_bit;
    }
  }
  return false;
}

/// Claims `t` and all tasks above it by lowering `top_`, as `claim_top` claims one task. Then puts
/// all but `t` back.
bool split_deque::claim_inside(task& t, slot* place) noexcept {
  slot* top = top_.load(std::memory_order_relaxed);
  // Below the top, in the current lap, a slot without the public bit is private.
  if (!own_ring_->holds(place) || !std::less<>{}(place, top) ||
      place->load(std::memory_order_relaxed) != bits(t)) {
    return false;
  }
  disturb();
  top_.store(place, std::memory_order_release);
  if (is_asked() && !leaves_out(safety_step::inside_recheck)) {
    // A thief may have published `t` meanwhile: claim_slowly() checks again.
    const std::lock_guard guard(lock_);
    top_.store(top, std::memory_order_release);
    return false;
  }
  disturb();
  place->store(0, std::memory_order_relaxed);
  disturb();
  // release: as in push()
  top_.store(top, std::memory_order_release);
  return true;
}

/// Empties the slot of `t` at `place` if it is private.
bool split_deque::forget_private(const task& t, slot* place) noexcept {
  if (!own_ring_->holds(place) || place->load(std::memory_order_relaxed) != bits(t)) {
    return false;
  }
  place->store(0, std::memory_order_relaxed);
  return true;
}

/// Takes `t` if it is private anywhere, or public and on top.
bool split_deque::take(const task& t, slot* place) noexcept {
  if (!settle()) {
    return false;
  }
  slot* top = top_.load(std::memory_order_relaxed) - 1;
  const std::uintptr_t on_top = top->load(std::memory_order_relaxed);
  if (on_top == (bits(t) | public_bit)) {
    return take_public_top();
  }
  if (on_top != bits(t)) {
    return forget_private(t, place);
  }
  top->store(0, std::memory_order_relaxed);
  top_.store(top, std::memory_order_release);
  return true;
}

claim split_deque::claim_slowly(task& t, slot* place) noexcept {
  const std::lock_guard guard(lock_);
  acknowledge();
  bool is_mine = false;
  // A replacement that has left the deque may have been freed, with another task at the address of
  // `replaced_`.
  if (replaced_ == &t && take(*replacement_, place)) {
    replaced_ = nullptr;
    is_mine = true;
  } else {
    is_mine = take(t, place);
  }
  publish_if_asked();
  return is_mine ? claim::mine : claim::elsewhere;
}

task* split_deque::pop() noexcept {
  for (;;) {
    slot* place = top_.load(std::memory_order_relaxed) - 1;
    const std::uintptr_t on_top = place->load(std::memory_order_relaxed);
    if ((on_top & public_bit) != 0) {
      return pop_slowly();
    }
    disturb();
    top_.store(place, std::memory_order_release);
    const bool is_mine = !is_asked() || confirm_top(place);
    if (on_top != 0 && is_mine) {
      forget(place);
      return task_of(on_top);
    }
  }
}

task* split_deque::pop_slowly() noexcept {
  const std::lock_guard guard(lock_);
  acknowledge();
  if (!settle()) {
    return nullptr;
  }
  slot* top = top_.load(std::memory_order_relaxed) - 1;
  const std::uintptr_t on_top = top->load(std::memory_order_relaxed);
  if ((on_top & public_bit) != 0) {
    return take_public_top() ? task_of(on_top) : nullptr;
  }
  top->store(0, std::memory_order_relaxed);
  top_.store(top, std::memory_order_release);
  return task_of(on_top);
}

bool split_deque::replace_top(task& t, task& other, bool (*may)(const task& t)) noexcept {
  const std::lock_guard guard(lock_);
  slot* top = top_.load(std::memory_order_relaxed) - 1;
  if (!own_ring_->holds(top) || top->load(std::memory_order_relaxed) != bits(t)) {
    return false;
  }
  // Under the lock no other thread can publish `t`, so `t` has not run yet.
  if (!may(t)) {
    return false;
  }
  top->store(bits(other), std::memory_order_relaxed);
  replaced_ = &t;
  replacement_ = &other;
  return true;
}

bool split_deque::answer() noexcept {
  const std::lock_guard guard(lock_);
  const std::uint32_t count = private_count();
  const bool has_some = count > 0 || has_public();
  // Read under the lock: without membarrier, a worker that saw no push before has left its request.
  // Withdrawn before tasks become public, because a thief repeats its request at once.
  const std::uint32_t asked =
      requests_.fetch_and(~(has_some ? request::forced | request::publish : request::forced),
                          std::memory_order_relaxed);
  if ((asked & (request::publish | request::sleepers)) != 0 && count > 0) {
    publish_up_to(split_of(ends_.load(std::memory_order_relaxed)) + (count + 1) / 2);
  }
  if ((asked & request::sleepers) == 0 || !has_public()) {
    return false;
  }
  disturb();
  // seq_cst: pairs with ask()
  return (requests_.fetch_and(~request::sleepers) & request::sleepers) != 0;
}

task* split_deque::take_oldest() noexcept {
  if (!has_public()) {
    const std::lock_guard guard(lock_);
    acknowledge();
    if (private_count() > 0) {
      publish_up_to(split_of(ends_.load(std::memory_order_relaxed)) + 1);
    }
  }
  return steal();
}

void split_deque::publish_all() noexcept {
  const std::lock_guard guard(lock_);
  acknowledge();
  if (private_count() > 0) {
    publish_up_to(head());
  }
}

task* split_deque::steal() noexcept {
  // acquire: pairs with the release that published the task, here and in the exchange
  std::uint64_t ends = ends_.load(std::memory_order_acquire);
  while (tail_of(ends) != split_of(ends)) {
    const ring* current = ring_.load(std::memory_order_acquire);
    disturb();
    const std::uintptr_t oldest = current->at(tail_of(ends)).load(std::memory_order_relaxed);
    disturb();
    if (ends_.compare_exchange_weak(ends,
                                    ends_of(tail_of(ends) + 1, split_of(ends)),
                                    std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      if (task_of(oldest) != nullptr) {
        return task_of(oldest);
      }
      ends = ends_.load(std::memory_order_acquire);
    }
  }
  return nullptr;
}

bool split_deque::force_publish(void (*barrier)() noexcept) noexcept {
  if (private_estimate(ends_.load(std::memory_order_acquire)) == 0 || !force_lock_.try_lock()) {
    return false;
  }
  const std::lock_guard force_guard(force_lock_, std::adopt_lock);
  requests_.fetch_or(request::forced, std::memory_order_seq_cst);
  disturb();
  barrier();
  disturb();
  const std::lock_guard guard(lock_);
  // The owner clears the bit only under the lock. If the bit is still set, the owner will check all
  // its claims since the barrier again.
  const bool is_unanswered = (requests_.load(std::memory_order_relaxed) & request::forced) != 0;
  if ((!is_unanswered && !leaves_out(safety_step::acknowledgement)) || private_count() == 0) {
    return false;
  }
  disturb();
  publish_up_to(head());
  return true;
}

/// Returns how many tasks seem private, if `ends` was read from `ends_`. None: the ring is being
/// replaced.
std::optional<std::uint32_t> split_deque::private_estimate(std::uint64_t ends) const noexcept {
  const slot* top = top_.load(std::memory_order_acquire);
  const ring& current = *ring_.load(std::memory_order_acquire);
  if (!current.holds(top) && top != current.end()) {
    return std::nullopt;
  }
  // Only the owner knows the lap, but a ring never holds a whole lap.
  const auto position = static_cast<std::uint32_t>(top - current.first());
  // Public: nothing is private, or the owner is claiming a task that was published meanwhile.
  const bool is_public =
      (current.at(position - 1).load(std::memory_order_relaxed) & public_bit) != 0;
  return is_public ? 0 : (position - split_of(ends)) & current.mask;
}

bool split_deque::has_none_left() const noexcept {
  // Thieves move `tail` towards the head, and only the owner moves the head.
  return tail_of(ends_.load(std::memory_order_acquire)) == head();
}

bool split_deque::looks_empty() noexcept {
  if (is_asked_to(request::fenced)) {
    // The lock takes the place of the caller's barrier.
    const std::lock_guard guard(lock_);
    return !has_public() && private_count() == 0;
  }
  // Without the lock, because parked workers look at each other's deques. The word is read again,
  // since a task that becomes public between the two looks would be missed.
  for (;;) {
    const std::uint64_t ends = ends_.load(std::memory_order_acquire);
    if (tail_of(ends) != split_of(ends) || private_estimate(ends) != 0) {
      return false;
    }
    if (ends_.load(std::memory_order_acquire) == ends) {
      return true;
    }
  }
}

std::size_t split_deque::size_estimate() const noexcept {
  const std::uint64_t ends = ends_.load(std::memory_order_acquire);
  const std::uint32_t num_public = split_of(ends) - tail_of(ends);
  return num_public + private_estimate(ends).value_or(0);
}

}  // namespace weft::tasks::detail
