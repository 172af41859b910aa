// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's macros, as far as programs use them.
#pragma once

#include <type_traits>

// NOLINTBEGIN(readability-identifier-naming): the names are HPX's
#define HPX_APPLICATION_STRING "application"
#define HPX_FORCEINLINE inline __attribute__((always_inline))
#define HPX_NOINLINE __attribute__((noinline))
#define HPX_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HPX_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define HPX_MOVE(object) static_cast<std::remove_reference_t<decltype(object)>&&>(object)
#define HPX_FORWARD(Type, object) static_cast<Type&&>(object)
#define HPX_UNUSED(object) static_cast<void>(object)
#define HPX_HAVE_CXX20_COROUTINES
#define HPX_HAVE_CXX20_STD_RANGES

// What would make functions callable from other processes.
#define WEFT_HPX_NO_ACTIONS(name)                                                               \
  static_assert(sizeof(int) == 0,                                                               \
                name                                                                            \
                ": weft has no localities, actions or components: it runs in one process; for " \
                "several, see weft/halo")
#define HPX_PLAIN_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_PLAIN_ACTION")
#define HPX_PLAIN_DIRECT_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_PLAIN_DIRECT_ACTION")
#define HPX_DEFINE_PLAIN_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_DEFINE_PLAIN_ACTION")
#define HPX_DEFINE_COMPONENT_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_DEFINE_COMPONENT_ACTION")
#define HPX_REGISTER_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_REGISTER_ACTION")
#define HPX_REGISTER_ACTION_DECLARATION(...) WEFT_HPX_NO_ACTIONS("HPX_REGISTER_ACTION_DECLARATION")
#define HPX_REGISTER_COMPONENT(...) WEFT_HPX_NO_ACTIONS("HPX_REGISTER_COMPONENT")

// What `#if HPX_VERSION_FULL >= ...` is for: the version whose interface this is.
#define HPX_VERSION_MAJOR 2
#define HPX_VERSION_MINOR 0
#define HPX_VERSION_SUBMINOR 0
#define HPX_VERSION_FULL 0x020000
// NOLINTEND(readability-identifier-naming)

namespace hpx::compat {

/// For static_assert messages of templates that must not be instantiated.
template <class...>
inline constexpr bool is_missing = false;

}  // namespace hpx::compat
