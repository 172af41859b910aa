// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that cannot be serialised, and what the compiler has to say of each.
#include <map>     // IWYU pragma: keep: for what does not compile
#include <memory>  // IWYU pragma: keep: as above
#include <span>    // IWYU pragma: keep: as above
#include <string>
#include <string_view>
#include <vector>

#include "weft/distributed/archive.hpp"

struct with_pointer {
  std::vector<int*> to;
};

struct base {
  int a = 0;
};
struct derived : base {
  int b = 0;
};

struct shape {
  virtual ~shape() = default;
};

struct with_reference {
  int& to;
};

struct with_const {
  const int number = 0;
};

struct no_default {
  explicit no_default(int number);
  template <class Archive>
  void serialize(Archive& archive);
};

struct seventeen {
  char a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};

class secretive {
 public:
  secretive();

 private:
  template <class Archive>
  void serialize(Archive& archive);
  int number_;
};

class unknown {
 public:
  unknown();

 private:
  int number_;
};

struct inherits_function {
  int a = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(a);
  }
};
class loses_a_member : public inherits_function {
 public:
  int b = 0;
};

void send(weft::distributed::output_archive& out, weft::distributed::input_archive& in) {
  std::string text;
  out(text, std::string_view(text));
  in(text);
#if defined(MISTAKES)
  out(&text);
  // expect: weft::distributed: a pointer, or what shares an object, cannot be sent
  out(std::map<int, with_pointer>());
  // expect: weft::distributed: a pointer, or what shares an object, cannot be sent
  out(std::make_shared<int>(1));
  // expect: weft::distributed: a pointer, or what shares an object, cannot be sent
  out(std::make_unique<shape>());
  // expect: weft::distributed: a std::unique_ptr to a class with virtual functions cannot be
  out(derived());
  // expect: weft::distributed: an aggregate with a base class needs a function
  out(seventeen());
  // expect: weft::distributed: an aggregate of more than 16 members needs a function
  out(secretive());
  // expect: weft::distributed: the member serialize cannot be called as serialize(archive)
  out(unknown());
  // expect: weft::distributed: this class cannot be sent: give it a function
  out(loses_a_member());
  // expect: weft::distributed: the function serialize is a base class's
  std::string_view view;
  in(view);
  // expect: weft::distributed: a span or string_view cannot be received, since it owns
  std::vector<std::span<int>> views;
  in(views);
  // expect: weft::distributed: a span or string_view cannot be received, since it owns
  const int fixed = 1;
  in(fixed);
  // expect: weft::distributed: a const object cannot be read into
  with_const constant;
  in(constant);
  // expect: weft::distributed: a const object cannot be read into
  int number = 1;
  with_reference to{number};
  in(to);
  // expect: weft::distributed: a type that is read needs a default constructor
  std::vector<no_default> made;
  in(made);
  // expect: weft::distributed: a type that is read needs a default constructor
#endif
}
