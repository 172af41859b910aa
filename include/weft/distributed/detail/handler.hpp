// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The object that a message names instead of a function. Every process with the same binary has it
// at the same offset of the same module.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/distributed/detail/message.hpp"

namespace weft::distributed::detail {

class engine;

/// Receivers check `magic` and `self` before they call `run`, so that no other address is called.
struct handler {
  static constexpr std::uint64_t expected_magic = 0x77656674'68616e64;
  std::uint64_t magic;
  const handler* self;
  void (*run)(engine& home, const incoming& message) noexcept;
  std::string_view name;
};

template <class T>
consteval std::string_view pretty_name() {
  const std::string_view whole = __PRETTY_FUNCTION__;
  const std::string_view before = "T = ";
  const auto first = whole.find(before) + before.size();
  const auto last = whole.find_first_of(";]", first);
  return whole.substr(first, last - first);
}

/// The handler that runs messages of type `Call`.
template <class Call>
struct handler_of {
  static const handler entry;
};
template <class Call>
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): constinit, so nothing runs
constinit const handler handler_of<Call>::entry{
    handler::expected_magic, &handler_of<Call>::entry, Call::handle, Call::name()};

}  // namespace weft::distributed::detail
