// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Actions that do not compile, and what the compiler has to say of each.
#include <hpx/hpx.hpp>  // IWYU pragma: keep: for what does not compile

inline long sum(const long* numbers, long count) { return *numbers * count; }
inline void change(long& number) { number = 0; }
HPX_PLAIN_ACTION(sum)
HPX_PLAIN_ACTION(change)

#if defined(MISTAKES)
inline void pointer_argument(const hpx::id_type& there, const long* numbers) {
  auto value = hpx::async(sum_action(), there, numbers, 3L);
  // expect: a pointer, or what shares an object, cannot be sent
}
inline void reference_argument(const hpx::id_type& there, long number) {
  hpx::post<change_action>(there, number);
  // expect: the function cannot be called with these arguments
}
#endif
