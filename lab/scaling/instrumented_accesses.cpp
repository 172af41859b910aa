// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that code compiled with -fsanitize=thread calls, here to count cache lines.
//
// The compiler calls one of these functions at each load and store, and in place of each atomic
// operation. ThreadSanitizer's own library is not linked. The names and parameters are those of
// LLVM's compiler-rt/lib/tsan/rtl/tsan_interface.h; g++ calls the same ones.
#include <cstddef>
#include <cstdint>

#include "lab/scaling/line_directory.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,bugprone-macro-parentheses): the
// compiler's names; types as arguments
namespace {

using weft::lab::scaling::access;
using weft::lab::scaling::record_access;

constexpr int strongest =
    __ATOMIC_SEQ_CST;  // an order at run time may be any: the strongest is right

}  // namespace

#define WEFT_SITE __builtin_return_address(0)

#define WEFT_ACCESS(name, bytes, kind) \
  void __tsan_##name(void* place) { record_access(place, bytes, access::kind, WEFT_SITE); }

#define WEFT_ACCESSES(bytes)                        \
  WEFT_ACCESS(read##bytes, bytes, read)             \
  WEFT_ACCESS(write##bytes, bytes, write)           \
  WEFT_ACCESS(unaligned_read##bytes, bytes, read)   \
  WEFT_ACCESS(unaligned_write##bytes, bytes, write) \
  WEFT_ACCESS(volatile_read##bytes, bytes, read)    \
  WEFT_ACCESS(volatile_write##bytes, bytes, write)

#define WEFT_FETCH(bits, type, operation)                                                         \
  type __tsan_atomic##bits##_fetch_##operation(volatile type* place, type value, int /*order*/) { \
    record_access(const_cast<const type*>(place), sizeof(type), access::write, WEFT_SITE);        \
    return __atomic_fetch_##operation(place, value, strongest);                                   \
  }

#define WEFT_COMPARE(bits, type, strength, is_weak)                                              \
  int __tsan_atomic##bits##_compare_exchange_##strength(                                         \
      volatile type* place, type* expected, type desired, int /*order*/, int /*failed*/) {       \
    record_access(const_cast<const type*>(place), sizeof(type), access::write, WEFT_SITE);       \
    return __atomic_compare_exchange_n(place, expected, desired, is_weak, strongest, strongest); \
  }

#define WEFT_ATOMICS(bits, type)                                                           \
  type __tsan_atomic##bits##_load(const volatile type* place, int /*order*/) {             \
    record_access(const_cast<const type*>(place), sizeof(type), access::read, WEFT_SITE);  \
    return __atomic_load_n(place, strongest);                                              \
  }                                                                                        \
  void __tsan_atomic##bits##_store(volatile type* place, type value, int /*order*/) {      \
    record_access(const_cast<const type*>(place), sizeof(type), access::write, WEFT_SITE); \
    __atomic_store_n(place, value, strongest);                                             \
  }                                                                                        \
  type __tsan_atomic##bits##_exchange(volatile type* place, type value, int /*order*/) {   \
    record_access(const_cast<const type*>(place), sizeof(type), access::write, WEFT_SITE); \
    return __atomic_exchange_n(place, value, strongest);                                   \
  }                                                                                        \
  WEFT_FETCH(bits, type, add)                                                              \
  WEFT_FETCH(bits, type, sub)                                                              \
  WEFT_FETCH(bits, type, and)                                                              \
  WEFT_FETCH(bits, type, or)                                                               \
  WEFT_FETCH(bits, type, xor)                                                              \
  WEFT_FETCH(bits, type, nand)                                                             \
  WEFT_COMPARE(bits, type, strong, false)                                                  \
  WEFT_COMPARE(bits, type, weak, true)

extern "C" {

WEFT_ACCESSES(1)
WEFT_ACCESSES(2)
WEFT_ACCESSES(4)
WEFT_ACCESSES(8)
WEFT_ACCESSES(16)

WEFT_ATOMICS(8, std::uint8_t)
WEFT_ATOMICS(16, std::uint16_t)
WEFT_ATOMICS(32, std::uint32_t)
WEFT_ATOMICS(64, std::uint64_t)

void __tsan_read_range(void* place, std::size_t size_bytes) {
  record_access(place, size_bytes, access::read, WEFT_SITE);
}
void __tsan_write_range(void* place, std::size_t size_bytes) {
  record_access(place, size_bytes, access::write, WEFT_SITE);
}
void __tsan_vptr_read(void** place) {
  record_access(static_cast<void*>(place), sizeof(void*), access::read, WEFT_SITE);
}
void __tsan_vptr_update(void** place, void* /*value*/) {
  record_access(static_cast<void*>(place), sizeof(void*), access::write, WEFT_SITE);
}
void __tsan_atomic_thread_fence(int /*order*/) { __atomic_thread_fence(strongest); }
void __tsan_atomic_signal_fence(int /*order*/) { __atomic_signal_fence(strongest); }

// Calls that order nothing here, and those about stacks: threads are told apart by their number.
void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit(void* /*caller*/) {}
void* __tsan_get_current_fiber() { return nullptr; }
void* __tsan_create_fiber(unsigned /*flags*/) { return nullptr; }
void __tsan_destroy_fiber(void* /*fiber*/) {}
void __tsan_switch_to_fiber(void* /*fiber*/, unsigned /*flags*/) {}
void __tsan_acquire(void* /*place*/) {}
void __tsan_release(void* /*place*/) {}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,bugprone-macro-parentheses)
