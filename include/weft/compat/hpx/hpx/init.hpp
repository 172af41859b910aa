// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting and ending programs written for HPX.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/config.hpp>  // IWYU pragma: export
#include <hpx/exception.hpp>
#include <hpx/format.hpp>
#include <hpx/runtime.hpp>  // IWYU pragma: export
#include <hpx/thread.hpp>

#if defined(WEFT_HAS_BOOST_PROGRAM_OPTIONS)
#include <hpx/program_options.hpp>  // IWYU pragma: export
#endif

// Declared only, so that programs without options need no Boost.
namespace boost::program_options {
class options_description;
class variables_map;
}  // namespace boost::program_options

namespace hpx {

namespace program_options = boost::program_options;

namespace compat {

/// The command line as the program's own function gets it: without what is for weft.
struct command_line {
  std::shared_ptr<program_options::variables_map> values;  // null: no options are described
  std::vector<std::string> arguments;  // all that are left, the program's name first
  bool runs_everywhere = false;        // also on other localities than 0
};

/// The options of a program, which Boost reads. Both are empty: there are none.
struct described_options {
  described_options() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): programs assign what Boost gives them
  described_options(const program_options::options_description& all);

  /// Errors: Boost's, which name the argument.
  std::function<std::shared_ptr<program_options::variables_map>(
      const std::vector<std::string>& arguments, bool allows_unknown)>
      read;
  std::string help;
};

/// The values of the options, none if none are described.
[[nodiscard]] program_options::variables_map& values_of(command_line& line);

/// The arguments of the running program, without its name and those for weft.
[[nodiscard]] std::vector<std::string> own_arguments();

/// Null: nothing is to be run.
using main_function = std::function<int(command_line& line)>;

/// Calls `f` with what it takes: nothing, the option values, or the arguments.
template <class F>
main_function main_of(F f) {
  if constexpr (std::is_same_v<F, std::nullptr_t>) {
    return nullptr;
  } else {
    return [f = std::move(f)](command_line& line) mutable -> int {
      if constexpr (std::invocable<F&, program_options::variables_map&>) {
        return std::invoke(f, compat::values_of(line));
      } else if constexpr (std::invocable<F&, int, char**>) {
        std::vector<char*> pointers;
        pointers.reserve(line.arguments.size() + 1);
        for (std::string& each : line.arguments) {
          pointers.push_back(each.data());
        }
        pointers.push_back(nullptr);
        return std::invoke(f, static_cast<int>(line.arguments.size()), pointers.data());
      } else {
        static_assert(std::invocable<F&>,
                      "hpx::init: the function takes nothing, (int, char**), or "
                      "(hpx::program_options::variables_map&), and returns an int");
        return std::invoke(f);
      }
    };
  }
}

/// The `hpx_main` of the program, whichever of the three it has; `values` is null without Boost.
[[nodiscard]] main_function program_main(
    program_options::variables_map& (*values)(command_line& line));
[[nodiscard]] inline main_function program_main() {
#if defined(WEFT_HAS_BOOST_PROGRAM_OPTIONS)
  return compat::program_main(&compat::values_of);
#else
  return compat::program_main(nullptr);
#endif
}

}  // namespace compat

enum class runtime_mode : signed char {
  default_ = 0,  // NOLINT(readability-identifier-naming): HPX's name
  console = 1,
  worker = 2,
  connect = 3,
  local = 4
};

namespace local {

/// The options of `init` and `start`.
struct init_params {
  compat::described_options desc_cmdline;  // assign an options_description
  /// Of HPX's settings: hpx.os_threads, hpx.run_hpx_main, hpx.commandline.allow_unknown. For others
  /// a message says that they mean nothing here.
  std::vector<std::string> cfg;
  std::function<void()> startup;
  std::function<void()> shutdown;
  runtime_mode mode = runtime_mode::default_;
};

}  // namespace local

namespace compat {

/// Runs `f` as a task of the default runtime; returns what it returns when no task is left.
/// Errors:  prints a message and returns -1 (`run`) or false (`start`). Reasons: `f`, startup or
///          shutdown throws, an argument is unknown, or a program runs already.
int run(const main_function& f, int argc, char** argv, const local::init_params& params);
bool start(main_function f, int argc, char** argv, const local::init_params& params);

}  // namespace compat

namespace local {

template <class F>
  requires(!std::integral<F>)
int init(F f, int argc, char** argv, const init_params& params = {}) {
  return compat::run(compat::main_of(std::move(f)), argc, argv, params);
}
inline int init(int argc, char** argv, const init_params& params = {}) {
  return compat::run(compat::program_main(), argc, argv, params);
}

/// As `init`, but returns at once; `stop` waits.
template <class F>
  requires(!std::integral<F>)
bool start(F f, int argc, char** argv, const init_params& params = {}) {
  return compat::start(compat::main_of(std::move(f)), argc, argv, params);
}
inline bool start(int argc, char** argv, const init_params& params = {}) {
  return compat::start(compat::program_main(), argc, argv, params);
}

/// Waits for what `start` runs, and for all tasks; returns what it returned.
int stop();

/// Nothing is to be done: `init` ends when no task is left.
inline int finalize() noexcept { return 0; }

}  // namespace local

namespace util {
/// Reads the arguments of the running program, also before its function is called.
/// Errors:  Boost's, which name the argument.
bool retrieve_commandline_arguments(const program_options::options_description& options,
                                    program_options::variables_map& values);
}  // namespace util

using init_params = local::init_params;
using local::finalize;
using local::init;
using local::start;
using local::stop;
inline int disconnect() noexcept { return 0; }

}  // namespace hpx

#if defined(WEFT_HAS_LOCALITIES)
#include <hpx/distributed.hpp>  // IWYU pragma: export
#endif
