// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines, start and end of programs written for HPX.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hpx/compat/interruption.hpp>
#include <hpx/compat/launch.hpp>
#include <hpx/init.hpp>
#include <hpx/runtime.hpp>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

#include "compat/command_line.hpp"
#include "compat/job.hpp"

namespace hpx {

namespace compat {

constinit job this_job;

namespace {

constexpr std::string_view init_prefix = "hpx::init: ";
constexpr std::string_view threads_argument = "--hpx:threads=";
constexpr std::string_view workers_argument = "--weft:workers=";

/// The program that `start` runs.
struct started_program {
  std::atomic<bool> is_running{false};  // until `stop` has waited for all tasks
  bool was_initialized = false;         // owned by the thread that set `is_running`, as the next
  std::vector<std::string> arguments;
  std::mutex mutex;  // guards the members below; not held during any wait
  std::optional<weft::future<int>> result;
  std::function<void()> shutdown;
};
started_program& program() {
  static started_program instance;
  return instance;
}

struct settings {
  std::vector<std::string> arguments;  // the program's name first
  bool allows_unknown = false;
  bool runs_everywhere = false;  // also on other localities than 0
};

/// Functions that the program has registered.
struct registered_functions {
  std::vector<std::function<void()>> at_start;
  std::vector<std::function<void()>> at_end;
};
registered_functions& registered() {
  static registered_functions instance;
  return instance;
}
void call_all(const std::vector<std::function<void()>>& functions) {
  for (const std::function<void()>& each : functions) {
    each();
  }
}

void apply_setting(const std::string& setting, settings& all) {
  const std::size_t end = setting.find_first_of("!=");
  const std::string name = setting.substr(0, end);
  const std::size_t begin = setting.find('=');
  const std::string value = begin == std::string::npos ? std::string() : setting.substr(begin + 1);
  const auto is_given = [&](const std::string& each) { return each.starts_with(workers_argument); };
  if (name == "hpx.os_threads") {
    if (!asks_for_all_workers(std::string(threads_argument) + value) &&
        std::ranges::none_of(all.arguments, is_given)) {
      all.arguments.insert(all.arguments.begin() + 1, std::string(workers_argument) + value);
    }
  } else if (name == "hpx.commandline.allow_unknown") {
    all.allows_unknown = value != "0";
  } else if (name == "hpx.run_hpx_main") {
    all.runs_everywhere = value != "0";
  } else if (name != "hpx.commandline.aliasing") {
    weft::send_message("weft: the setting " + setting + " means nothing here, and is ignored\n");
  }
}

settings read_settings(int argc, char** argv, const local::init_params& params) {
  settings all;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (asks_for_all_workers(argument)) {
      continue;
    }
    if (argument == runs_everywhere_argument) {
      all.runs_everywhere = true;
    } else if (argument.starts_with(threads_argument)) {
      all.arguments.push_back(std::string(workers_argument) +
                              std::string(argument.substr(threads_argument.size())));
    } else {
      all.arguments.emplace_back(argument);
    }
  }
  if (all.arguments.empty()) {
    all.arguments.emplace_back("program");
  }
  for (const std::string& each : params.cfg) {
    apply_setting(each, all);
  }
  return all;
}

/// Passes weft's arguments to weft, once per process. Returns true if the program must end.
bool initialize_weft(std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& each : arguments) {
    pointers.push_back(each.data());
  }
  pointers.push_back(nullptr);
  int argc = static_cast<int>(arguments.size());
  const weft::init_result result = weft::try_init(argc, pointers.data());
  if (!result.text.empty()) {
    weft::send_message(result.text);
  }
  std::vector<std::string> left(pointers.begin(), pointers.begin() + argc);
  arguments = std::move(left);
  return result.should_exit;
}

/// Returns nullopt if the program must end.
std::optional<command_line> read_command_line(int argc,
                                              char** argv,
                                              const local::init_params& params) {
  settings all = read_settings(argc, argv, params);
  if (!std::exchange(program().was_initialized, true) && initialize_weft(all.arguments)) {
    return std::nullopt;
  }
  // Only the first call passes arguments to weft; here they are ignored.
  std::erase_if(all.arguments, [](const std::string& each) {
    return each.starts_with("--weft:") || each.starts_with("--hpx:");
  });
  const std::vector<std::string>& own = program().arguments =
      std::vector<std::string>(all.arguments.begin() + 1, all.arguments.end());
  if (std::ranges::find(own, "--help") != own.end()) {
    std::ostringstream help;
    help << params.desc_cmdline.help << "  --weft:help  what weft takes; also as --hpx:...\n";
    weft::send_message(help.str());
    return std::nullopt;
  }
  command_line line;
  if (params.desc_cmdline.read) {
    line.values = params.desc_cmdline.read(own, all.allows_unknown);
  }
  line.arguments = std::move(all.arguments);
  line.runs_everywhere = all.runs_everywhere;
  return line;
}

/// While it is destroyed by an exception that other localities may wait for, ends the job. The
/// runtime of localities, which `leave` destroys, does so then.
struct ends_job_by_exception {
  bool is_everywhere;
  ~ends_job_by_exception() {
    if (is_everywhere && std::uncaught_exceptions() > 0) {
      this_job.leave();
    }
  }
};

/// Calls the program's function, whose exception is reported at once if it ends the job.
int call_program(const main_function& f, command_line& line) {
  const bool is_everywhere = line.runs_everywhere && this_job.size() > 1;
  const ends_job_by_exception guard{is_everywhere};
  try {
    return f(line);
  } catch (const std::exception& raised) {
    if (is_everywhere) {
      weft::send_message(std::string(init_prefix) + raised.what() + '\n');
    }
    throw;
  }
}

/// Starts `f` as the arguments say.
weft::future<int> launch(main_function f,
                         std::optional<command_line> line,
                         const std::function<void()>& startup) {
  if (!line) {
    return weft::make_ready_future(0);
  }
  this_job.join();
  if (f == nullptr) {
    return weft::make_ready_future(0);
  }
  return weft::default_runtime().run([&] {
    return weft::async([f = std::move(f), startup, line = *std::move(line)]() mutable {
      const known_thread named(make_interruption());
      begin_job(startup);
      return this_job.id() == 0 || line.runs_everywhere ? call_program(f, line) : 0;
    });
  });
}

}  // namespace

