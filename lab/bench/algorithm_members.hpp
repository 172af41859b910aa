// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard's parallel algorithms as members of a backend, whose library uses the same names.
//
// Inside its class a backend includes lab/stl/operations.inc; WEFT_BENCH_MEMBER turns its rows into
// members. Before that, the backend defines two names. `library` is the namespace or class of the
// algorithms. The macro WEFT_BENCH_POLICY is the text before the first argument of each call, with
// its comma, or empty.
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

// A macro, because each call is written twice: to test whether it compiles, and to make it. The
// sequential call is never made: it only gives the member its type if the library lacks the
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

/// Ends the cell as skipped: the kernel calls an algorithm that the backend lacks.
[[noreturn]] inline void lacks(std::string_view backend, std::string_view what) {
  throw lab::cannot_run({.code = "not_offered",
                         .message = std::string(backend) + " has no " + std::string(what),
                         .remedy = "nothing to do: the other backends are measured"});
}

/// Members that nobody can call, as a base for a library class that lacks some. The class's own
/// members hide these.
struct no_members {
  struct nobody;
#define WEFT_STL_OPERATION(type, name, ...) static void name(nobody);
#include "lab/stl/operations.inc"
};

}  // namespace weft::bench
