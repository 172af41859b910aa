// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a program link only with the weft library that its headers belong to. Otherwise the linker
// names the missing library.
#pragma once

#include <version>  // tells how the standard library lays out its types

#include "weft/version.hpp"

// Macros, since only they make names of symbols.
#define WEFT_LIBRARY_NAME(major, minor, kind) weft_library_##major##_##minor##kind
#define WEFT_LIBRARY_OF(major, minor, kind) WEFT_LIBRARY_NAME(major, minor, kind)
/// A symbol of this version's library, as `weft_library_0_1_with_counters`.
#define WEFT_LIBRARY(kind) WEFT_LIBRARY_OF(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, kind)

#if __has_attribute(retain)
#define WEFT_KEPT gnu::used, gnu::retain  // by the linker's --gc-sections, too
#else
#define WEFT_KEPT gnu::used
#endif
// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a name that is declared
// Hidden: dlclose cannot unload a shared object that exports an inline variable.
#define WEFT_NEEDS_SYMBOL(symbol)                                                               \
  extern "C" const char symbol;                                                                 \
  namespace weft::detail {                                                                      \
  [[WEFT_KEPT, gnu::visibility("hidden")]] inline const char* const needs_##symbol = &(symbol); \
  }                                                                                             \
  extern "C" const char symbol
// NOLINTEND(bugprone-macro-parentheses)
#define WEFT_NEEDS_EXPANDED(symbol) WEFT_NEEDS_SYMBOL(symbol)
/// In a header: every file that includes it links only with a library of that kind.
#define WEFT_NEEDS_LIBRARY(kind) WEFT_NEEDS_EXPANDED(WEFT_LIBRARY(kind))
/// In one source of the library: it is of that kind.
#define WEFT_IS_LIBRARY(kind)               \
  extern "C" const char WEFT_LIBRARY(kind); \
  const char WEFT_LIBRARY(kind) = '1'

#if defined(_GLIBCXX_DEBUG)
#define WEFT_STANDARD_TYPES _with_checked_containers
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define WEFT_STANDARD_TYPES _with_old_strings
#elif defined(_LIBCPP_VERSION)
#define WEFT_STANDARD_TYPES _with_libcxx
#else
#define WEFT_STANDARD_TYPES
#endif

WEFT_NEEDS_LIBRARY(WEFT_STANDARD_TYPES);