std::vector<std::string> own_arguments() { return program().arguments; }
void keep_arguments(int argc, char** argv) { program().arguments.assign(argv + 1, argv + argc); }

void begin_job(const std::function<void()>& startup) {
  try {
    if (startup) {
      startup();
    }
    call_all(registered().at_start);
  } catch (...) {
    this_job.meet();
    throw;
  }
  this_job.meet();
}

void end_job(const std::function<void()>& shutdown) {
  weft::default_runtime().wait_until_idle();
  this_job.meet();
  weft::default_runtime().wait_until_idle();
  call_all(registered().at_end);
  if (shutdown) {
    shutdown();
  }
}

int call_and_report(std::string_view prefix, const std::function<int()>& f) {
  std::string text(prefix);
  try {
    return f();
  } catch (const std::exception& raised) {
    text += raised.what();
  } catch (...) {
    text += "an exception that is not a std::exception";
  }
  weft::send_message(text + '\n');
  return -1;
}

int run_job(std::string_view prefix, const std::function<int()>& f) {
  return call_and_report(prefix, [&] {
    this_job.join();
    const int result = call_and_report(prefix, f);
    const int ended = call_and_report(prefix, [] {
      end_job(nullptr);
      return 0;
    });
    this_job.leave();
    return ended == 0 ? result : ended;
  });
}

int run(const main_function& f, int argc, char** argv, const local::init_params& params) {
  if (!start(f, argc, argv, params)) {
    return -1;
  }
  return local::stop();
}

