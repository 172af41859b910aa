// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worker that runs this code, read again at every call: a task may resume on another thread.
#pragma once

namespace weft::tasks::detail {
struct worker;
}

// A plain name, so that the assembly below can spell it.
extern "C" constinit thread_local weft::tasks::detail::worker* weft_current_worker;

namespace weft::tasks::detail {

#if defined(__x86_64__) && defined(__linux__)
/// Returns the calling thread's worker; null on threads that are not workers.
///
/// Compilers keep the address of a thread-local variable across calls. But a call may suspend the
/// task, and resume it on another thread. Volatile assembly is read each time. The initial-exec
/// form links into executables and into shared objects.
/// Cost:    two loads.
/// Source:  llvm#98479, GCC PR 26461
inline worker* self() noexcept {
  worker* current;
  asm volatile("movq weft_current_worker@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0"
               : "=r"(current));
  return current;
}
#elif defined(__aarch64__) && defined(__linux__)
/// Returns the calling thread's worker; null on threads that are not workers. See the x86-64 form.
inline worker* self() noexcept {
  worker* current;
  void* thread_pointer;
  asm volatile(
      "adrp %0, :gottprel:weft_current_worker\n\t"
      "ldr %0, [%0, :gottprel_lo12:weft_current_worker]\n\t"
      "mrs %1, tpidr_el0\n\t"
      "ldr %0, [%1, %0]"
      : "=&r"(current), "=&r"(thread_pointer));
  return current;
}
#else
/// Returns the calling thread's worker; null on threads that are not workers. Out of line: see the
/// x86-64 form.
worker* self() noexcept;
#endif

/// Makes `current` the calling thread's worker.
void set_self(worker* current) noexcept;

/// Returns an address within the calling frame, to compute how much stack is left.
[[gnu::always_inline]] inline const char* stack_position() noexcept {
#if defined(__x86_64__)
  const char* position;
  asm volatile("movq %%rsp, %0" : "=r"(position));
  return position;
#else
  return static_cast<const char*>(__builtin_frame_address(0));
#endif
}

}  // namespace weft::tasks::detail
