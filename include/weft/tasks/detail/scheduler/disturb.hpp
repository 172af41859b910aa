// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places where a test may delay a protocol between two steps, or leave a step out.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::tasks::detail {

/// Steps without which a protocol is wrong: a test that leaves one out must fail.
enum class safety_step : std::uint8_t {
  owner_recheck,    // the owner checks again which tasks thieves published while it claimed
  inside_recheck,   // the same while it claimed a task below others
  acknowledgement,  // a thief respects that the owner has answered
  park_recheck      // a worker looks for work after it has announced that it parks
};

#if defined(WEFT_TEST_DELAYS)
/// Passes a random time, mostly none; see tests/tasks/disturb.cpp.
void disturb() noexcept;
/// True if the current test leaves `step` out.
bool leaves_out(safety_step step) noexcept;
/// True if every suspended task must resume on another worker than it was suspended on.
bool forces_migration() noexcept;

/// A word whose stores by its one owner may become visible late, as from a processor's store
/// buffer. They become visible with the owner's next store or unlock at the latest, or when any
/// thread passes a barrier for all.
///
/// The word ignores memory orders, and its stores take one lock of the process. So ThreadSanitizer
/// finds missing ordering of other data only in builds without delays.
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
  std::atomic<std::uintptr_t> latest_{0};  // the last value that the owner stored
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

/// Makes this thread's stores to late words visible.
void show_stores() noexcept;
/// Makes the stores of all threads to late words visible.
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
