// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Customisation points for user types: archives find a type's function `serialize`, also in the
// forms of cereal and Boost.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

// User types befriend these classes so that cereal, Boost or HPX may call a private `serialize`.
// weft calls the classes only if the library that defines them is included; for HPX, that is
// weft::hpx_distributed.
namespace boost::serialization {
class access;
template <class T>
struct version;
}  // namespace boost::serialization

namespace cereal {
class access;
}

namespace hpx::serialization {
class access;
}

namespace weft::distributed {

class output_archive;
class input_archive;

namespace detail {

class byte_writer;
class byte_reader;

/// How a type's function is called; `version` is the second argument in Boost's form.
enum class user_form : std::uint8_t {
  none,
  member,            // value.serialize(archive)
  member_version,    // value.serialize(archive, version)
  free,              // serialize(archive, value)
  free_version,      // serialize(archive, value, version)
  split,             // value.save(archive) and value.load(archive)
  split_version,     // value.save(archive, version) and value.load(archive, version)
  cereal_friend,     // a private member that cereal::access may call
  boost_friend,      // a private member that boost::serialization::access may call
  hpx_friend,        // a private member that hpx::serialization::access may call
  inherited,         // a base class has it: it would leave out members
  cannot_be_called,  // a member of that name that is private, or has other parameters
};

template <class Class, class Function>
Class class_of(Function Class::* function);

/// `For` is the type that asks: a class that is complete for one may not have been for another.
template <class T, class For>
concept complete_for = requires(For* asking) {
  sizeof(T);
  asking;
};

struct named_serialize {
  int serialize = 0;
};
template <class T>
struct two_of_a_name : T, named_serialize {};

/// Tells whether a class has a member `serialize`, private ones included: the name would be
/// ambiguous.
template <class T>
consteval bool names_serialize() {
  if constexpr (std::is_class_v<T> && !std::is_final_v<T>) {
    return !requires { &two_of_a_name<T>::serialize; };
  }
  return false;
}

/// The version that BOOST_CLASS_VERSION gives a type; 0 without it.
template <class T>
consteval unsigned boost_version() {
  if constexpr (complete_for<boost::serialization::version<T>, T>) {
    return static_cast<unsigned>(boost::serialization::version<T>::value);
  }
  return 0;
}

}  // namespace detail

/// Specialise it as true for a class without pointers and without padding whose objects may be
/// copied byte by byte to another process.
///
/// Aggregates need no specialisation. Reading accepts any value of the bytes.
/// Example: tests/distributed/archive_test.cpp: a_class_that_says_so_is_copied_as_bytes.
template <class T>
inline constexpr bool is_bitwise_serializable = false;

/// The number that a function `serialize(archive, version)` gets, in both directions.
///
/// It is the one of BOOST_CLASS_VERSION, or 0. Specialise it for types with CEREAL_CLASS_VERSION.
/// Example: tests/distributed/user_types_test.cpp: a_function_is_told_the_version.
template <class T>
inline constexpr unsigned archive_version = detail::boost_version<T>();

/// Befriend it, and `serialize` may be private: `friend class weft::distributed::archive_access;`.
///
/// Example: tests/distributed/user_types_test.cpp: a_friend_may_call_a_private_member.
class archive_access {
 public:
  template <class T>
  static consteval detail::user_form find() {
    using detail::user_form;
    if constexpr (!std::is_class_v<T> && !std::is_enum_v<T> && !std::is_union_v<T>) {
      return user_form::none;
    } else if constexpr (requires(output_archive& out, input_archive& in, T& value) {
                           value.serialize(out);
                           value.serialize(in);
                         }) {
      return inherits_serialize<T>() ? user_form::inherited : user_form::member;
    } else if constexpr (requires(output_archive& out, input_archive& in, T& value) {
                           value.serialize(out, 0U);
                           value.serialize(in, 0U);
                         }) {
      return inherits_serialize<T>() ? user_form::inherited : user_form::member_version;
    } else if constexpr (requires(output_archive& out, input_archive& in, T& value) {
                           serialize(out, value);
                           serialize(in, value);
                         }) {
      return user_form::free;
    } else if constexpr (requires(output_archive& out, input_archive& in, T& value) {
                           serialize(out, value, 0U);
                           serialize(in, value, 0U);
                         }) {
      return user_form::free_version;
    } else {
      return find_other<T>();
    }
  }

