// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops compiled twice: for the baseline vectors of the architecture, and for wider ones. The
// choice is made at run time, so programs need no -march.
#pragma once

// nvc++ knows neither the attribute nor the built-in function.
#if defined(__x86_64__) && !defined(__AVX2__) && defined(__GNUC__) && !defined(__NVCOMPILER)
#define WEFT_CHOOSES_VECTORS 1
#else
#define WEFT_CHOOSES_VECTORS 0
#endif

// g++ vectorises at -O2 only where it needs neither a check nor an epilogue: no alias, fixed
// length.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCOMPILER)
#define WEFT_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define WEFT_INDEPENDENT_ITERATIONS
#endif

namespace weft::algorithms::detail {

#if WEFT_CHOOSES_VECTORS

/// A function for wider vectors takes in those it calls that were compiled for narrower ones.
template <class Body>
[[gnu::target("avx2"), gnu::noinline]] void run_wide(const Body& body) {
  body();
}

/// Calls `body`, whose loops are to be vectorised, in the widest form that this machine can run.
///
/// Rounding does not depend on the form: multiplications and additions are not fused.
template <class Body>
[[gnu::always_inline]] inline void run_vectorized(const Body& body) {
  if (__builtin_cpu_supports("avx2")) {
    run_wide(body);
  } else {
    body();
  }
}

#else

template <class Body>
[[gnu::always_inline]] inline void run_vectorized(const Body& body) {
  body();
}

#endif

}  // namespace weft::algorithms::detail
