// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's kernel as an experiment of the harness: inputs, calls, and the comparison with the
// sequential answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <malloc.h>

#include "lab/bench/backends/seq.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"

namespace weft::bench {

/// The arguments of `run` beside the kernel.
///
/// Units: `_per_element`: bytes moved and arithmetic operations for each of the n elements. `ulps`:
///        the allowed difference of floating-point answers from the sequential one, in units in the
///        last place. Default: 16 * sqrt(n), since backends add in another order.
struct settings {
  double bytes_per_element = 0;
  double operations_per_element = 0;
  std::optional<double> ulps = std::nullopt;
};

namespace detail {

template <class Member>
struct parameters {};
template <class Result, class F, class... P>
struct parameters<Result (F::*)(P...) const> {
  using all = std::tuple<P...>;
};
template <class Result, class F, class... P>
struct parameters<Result (F::*)(P...) const noexcept> {
  using all = std::tuple<P...>;
};

template <class Member, std::size_t index>
concept takes_const =
    requires { typename parameters<Member>::all; } &&
    std::is_const_v<
        std::remove_reference_t<std::tuple_element_t<index, typename parameters<Member>::all>>>;

/// Whether parameter `index` of `F` is a const reference if its `auto` parameters are `Given`.
template <class F, std::size_t index, class... Given>
constexpr bool keeps_input() {
  if constexpr (requires { &F::template operator()<Given...>; }) {
    return takes_const<decltype(&F::template operator()<Given...>), index>;
  } else if constexpr (index == 1 && requires {
                         &F::template operator()<std::tuple_element_t<0, std::tuple<Given...>>>;
                       }) {
    return takes_const<
        decltype(&F::template operator()<std::tuple_element_t<0, std::tuple<Given...>>>),
        index>;
  } else {
    return takes_const<decltype(&F::operator()), index>;
  }
}

/// Bytes allocated on the heap. Always 0 if another malloc replaces glibc's: a copy then counts
/// only as the size of its object.
inline std::size_t heap_bytes() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

}  // namespace detail

/// A kernel and its properties. `check(input, answer, expected, ulps)` returns what is wrong.
template <class Make, class Kernel, class Check>
struct problem {
  using input = std::invoke_result_t<const Make&, std::size_t>;
  using seq_result = std::invoke_result_t<const Kernel&, const seq&, input&>;

  Make make;
  Kernel kernel;
  Check check;
  settings how;
};

/// `call(input)` at one size; `keeps`: the call does not change its input.
template <class Problem, class Call, bool keeps>
class kernel_experiment final : public lab::experiment {
  using input = typename Problem::input;
  using seq_result = typename Problem::seq_result;
  // Without a result, the input that the call changed is the answer.
  static constexpr bool is_void = std::is_void_v<seq_result>;

 public:
  kernel_experiment(const Problem& of, Call call, std::size_t size)
      : of_(of), call_(std::move(call)), size_(size), given_(of.make(size)) {
    const std::size_t before = detail::heap_bytes();
    const input copy = given_;
    lab::keep(copy);  // prevents the compiler from removing the allocation
    copy_bytes_ = std::max(detail::heap_bytes() - before, sizeof(input));
  }

  lab::verdict verify() override {
    input changed = given_;
    decltype(auto) answer = answer_of(call_, changed);
    const double ulps = of_.how.ulps.value_or(16 * std::sqrt(static_cast<double>(size_)));
    return {.mismatch = of_.check(given_, answer, expected_, ulps)};
  }

  void prepare(std::size_t count) override {
    if constexpr (!keeps) {
      copies_.assign(count, given_);
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      decltype(auto) answer = answer_of(call_, keeps ? given_ : copies_[i]);
      lab::keep(std::as_const(answer));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    constexpr std::size_t room_bytes = std::size_t{64} << 20U;
    return keeps ? std::size_t{1} << 20U
                 : std::clamp<std::size_t>(room_bytes / copy_bytes_, 1, 1024);
  }
  [[nodiscard]] std::size_t bytes_min() const override {
    return static_cast<std::size_t>(of_.how.bytes_per_element * static_cast<double>(size_));
  }
  [[nodiscard]] std::optional<double> num_operations() const override {
    const double count = of_.how.operations_per_element * static_cast<double>(size_);
    return count > 0 ? std::optional(count) : std::nullopt;
  }

 private:
  static decltype(auto) answer_of(auto& call, input& in) {
    if constexpr (is_void) {
      call(in);
      return std::as_const(in);
    } else {
      return call(in);
    }
  }
  decltype(auto) answer_of_seq() {
    const seq on;
    const auto call = [&](input& in) -> seq_result { return of_.kernel(on, in); };
    return answer_of(call, changed_by_seq_);
  }
  using expected_answer =
      std::conditional_t<is_void, const input&, std::remove_cvref_t<seq_result>>;

  const Problem& of_;
  Call call_;
  std::size_t size_;
  input given_;
  std::size_t copy_bytes_ = 1;
  std::vector<input> copies_;
  input changed_by_seq_ = given_;
  expected_answer expected_ = answer_of_seq();
};

}  // namespace weft::bench