  template <class Archive, class T>
  static void call(Archive& archive, T& value) {
    using detail::user_form;
    constexpr user_form form = find<T>();
    [[maybe_unused]] constexpr unsigned version = archive_version<T>;
    if constexpr (form == user_form::member) {
      value.serialize(archive);
    } else if constexpr (form == user_form::member_version) {
      value.serialize(archive, version);
    } else if constexpr (form == user_form::free) {
      serialize(archive, value);
    } else if constexpr (form == user_form::free_version) {
      serialize(archive, value, version);
    } else if constexpr (form == user_form::split) {
      if constexpr (std::is_same_v<Archive, output_archive>) {
        std::as_const(value).save(archive);
      } else {
        value.load(archive);
      }
    } else if constexpr (form == user_form::split_version) {
      if constexpr (std::is_same_v<Archive, output_archive>) {
        std::as_const(value).save(archive, version);
      } else {
        value.load(archive, version);
      }
    } else if constexpr (form == user_form::cereal_friend) {
      call_cereal<cereal::access>(archive, value);
    } else if constexpr (form == user_form::boost_friend) {
      call_versioned<boost::serialization::access>(archive, value, version);
    } else if constexpr (form == user_form::hpx_friend) {
      call_versioned<hpx::serialization::access>(archive, value, version);
    }
  }

  /// For the library: what an archive writes to or reads from.
  template <class Archive>
  static auto& bytes_of(Archive& archive) {
    return archive.bytes_;
  }

 private:
  /// Tells whether the function is that of a base class, although the class has members of its own.
  template <class T>
  static consteval bool inherits_serialize() {
    if constexpr (requires { detail::class_of(&T::template serialize<output_archive>); }) {
      using owner = decltype(detail::class_of(&T::template serialize<output_archive>));
      return sizeof(owner) != sizeof(T);
    }
    return false;
  }

  template <class T>
  static consteval detail::user_form find_other() {
    using detail::user_form;
    if constexpr (requires(output_archive& out, input_archive& in, T& value) {
                    std::as_const(value).save(out);
                    value.load(in);
                  }) {
      return user_form::split;
    } else if constexpr (requires(output_archive& out, input_archive& in, T& value) {
                           std::as_const(value).save(out, 0U);
                           value.load(in, 0U);
                         }) {
      return user_form::split_version;
    } else if constexpr (detail::names_serialize<T>()) {
      if constexpr (calls_cereal<cereal::access, T>()) {
        return user_form::cereal_friend;
      } else if constexpr (calls_hpx<hpx::serialization::access, T>()) {
        return user_form::hpx_friend;
      } else if constexpr (detail::complete_for<boost::serialization::access, T>) {
        return user_form::boost_friend;
      } else {
        return std::is_aggregate_v<T> ? user_form::none : user_form::cannot_be_called;
      }
    }
    return user_form::none;
  }

  template <class Access, class T>
  static consteval bool calls_cereal() {
    return requires(output_archive& out, T& value) { Access::member_serialize(out, value); };
  }
  template <class Access, class T>
  static consteval bool calls_hpx() {
    return requires(output_archive& out, T& value) { Access::serialize(out, value, 0U); };
  }

  template <class Access, class Archive, class T>
  static void call_cereal(Archive& archive, T& value) {
    Access::member_serialize(archive, value);
  }

  template <class Access, class Archive, class T>
  static void call_versioned(Archive& archive, T& value, unsigned version) {
    Access::serialize(archive, value, version);
  }
};

namespace detail {

template <class T>
inline constexpr user_form user_form_of = archive_access::find<T>();

}  // namespace detail

}  // namespace weft::distributed
