// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types with a function `serialize` of their own, in the forms of weft, cereal and Boost.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/distributed/archive.hpp"

#if __has_include(<boost/serialization/access.hpp>)
#include <boost/serialization/access.hpp>
#include <boost/serialization/base_object.hpp>
#include <boost/serialization/nvp.hpp>
#include <boost/serialization/split_member.hpp>
#include <boost/serialization/version.hpp>
#endif

#if __has_include(<cereal/cereal.hpp>)
#include <cereal/cereal.hpp>
#include <cereal/types/base_class.hpp>
#else
/// Declared as in cereal 1.3, for machines without it.
namespace cereal {
class access {
 public:
  template <class Archive, class T>
  static auto member_serialize(Archive& archive, T& value) -> decltype(value.serialize(archive)) {
    return value.serialize(archive);
  }
};
template <class T>
class NameValuePair {
 public:
  NameValuePair(const char* called, T&& named) : name(called), value(std::forward<T>(named)) {}
  const char* name;
  T value;  // a reference for an lvalue
};
template <class T>
NameValuePair<T> make_nvp(const char* name, T&& value) {
  return {name, std::forward<T>(value)};
}
template <class Base>
struct base_class {
  template <class Derived>
  explicit base_class(const Derived* derived)
      : base_ptr(const_cast<Base*>(static_cast<const Base*>(derived))) {}
  Base* base_ptr;
};
}  // namespace cereal
#endif

namespace user_types_test {

using weft::distributed::input_archive;
using weft::distributed::output_archive;
using weft::distributed::serializable;

template <class T>
T copy_of(const T& value) {
  output_archive out;
  out(value);
  T copy{};
  input_archive in(out.bytes());
  in(copy);
  in.finish();
  return copy;
}

struct with_member {
  int a = 0;
  std::string b;
  int cache = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(a, b);
  }
};

struct with_operators {
  int a = 0;
  std::string b;
  template <class Archive>
  void serialize(Archive& archive, const unsigned /*version*/) {
    archive & a & b;
  }
};

struct with_function {
  int a = 0;
};
template <class Archive>
void serialize(Archive& archive, with_function& value) {
  archive(value.a);
}

struct with_split {
  int a = 0;
  template <class Archive>
  void save(Archive& archive) const {
    archive << a;
  }
  template <class Archive>
  void load(Archive& archive) {
    archive >> a;
    a += 1;
  }
};

struct with_version {
  unsigned seen = 0;
  template <class Archive>
  void serialize(Archive& /*archive*/, const std::uint32_t version) {
    seen = version;
  }
};

class with_private_member {
 public:
  [[nodiscard]] int a() const { return a_; }
  void set(int a) { a_ = a; }

 private:
  friend class weft::distributed::archive_access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(a_);
  }
  int a_ = 0;
};

/// Looks at what it reads, so data must be there by then.
struct with_sum {
  std::vector<double> values;
  double sum = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
    if constexpr (Archive::is_loading::value) {
      for (const double each : values) {
        sum += each;
      }
    }
  }
};

}  // namespace user_types_test

template <>
inline constexpr unsigned weft::distributed::archive_version<user_types_test::with_version> = 7;

namespace user_types_test {

TEST(UserTypes, only_what_the_function_names_is_sent) {
  const with_member copy = copy_of(with_member{.a = 1, .b = "text", .cache = 5});

  EXPECT_EQ(copy.a, 1);
  EXPECT_EQ(copy.b, "text");
  EXPECT_EQ(copy.cache, 0);
}

TEST(UserTypes, all_forms_of_the_function_are_called) {
  EXPECT_EQ(copy_of(with_operators{.a = 1, .b = "text"}).b, "text");
  EXPECT_EQ(copy_of(with_function{.a = 2}).a, 2);
  EXPECT_EQ(copy_of(with_split{.a = 3}).a, 4);
  EXPECT_EQ(copy_of(std::vector(3, with_function{.a = 5}))[2].a, 5);
}

TEST(UserTypes, a_function_is_told_the_version) { EXPECT_EQ(copy_of(with_version{}).seen, 7U); }

TEST(UserTypes, a_friend_may_call_a_private_member) {
  with_private_member value;
  value.set(3);

  EXPECT_EQ(copy_of(value).a(), 3);
}

TEST(UserTypes, large_data_is_there_when_the_function_looks_at_it) {
  const with_sum value = {.values = std::vector<double>(10'000, 0.5)};

  EXPECT_EQ(copy_of(value).sum, 5000.0);
}

class vessel {
 public:
  vessel() = default;
  explicit vessel(int tonnes) : tonnes_(tonnes) {}
  friend bool operator==(const vessel&, const vessel&) = default;

 private:
  friend class cereal::access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::make_nvp("tonnes", tonnes_));
  }
  int tonnes_ = 0;
};

class named_vessel : public vessel {
 public:
  named_vessel() = default;
  named_vessel(int tonnes, std::string name) : vessel(tonnes), name_(std::move(name)) {}
  friend bool operator==(const named_vessel&, const named_vessel&) = default;

 private:
  friend class cereal::access;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cereal::base_class<vessel>(this), cereal::make_nvp("name", name_));
  }
  std::string name_;
};

TEST(UserTypes, classes_in_the_form_of_cereal_compile_unchanged) {
  const named_vessel value(500, "Ada");

  EXPECT_EQ(copy_of(value), value);
  EXPECT_TRUE(serializable<named_vessel>);
}

#if __has_include(<boost/serialization/access.hpp>)

/// As in Boost's tutorial.
class position {
 public:
  position() = default;
  position(int degrees, float seconds) : degrees_(degrees), seconds_(seconds) {}
  friend bool operator==(const position&, const position&) = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& archive, const unsigned version) {
    archive & degrees_;
    if (version > 1) {
      archive& BOOST_SERIALIZATION_NVP(seconds_);
    }
  }
  int degrees_ = 0;
  float seconds_ = 0;
};

class stop {
 public:
  std::vector<position> places;
  friend bool operator==(const stop&, const stop&) = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void save(Archive& archive, const unsigned /*version*/) const {
    archive << places;
  }
  template <class Archive>
  void load(Archive& archive, const unsigned /*version*/) {
    archive >> places;
  }
  BOOST_SERIALIZATION_SPLIT_MEMBER()
};

class named_stop : public stop {
 public:
  std::string name;
  friend bool operator==(const named_stop&, const named_stop&) = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& archive, const unsigned /*version*/) {
    archive& boost::serialization::base_object<stop>(*this);
    archive & name;
  }
};

}  // namespace user_types_test

BOOST_CLASS_VERSION(user_types_test::position, 2)

namespace user_types_test {

TEST(UserTypes, classes_in_the_form_of_boost_compile_unchanged) {
  named_stop value;
  value.places = {position(1, 2), position(3, 4)};
  value.name = "harbour";

  EXPECT_EQ(copy_of(value), value);
  EXPECT_TRUE(serializable<named_stop>);
}

#endif

}  // namespace user_types_test
