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

#define HPX_PP_CAT(one, other) WEFT_HPX_CAT(one, other)
#define WEFT_HPX_CAT(one, other) one##other
#define HPX_COMPONENT_EXPORT
#define HPX_REGISTER_COMPONENT_MODULE(...)
#define HPX_REGISTER_COMPONENT_MODULE_DYNAMIC(...)

// The classes of actions. The last name is optional: f_action.
#if defined(WEFT_HAS_LOCALITIES)
#define HPX_HAVE_DISTRIBUTED_RUNTIME
#define WEFT_HPX_THIRD(one, other, chosen, ...) chosen
#define WEFT_HPX_FOURTH(one, other, third, chosen, ...) chosen
#define WEFT_HPX_PLAIN(f, name) \
  struct name : ::hpx::compat::basic_action<void, &f> {};
#define WEFT_HPX_PLAIN_NAMED(f) WEFT_HPX_PLAIN(f, f##_action)
#define WEFT_HPX_MEMBER(Component, f, name) \
  struct name : ::hpx::compat::basic_action<Component, &Component::f> {};
#define WEFT_HPX_MEMBER_NAMED(Component, f) WEFT_HPX_MEMBER(Component, f, f##_action)
#define HPX_PLAIN_ACTION(...) \
  WEFT_HPX_THIRD(__VA_ARGS__, WEFT_HPX_PLAIN, WEFT_HPX_PLAIN_NAMED, )(__VA_ARGS__)
#define HPX_DEFINE_COMPONENT_ACTION(...) \
  WEFT_HPX_FOURTH(__VA_ARGS__, WEFT_HPX_MEMBER, WEFT_HPX_MEMBER_NAMED, )(__VA_ARGS__)
#define HPX_REGISTER_ACTION(...)
#define HPX_REGISTER_COMPONENT(...)
#else
#define WEFT_HPX_NO_ACTIONS(name)                                                         \
  static_assert(sizeof(int) == 0,                                                         \
                name                                                                      \
                ": weft::hpx_compat runs in one process, without localities, actions or " \
                "components: link weft::hpx_distributed")
#define HPX_PLAIN_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_PLAIN_ACTION")
#define HPX_DEFINE_COMPONENT_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_DEFINE_COMPONENT_ACTION")
#define HPX_REGISTER_ACTION(...) WEFT_HPX_NO_ACTIONS("HPX_REGISTER_ACTION")
#define HPX_REGISTER_COMPONENT(...) WEFT_HPX_NO_ACTIONS("HPX_REGISTER_COMPONENT")
#endif
#define HPX_PLAIN_DIRECT_ACTION(...) HPX_PLAIN_ACTION(__VA_ARGS__)
#define HPX_DEFINE_PLAIN_ACTION(...) HPX_PLAIN_ACTION(__VA_ARGS__)
#define HPX_DEFINE_PLAIN_DIRECT_ACTION(...) HPX_PLAIN_ACTION(__VA_ARGS__)
#define HPX_DEFINE_COMPONENT_DIRECT_ACTION(...) HPX_DEFINE_COMPONENT_ACTION(__VA_ARGS__)
#define HPX_REGISTER_ACTION_DECLARATION(...)
#define HPX_REGISTER_ACTION_ID(...)
#define HPX_REGISTER_CHANNEL(...)
#define HPX_REGISTER_CHANNEL_DECLARATION(...)
#define HPX_REGISTER_PARTITIONED_VECTOR(...)
#define HPX_REGISTER_PARTITIONED_VECTOR_DECLARATION(...)
#define HPX_DEFINE_GET_COMPONENT_TYPE(...)

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
