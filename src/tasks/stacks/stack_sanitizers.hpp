// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells AddressSanitizer, ThreadSanitizer and valgrind which stack is running. Does nothing in
// other builds.
#pragma once

#include <cstddef>

#include "weft/tasks/detail/stacks/stack.hpp"

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

/// Call it immediately before the machine switch.
inline void sanitizers_leave([[maybe_unused]] stack& from, [[maybe_unused]] stack& to) noexcept {
#if defined(WEFT_ASAN)
  __sanitizer_start_switch_fiber(
      &from.asan_fake_stack, to.low, static_cast<std::size_t>(to.high - to.low));
#endif
#if defined(WEFT_TSAN)
  __tsan_switch_to_fiber(to.tsan_fiber, 0);
#endif
}

/// Call it immediately after the switch, on `here`, coming from `left`.
inline void sanitizers_arrive([[maybe_unused]] stack& here, [[maybe_unused]] stack& left) noexcept {
#if defined(WEFT_ASAN)
  const void* low = nullptr;
  std::size_t size_bytes = 0;
  __sanitizer_finish_switch_fiber(here.asan_fake_stack, &low, &size_bytes);
  if (left.high == nullptr) {  // a descriptor without the bounds of its stack
    left.low = static_cast<std::byte*>(const_cast<void*>(low));
    left.high = left.low + size_bytes;
  }
#endif
}

/// Describes the current stack, which is a thread's own.
inline void sanitizers_adopt([[maybe_unused]] stack& native) noexcept {
#if defined(WEFT_TSAN)
  native.tsan_fiber = __tsan_get_current_fiber();
#endif
}

/// `made` is new memory.
void sanitizers_make(stack& made) noexcept;

/// Forgets the earlier calls on `fresh`.
void sanitizers_prepare(stack& fresh) noexcept;

/// Call it when `gone` has run for the last time, before its memory is returned.
void sanitizers_retire(stack& gone) noexcept;

}  // namespace weft::tasks::detail
