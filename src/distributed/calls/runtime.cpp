// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a process joins its job, and leaves it.
#include "weft/distributed/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <ios>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

#include "counters/core/localities.hpp"
#include "counters/print/active.hpp"
#include "distributed/calls/engines.hpp"
#include "distributed/calls/message_counters.hpp"
#include "distributed/calls/module_table.hpp"
#include "distributed/calls/rank_counters.hpp"
#include "distributed/transport/mpi_session.hpp"
#include "distributed/transport/transport.hpp"

namespace weft::distributed {

namespace {

constexpr std::size_t longest_path = 512;

/// The data of their programs that ranks compare.
struct program_identity {
  std::uint64_t build_id;
  std::array<char, longest_path> path;
};

std::string described(const program_identity& program, std::size_t rank) {
  std::ostringstream text;
  text << "rank " << rank << " runs " << program.path.data() << " (build-id hash " << std::hex
       << std::setfill('0') << std::setw(16) << program.build_id << ')';
  return text.str();
}

/// Errors: `weft::error` on all ranks if any two run different programs.
void compare_programs() {
  const detail::loaded_module mine = detail::module_table().program();
  program_identity identity{.build_id = mine.build_id, .path = {}};
  mine.path.copy(identity.path.data(), longest_path - 1);
  const std::vector<program_identity> all = all_gather(identity).get();
  const auto other = std::ranges::find_if(
      all, [&](const program_identity& each) { return each.build_id != all.front().build_id; });
  if (other != all.end()) {
    throw error(errc::invalid_status,
                "the ranks of a job run the same build of one program, but " +
                    described(all.front(), 0) + " and " +
                    described(*other, static_cast<std::size_t>(other - all.begin())) +
                    ": start all of them with one file");
  }
}

/// Reads `--weft:` arguments. Returns the code with which all ranks are to end, if they are.
///
/// Lists and help are those of rank 0. A mistake may be one on some ranks only, for example where a
/// file cannot be written; the first of these ranks prints it.
std::optional<int> read_arguments(int& argc, char** argv, const detail::mpi_session& job) {
  init_result asked;
  std::string mistake;
  try {
    asked = try_init(argc, argv);
  } catch (const std::exception& why) {
    mistake = why.what();
  }
  const int first_failed = job.smallest(mistake.empty() ? job.size() : job.rank());
  if (first_failed < job.size()) {
    if (first_failed == job.rank()) {
      send_message("weft: " + mistake + '\n');
    }
    return 2;
  }
  const bool ends = asked.should_exit || asked.is_list;
  if (!asked.text.empty() && (job.rank() == 0 || !ends)) {
    const std::string whose =
        ends || job.size() == 1 ? "" : "rank " + std::to_string(job.rank()) + ":\n";
    std::fputs((whose + asked.text).c_str(), stdout);
  }
  return ends ? std::optional(0) : std::nullopt;
}

}  // namespace

runtime::runtime(const runtime_options& options) : runtime(options, nullptr, nullptr) {}

runtime::runtime(int& argc, char**& argv, const runtime_options& options)
    : runtime(options, &argc, argv) {}

runtime::runtime(const runtime_options& options, int* argc, char** argv)
    : num_exceptions_(std::uncaught_exceptions()) {
  if (detail::has_engines()) {
    throw error(errc::invalid_status,
                "there is a weft::distributed::runtime already: a process has one at a time");
  }
  mpi_ = std::make_unique<detail::mpi_session>(options);
  if (mpi_->size() > 1) {
    counters::detail::set_own_locality(static_cast<std::uint32_t>(mpi_->rank()));
    counters::detail::expect_job(true);
  }
  try {
    if (argc != nullptr) {
      if (const auto code = read_arguments(*argc, argv, *mpi_)) {
        mpi_.reset();  // otherwise the launcher reports a crash of this process
        std::exit(*code);
      }
    }
    engine_ = std::make_unique<detail::engine>(
        mpi_->make_transport(options), tasks::scheduler_of(default_runtime()), options);
    counters_ = std::make_unique<detail::message_counters>(*engine_);
    compare_programs();
  } catch (...) {
    counters::detail::expect_job(false);
    if (engine_ != nullptr) {
      engine_->close();
    }
    throw;
  }
  job_counters_ = std::make_unique<detail::job_counters>(*engine_);
  start_printing();
}

void runtime::start_printing() {
  try {
    counters::detail::start_active_of_job();
  } catch (const std::exception& why) {
    if (engine_->size() == 1) {
      throw;
    }
    engine_->abort_job(why.what());  // the other ranks would wait for this one
  }
  barrier().get();  // counters that rank 0 prints count what the program does from here on
}

/// Ends when no message is under way on any rank, those for counters included.
void runtime::end_messages() {
  quiescence().get();
  counters::detail::finish_active_of_job();  // by rank 0, for all ranks
  job_counters_.reset();
  detail::start_quiescence(*engine_, true).get();
}

runtime::~runtime() {
  if (std::uncaught_exceptions() > num_exceptions_ && engine_->size() > 1) {
    engine_->abort_job("an exception ends rank " + std::to_string(engine_->rank()) +
                       "'s weft::distributed::runtime, and the other ranks may wait for it");
  }
  try {
    end_messages();
  } catch (const std::exception& why) {
    engine_->abort_job(why.what());
  }
  engine_->close();
}

}  // namespace weft::distributed
