// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not a backend: the program of the variants that the user wrote by hand. Variants may use OpenMP's
// and oneTBB's threads if the program is built with these libraries.
#pragma once

#if defined(_OPENMP)
#include "lab/stl/backends/openmp_threads.hpp"
#endif
#if defined(WEFT_BENCH_HAS_TBB)
#include "lab/stl/backends/tbb_threads.hpp"
#endif
#include "lab/stl/backends/versions.hpp"

namespace weft::bench {

struct variants {
  static constexpr bool is_serial = false;

  static lab::stl::library_versions libraries() {
    lab::stl::library_versions found{lab::stl::standard_library()};
#if defined(_OPENMP)
    found.insert(lab::stl::openmp_library());
#endif
#if defined(WEFT_BENCH_HAS_TBB)
    found.insert(lab::stl::tbb_library());
#endif
    return found;
  }

  static void with_threads(int threads, void (*body)(void* context), void* context) {
    struct call {
      int threads;
      void (*body)(void* context);
      void* context;
      static void with_openmp(void* of) {
        const call& what = *static_cast<const call*>(of);
#if defined(_OPENMP)
        lab::stl::with_openmp_threads(what.threads, what.body, what.context);
#else
        what.body(what.context);
#endif
      }
    } what{threads, body, context};
#if defined(WEFT_BENCH_HAS_TBB)
    lab::stl::with_tbb_threads(threads, call::with_openmp, &what);
#else
    call::with_openmp(&what);
#endif
  }
};

}  // namespace weft::bench
