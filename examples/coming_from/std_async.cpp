// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::async and weft::async side by side, as docs/coming_from.md shows them.
#include <cstdio>
#include <future>
#include <string>

#include <weft/tasks/async.hpp>
#include <weft/tasks/future.hpp>

namespace {

std::string load(const std::string& name) { return name + ": 42"; }

namespace with_std {

std::string both() {
  std::future<std::string> a = std::async(std::launch::async, load, "a");  // a thread
  std::future<std::string> b = std::async(std::launch::async, load, "b");  // another
  return a.get() + ", " + b.get();                                         // this one sleeps
}

}  // namespace with_std

namespace with_weft {

std::string both() {
  weft::future<std::string> a = weft::async(load, "a");  // a task: no thread is made
  weft::future<std::string> b = weft::async(load, "b");
  return a.get() + ", " + b.get();  // a task that has not started runs here
}

}  // namespace with_weft

}  // namespace

int main() {
  const bool is_same = with_std::both() == with_weft::both();
  std::puts(is_same ? "the same results" : "different results");
  return is_same ? 0 : 1;
}
