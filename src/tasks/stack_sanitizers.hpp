// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells AddressSanitizer, ThreadSanitizer and valgrind which stack is running; nothing in other
// builds.
#pragma once

#include <cstddef>

#include "weft/tasks/detail/stack.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define WEFT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_TSAN 1
#endif
#endif

#if defined(WEFT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(WEFT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace weft::tasks::detail {

/// The last thing before the machine switch.
inline void sanitizers_leave([[maybe_unused]] stack& from, [[maybe_unused]] stack& to) noexcept {
#if defined(WEFT_ASAN)
  __sanitizer_start_switch_fiber(
      &from.asan_fake_stack, to.low, static_cast<std::size_t>(to.high - to.low));
#endif
#if defined(WEFT_TSAN)
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
}

/// The first thing after it, on `here`.
inline void sanitizers_arrive([[maybe_unused]] stack& here) noexcept {
#if defined(WEFT_ASAN)
  __sanitizer_finish_switch_fiber(here.asan_fake_stack, nullptr, nullptr);
#endif
}

/// Whatever ran on `fresh` before is forgotten.
inline void sanitizers_prepare([[maybe_unused]] stack& fresh) noexcept {
#if defined(WEFT_ASAN)
  __asan_unpoison_memory_region(fresh.low, static_cast<std::size_t>(fresh.high - fresh.low));
#endif
#if defined(WEFT_TSAN)
  // A fiber keeps a list of active calls; those of an abandoned stack would pile up.
  if (fresh.tsan_fiber != nullptr) {
    __tsan_destroy_fiber(fresh.tsan_fiber);
  }
  fresh.tsan_fiber = __tsan_create_fiber(0);
#endif
}

/// `gone` runs no more, and its memory is about to be given back.
inline void sanitizers_retire([[maybe_unused]] stack& gone) noexcept {
#if defined(WEFT_ASAN)
  __asan_unpoison_memory_region(gone.low, static_cast<std::size_t>(gone.high - gone.low));
#endif
#if defined(WEFT_TSAN)
  if (gone.tsan_fiber != nullptr) {
    __tsan_destroy_fiber(gone.tsan_fiber);
    gone.tsan_fiber = nullptr;
  }
#endif
}

/// The current stack is a thread's own.
inline void sanitizers_adopt([[maybe_unused]] stack& native) noexcept {
#if defined(WEFT_TSAN)
  native.tsan_fiber = __tsan_get_current_fiber();
#endif
}

}  // namespace weft::tasks::detail
