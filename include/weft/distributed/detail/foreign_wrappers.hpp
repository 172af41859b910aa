// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named values and base classes as cereal and Boost wrap them.
#pragma once

#include <concepts>
#include <type_traits>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::distributed::detail {

/// cereal::NameValuePair: CEREAL_NVP(member).
template <class T>
concept cereal_named =
    !std::is_aggregate_v<std::remove_cv_t<T>> && std::is_class_v<T> && requires(T& wrapper) {
      requires std::is_same_v<decltype(wrapper.name), const char*>;
      wrapper.value;
    };

/// cereal::base_class<Base>(this).
template <class T>
concept cereal_base =
    !std::is_aggregate_v<std::remove_cv_t<T>> && std::is_class_v<T> &&
    requires(T& wrapper) { requires std::is_pointer_v<decltype(wrapper.base_ptr)>; };

/// boost::serialization::nvp: BOOST_SERIALIZATION_NVP(member).
template <class T>
concept boost_named =
    !std::is_aggregate_v<std::remove_cv_t<T>> && std::is_class_v<T> && requires(T& wrapper) {
      { wrapper.name() } -> std::same_as<const char*>;
      requires std::is_lvalue_reference_v<decltype(wrapper.value())>;
    };

template <class T>
concept foreign_wrapper = cereal_named<T> || cereal_base<T> || boost_named<T>;

/// Returns the object that was wrapped.
template <class T>
auto& unwrapped(T& wrapper) {
  if constexpr (cereal_named<T>) {
    return wrapper.value;
  } else if constexpr (cereal_base<T>) {
    return *wrapper.base_ptr;
  } else {
    return wrapper.value();
  }
}

}  // namespace weft::distributed::detail
