// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard's parallel algorithms as members of a backend that is a library with these names.
//
// Inside its class a backend includes lab/stl/operations.inc, whose rows this file's
// WEFT_BENCH_MEMBER turns into members. Before that it defines the namespace or class `library`,
// which holds the algorithms, and the macro WEFT_BENCH_POLICY: what stands before the first argument
// of each call, comma included, or nothing.
#pragma once

#include <algorithm>  // IWYU pragma: export
#include <concepts>
#include <memory>   // IWYU pragma: export
#include <numeric>  // IWYU pragma: export
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>  // IWYU pragma: export

#include "lab/harness/experiment.hpp"

// A macro, because a call has to stand twice: to ask whether it exists, and to make it. The
// sequential call is never made: it gives the member its type where the library lacks the
// algorithm.
#define WEFT_BENCH_MEMBER(algorithm)                                                          \
  template <class First, class... Rest>                                                       \
    requires(!std::integral<std::remove_cvref_t<First>>) /* that is a loop */                 \
  decltype(auto) algorithm(First&& first, Rest&&... rest) const {                             \
    if constexpr (requires {                                                                  \
                    library::algorithm(WEFT_BENCH_POLICY first, std::forward<Rest>(rest)...); \
                  }) {                                                                        \
      return library::algorithm(WEFT_BENCH_POLICY first, std::forward<Rest>(rest)...);        \
    } else {                                                                                  \
      lacks(name, #algorithm);                                                                \
      return std::algorithm(first, std::forward<Rest>(rest)...);                              \
    }                                                                                         \
  }

namespace weft::bench {

/// Ends the cell as skipped: the kernel calls what the backend has not.
[[noreturn]] inline void lacks(std::string_view backend, std::string_view what) {
  throw lab::cannot_run({.code = "not_offered",
                         .message = std::string(backend) + " has no " + std::string(what),
                         .remedy = "nothing to do: the other backends are measured"});
}

/// Members that nobody can call, for a library that is a class and lacks some: what it declares
/// itself hides these.
struct no_members {
  struct nobody;
#define WEFT_STL_OPERATION(type, name, ...) static void name(nobody);
#include "lab/stl/operations.inc"
};

}  // namespace weft::bench
