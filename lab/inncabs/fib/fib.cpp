// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of problem fib, its recursion without tasks, and the number without recursion.
#include "lab/inncabs/fib/fib.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/inncabs/input_class.hpp"

namespace weft::lab::inncabs::fib {
namespace {

/// A real call: a compiler might inline the recursion into itself, or turn half of it into a loop.
/// The baseline would then do less work than the tasks.
// NOLINTNEXTLINE(misc-no-recursion)
[[gnu::noinline]] std::uint64_t performed(std::uint64_t n) {
  if (n < 2) {
    return n;
  }
  const std::uint64_t first = performed(n - 1);
  asm volatile("" ::: "memory");
  const std::uint64_t second = performed(n - 2);
  asm volatile("" ::: "memory");  // after the call: it is neither pure nor a tail call
  return first + second;
}

std::uint64_t by_addition(std::uint64_t n) {
  std::uint64_t value = 0;
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t after = value + next;
    value = next;
    next = after;
  }
  return value;
}

}  // namespace

input make_input(input_class which, std::uint64_t /*seed*/) {
  constexpr std::array<std::uint64_t, input_classes.size()> n{12, 35, 30};
  return {.n = n[static_cast<std::size_t>(which)]};
}

result run_serial(const input& of) { return performed(of.n); }

std::string mismatch(const input& of, result found) {
  const std::uint64_t expected = by_addition(of.n);
  if (found == expected) {
    return {};
  }
  return "number " + std::to_string(of.n) + " is " + std::to_string(found) + ", expected " +
         std::to_string(expected);
}

std::optional<std::uint64_t> num_tasks(const input& of) { return 2 * by_addition(of.n + 1) - 1; }

std::string scaled(input_class /*which*/) { return {}; }

}  // namespace weft::lab::inncabs::fib
