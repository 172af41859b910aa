// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench program of a kernel: with a backend, or with one of the user's variants.
#pragma once

#include <concepts>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "lab/bench/difference.hpp"
#include "lab/bench/experiment.hpp"
#include "lab/bench/suite.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::bench {

template <class Call>
struct variant_of {
  std::string_view name;
  Call call;
};

template <class IsRight>
struct check_of {
  IsRight is_right;
};

namespace detail {

template <class T>
inline constexpr bool is_variant = false;
template <class Call>
inline constexpr bool is_variant<variant_of<Call>> = true;

/// The settings among the extras, or the defaults.
inline settings settings_in() { return {}; }
template <class First, class... Rest>
settings settings_in(const First& first, const Rest&... rest) {
  if constexpr (std::same_as<First, settings>) {
    return first;
  } else {
    return settings_in(rest...);
  }
}

/// Compares with the sequential answer.
struct as_seq {
  std::string operator()(const auto& /*input*/,
                         const auto& answer,
                         const auto& expected,
                         double ulps) const {
    return difference(answer, expected, ulps);
  }
};

/// Calls the user's own check.
template <class IsRight>
struct as_told {
  IsRight is_right;
  std::string operator()(const auto& input,
                         const auto& answer,
                         const auto& /*expected*/,
                         double /*ulps*/) const {
    return is_right(input, answer) ? "" : "the kernel's own check says that the answer is wrong";
  }
};

/// The check among the extras, or the comparison with the sequential answer.
inline as_seq check_in() { return {}; }
template <class First, class... Rest>
auto check_in(const First& first, const Rest&... rest) {
  if constexpr (requires { first.is_right; }) {
    return as_told<decltype(First::is_right)>{first.is_right};
  } else {
    return check_in(rest...);
  }
}

/// Runs `call(input, num_threads)` as the bench program `name`.
template <class Backend, bool keeps, class Problem, class Call>
int run_named(int argc, char** argv, std::string_view name, const Problem& what, Call call) {
  const auto make =
      [&](const lab::cell& at) -> std::variant<std::unique_ptr<lab::experiment>, lab::skip> {
    const auto threaded = [call, threads = at.threads](auto& in) -> decltype(auto) {
      return call(in, threads);
    };
    using experiment = kernel_experiment<Problem, std::remove_const_t<decltype(threaded)>, keeps>;
    return std::make_unique<experiment>(what, threaded, at.size);
  };
  return lab::bench_main(argc, argv, kernel_suite<Backend, decltype(make)>(name, make));
}

template <class Backend, class Problem, class... Extras>
int run_program(int argc, char** argv, const Problem& what, const Extras&... /*extras*/)
  requires requires { Backend::name; }
{
  const auto call = [&](auto& in, int /*threads*/) -> decltype(auto) {
    const Backend on;
    return what.kernel(on, in);
  };
  using kernel = decltype(Problem::kernel);
  constexpr bool keeps = keeps_input<kernel, 1, const Backend, typename Problem::input>();
  return run_named<Backend, keeps>(argc, argv, Backend::name, what, call);
}

/// Runs the variant `one` if it is the requested one.
template <class Backend, class Problem, class Extra>
void run_if_wanted(int argc, char** argv, const Problem& what, const Extra& one, int& result) {
  if constexpr (is_variant<Extra>) {
    if (one.name != argv[2]) {
      return;
    }
    using input = typename Problem::input;
    using call_type = decltype(one.call);
    const auto call = [&](auto& in, int threads) -> decltype(auto) {
      if constexpr (std::invocable<const call_type&, input&, int>) {
        return one.call(in, threads);
      } else {
        return one.call(in);
      }
    };
    argv[2] = argv[0];
    result = run_named<Backend, keeps_input<call_type, 0, input>()>(
        argc - 2, argv + 2, one.name, what, call);
  }
}

/// `--variants` lists the variants. `--variant NAME`, before all other arguments, runs one.
template <class Backend, class Problem, class... Extras>
int run_program(int argc, char** argv, const Problem& what, const Extras&... extras) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  const auto print = [](const auto& extra) {
    if constexpr (requires { extra.call; }) {
      std::printf("%s\n", std::string(extra.name).c_str());
    }
  };
  if (option == "--variants") {
    (print(extras), ...);
    return 0;
  }
  int result = 2;
  if (option == "--variant" && argc > 2) {
    (run_if_wanted<Backend>(argc, argv, what, extras, result), ...);
  }
  return result;
}

}  // namespace detail

}  // namespace weft::bench
