// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether AddressSanitizer or ThreadSanitizer instruments the tests.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_TEST_IS_SANITIZED 1
#endif
#endif
#if !defined(WEFT_TEST_IS_SANITIZED)
#define WEFT_TEST_IS_SANITIZED 0
#endif

namespace weft::test {

inline constexpr bool is_sanitized = WEFT_TEST_IS_SANITIZED != 0;

}  // namespace weft::test