bool start(main_function f, int argc, char** argv, const local::init_params& params) {
  started_program& mine = program();
  if (mine.is_running.exchange(true)) {
    weft::send_message("hpx::init: a program is running already; hpx::stop() waits for its end\n");
    return false;
  }
  const int failed = call_and_report(init_prefix, [&] {
    std::function<void()> shutdown = params.shutdown;
    weft::future<int> running =
        launch(std::move(f), read_command_line(argc, argv, params), params.startup);
    const std::scoped_lock guard(mine.mutex);
    mine.result = std::move(running);
    mine.shutdown = std::move(shutdown);
    return 0;
  });
  if (failed != 0) {
    mine.is_running = false;
  }
  return failed == 0;
}

// Declares the program's function by its mangled names. Ordinary declarations would be three
// overloads, and `hpx::init(hpx_main, ...)` would be ambiguous.
extern "C" {
[[gnu::weak]] int weft_hpx_main_of_nothing() __asm__("_Z8hpx_mainv");
[[gnu::weak]] int weft_hpx_main_of_arguments(int argc, char** argv) __asm__("_Z8hpx_mainiPPc");
[[gnu::weak]] int weft_hpx_main_of_values(program_options::variables_map& values) __asm__(
    "_Z8hpx_mainRN5boost15program_options13variables_mapE");
}

main_function program_main(program_options::variables_map& (*values)(command_line& line)) {
  if (&weft_hpx_main_of_values != nullptr && values != nullptr) {
    return [values](command_line& line) { return weft_hpx_main_of_values(values(line)); };
  }
  if (&weft_hpx_main_of_arguments != nullptr) {
    return main_of(&weft_hpx_main_of_arguments);
  }
  if (&weft_hpx_main_of_nothing != nullptr) {
    return main_of(&weft_hpx_main_of_nothing);
  }
  throw weft::error(
      "hpx::init(argc, argv) runs hpx_main, which this program has not: define int hpx_main(), or "
      "name a function: hpx::init(f, argc, argv)");
}

}  // namespace compat

int local::stop() {
  compat::started_program& mine = compat::program();
  std::optional<weft::future<int>> running;
  std::function<void()> shutdown;
  {
    const std::scoped_lock guard(mine.mutex);
    running = std::exchange(mine.result, std::nullopt);
    shutdown = std::exchange(mine.shutdown, nullptr);
  }
  if (!running) {
    return -1;
  }
  const int result = compat::call_and_report(compat::init_prefix, [&] { return running->get(); });
  const int ended = compat::call_and_report(compat::init_prefix, [&] {
    compat::end_job(shutdown);
    return 0;
  });
  compat::this_job.leave();
  mine.is_running = false;
  return ended == 0 ? result : ended;
}

std::size_t get_os_thread_count() { return weft::tasks::detail::most_workers_here(); }
std::size_t get_num_worker_threads() { return weft::tasks::detail::most_workers_here(); }
std::size_t get_worker_thread_num() noexcept {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const weft::tasks::worker* const w = weft::tasks::self();
  return w == nullptr || weft::tasks::is_visitor(*w) ? none : weft::tasks::worker_index(none);
}
std::uint32_t get_locality_id() noexcept { return compat::this_job.id(); }
std::uint32_t get_num_localities(launch::sync_policy /*how*/) noexcept {
  return compat::this_job.size();
}
std::uint32_t get_initial_num_localities() noexcept { return compat::this_job.size(); }
std::string get_locality_name() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) {
    return "localhost";
  }
  return name.substr(0, name.find('\0'));
}

namespace {
thread_local bool is_registered = false;
}

bool register_thread(runtime* /*home*/, const char* /*name*/) {
  return !std::exchange(is_registered, true);
}
bool unregister_thread(runtime* /*home*/) { return std::exchange(is_registered, false); }

void register_startup_function(std::function<void()> f) {
  compat::registered().at_start.push_back(std::move(f));
}
void register_shutdown_function(std::function<void()> f) {
  compat::registered().at_end.push_back(std::move(f));
}

bool is_running() noexcept { return compat::program().is_running; }

}  // namespace hpx
