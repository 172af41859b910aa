// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a test may stretch the time between two steps of a protocol, or leave a step out.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::tasks::detail {

/// Steps without which a protocol is wrong: a test that leaves one out must fail.
enum class safety_step : std::uint8_t {
  owner_recheck,    // the owner looks again what thieves published while it claimed
  inside_recheck,   // the same while it claimed one below others
  acknowledgement,  // a thief respects that the owner answered
  park_recheck      // a worker looks for work after it announced that it sleeps
};

#if defined(WEFT_TEST_DELAYS)
/// Passes a random time, mostly none; tests/tasks/disturb.cpp.
void disturb() noexcept;
/// True if the test that runs leaves `step` out.
bool leaves_out(safety_step step) noexcept;
/// True if every suspended task shall wake up on another worker than it fell asleep on.
bool forces_migration() noexcept;

/// A word whose stores by its one owner may reach others late, as from a processor's store buffer:
/// at the latest with the owner's next store or unlock, or when anybody passes a barrier for all.
/// It knows nothing of memory orders, and its stores pass one lock of the process: what is ordered
/// by too little elsewhere, ThreadSanitizer finds only in builds without delays.
class late_word {
 public:
  late_word() = default;
  late_word(const late_word&) = delete;
  late_word& operator=(const late_word&) = delete;
  ~late_word();
  [[nodiscard]] std::uintptr_t load() const noexcept;
  void store(std::uintptr_t value) noexcept;
  void show() noexcept;

 private:
  std::atomic<std::uintptr_t> seen_{0};
  std::atomic<std::uintptr_t> latest_{0};  // what the owner stored last
};

template <class T>
class late_atomic;
template <class T>
class late_atomic<T*> {
 public:
  [[nodiscard]] T* load(std::memory_order /*order*/) const noexcept {
    return reinterpret_cast<T*>(word_.load());  // NOLINT(performance-no-int-to-ptr): it was one
  }
  void store(T* value, std::memory_order /*order*/) noexcept {
    word_.store(reinterpret_cast<std::uintptr_t>(value));
  }

 private:
  late_word word_;
};

/// Lets others see what this thread stored to late words.
void show_stores() noexcept;
/// Lets all threads see what any thread stored to late words.
void show_all_stores() noexcept;
#else
[[gnu::always_inline]] inline void disturb() noexcept {}
[[gnu::always_inline]] constexpr bool leaves_out(safety_step /*step*/) noexcept { return false; }
[[gnu::always_inline]] constexpr bool forces_migration() noexcept { return false; }
template <class T>
using late_atomic = std::atomic<T>;
[[gnu::always_inline]] inline void show_stores() noexcept {}
[[gnu::always_inline]] inline void show_all_stores() noexcept {}
#endif

}  // namespace weft::tasks::detail
