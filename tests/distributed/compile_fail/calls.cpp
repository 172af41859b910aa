// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that no other rank could make.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/distributed/async.hpp"
#include "weft/distributed/local_of.hpp"  // IWYU pragma: keep: for what does not compile
#include "weft/distributed/locality.hpp"

namespace wd = weft::distributed;

inline int length_of(const std::string& text) { return static_cast<int>(text.size()); }
inline int value_at(const int* place) { return *place; }
inline int first_of(std::span<const int> all) { return all.front(); }
inline int size_of(std::string_view text) { return static_cast<int>(text.size()); }
inline void change(std::vector<int>& all) { all.clear(); }
inline const char* name() { return ""; }

inline int calls() { return wd::async<&length_of>(wd::locality(1), "text").get(); }

#if defined(MISTAKES)
inline void captures(int x) {
  auto added = wd::async(
      wd::locality(1),
      [x](int y) { return x + y; },
      1);  // expect: pass what it captures as arguments
}
inline void posts(int x) {
  wd::post(wd::locality(1), [x] { return x; });  // expect: pass what it captures as arguments
}
inline void by_pointer() {
  auto length = wd::async(wd::locality(1),
                          &length_of,
                          "text");  // expect: write async<&f>(where, args...) for a function
}
inline void pointer_argument(int x) {
  auto value = wd::async<&value_at>(
      wd::locality(1), &x);  // expect: a pointer, or what shares an object, cannot be sent
}
inline void span_argument(const std::vector<int>& all) {
  auto first = wd::async<&first_of>(wd::locality(1),
                                    all);  // expect: a span or string_view cannot be received
}
inline void view_argument() {
  auto size = wd::async<&size_of>(wd::locality(1),
                                  "text");  // expect: a span or string_view cannot be received
}
inline void wrong_argument() {
  auto length = wd::async<&length_of>(
      wd::locality(1), 1, 2);  // expect: the function cannot be called with these arguments
}
inline void reference_argument(std::vector<int> all) {
  auto changed = wd::async<&change>(
      wd::locality(1), all);  // expect: the function cannot be called with these arguments
}
inline void pointer_result() {
  auto text = wd::async<&name>(
      wd::locality(1));  // expect: a pointer, or what shares an object, cannot be sent
}
inline void object_capture(const wd::local_of<int>& all, int x) {
  all[0].post([x](int& mine) { mine += x; });  // expect: pass what it captures as arguments
}
#endif
