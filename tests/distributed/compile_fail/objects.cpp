// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects and calls of objects that could not be sent.
#include <memory>  // IWYU pragma: keep: for what does not compile
#include <string>
#include <utility>
#include <vector>

#include "weft/distributed/channel.hpp"  // IWYU pragma: keep: for what does not compile
#include "weft/distributed/locality.hpp"
#include "weft/distributed/names.hpp"  // IWYU pragma: keep: for what does not compile
#include "weft/distributed/remote.hpp"

namespace wd = weft::distributed;

class shelf {
 public:
  explicit shelf(std::string name) : name_(std::move(name)) {}
  int first(const int* all) const { return *all; }
  void fill(std::vector<int>& from) { books_ = from; }
  const std::string* name() const { return &name_; }

 private:
  std::string name_;
  std::vector<int> books_;
};

inline wd::remote<shelf> makes() {
  return wd::make_remote<shelf>(wd::locality(1), std::string("of books")).get();
}

#if defined(MISTAKES)
inline void by_pointer(int x) {
  auto made = wd::make_remote<std::shared_ptr<int>>(
      wd::locality(1), &x);  // expect: a pointer, or what shares an object, cannot be sent
}
inline void without_constructor() {
  auto made = wd::make_remote<shelf>(
      wd::locality(1), 1, 2);  // expect: the object has no constructor for these arguments
}
inline void pointer_argument(const wd::remote<shelf>& there, int x) {
  auto first = there.async<&shelf::first>(
      &x);  // expect: a pointer, or what shares an object, cannot be sent
}
inline void reference_argument(const wd::remote<shelf>& there, std::vector<int> all) {
  auto filled = there.async<&shelf::fill>(
      all);  // expect: the function cannot be called with the object and these arguments
}
inline void pointer_result(const wd::remote<shelf>& there) {
  auto name = there.async<&shelf::name>();  // expect: a pointer, or what shares an object
}
inline void captures(const wd::remote<shelf>& there, int x) {
  there.post([x](shelf& mine) { mine.first(&x); });  // expect: pass what it captures as arguments
}
inline void migrates(const wd::remote<shelf>& there) {
  auto moved = wd::migrate(there, wd::locality(0));  // expect: this class cannot be sent
}
inline void sends_pointers() {
  auto made = wd::make_channel<long*>(
      wd::locality(0), 1);  // expect: a pointer, or what shares an object, cannot be sent
}
inline void names_pointers(float x) {
  auto named = wd::register_name(
      "x", &x, wd::locality(0));  // expect: a pointer, or what shares an object, cannot be sent
}
#endif
