// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters have HPX's names.
#include "distributed/calls/message_counters.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/counters/registry.hpp"
#include "weft/distributed/detail/engine.hpp"

namespace weft::distributed::detail {
namespace {

struct row {
  const char* name;
  const char* unit;
  const char* help;
  std::uint64_t traffic::* count;
};

constexpr std::array rows{
    row{"/parcels/count/mpi/sent",
        "",
        "Calls, results and exceptions that this rank sent to other ranks.",
        &traffic::parcels_sent},
    row{"/parcels/count/mpi/received",
        "",
        "Calls, results and exceptions that this rank received from other ranks.",
        &traffic::parcels_received},
    row{"/messages/count/mpi/sent",
        "",
        "Messages of MPI that this rank sent for calls, results and exceptions, or to confirm "
        "others.",
        &traffic::messages_sent},
    row{"/messages/count/mpi/received",
        "",
        "Messages of MPI that this rank received for calls, results and exceptions, or that "
        "confirmed "
        "others.",
        &traffic::messages_received},
    row{"/data/count/mpi/sent", "bytes", "Size of the messages sent.", &traffic::bytes_sent},
    row{"/data/count/mpi/received",
        "bytes",
        "Size of the messages received.",
        &traffic::bytes_received}};

void add(traffic& sum, const traffic& more) noexcept {
  for (const row& each : rows) {
    sum.*each.count += more.*each.count;
  }
}

/// The counts of all `weft::distributed::runtime` objects of this process, of which one at a time lives.
class process_traffic {
 public:
  process_traffic() {
    for (const row& each : rows) {
      try {
        registered_.push_back(
            counters::register_counter({.name = each.name, .unit = each.unit, .help = each.help},
                                       [this, count = each.count] { return current().*count; }));
      } catch (const error& taken) {  // before `main` nobody could catch it
        send_message("weft: a counter of messages between ranks is missing: " +
                     std::string(taken.what()) + '\n');
      }
    }
  }

  void begin(const engine& counted) {
    const std::lock_guard guard(mutex_);
    counted_ = &counted;
  }
  void end() {
    const std::lock_guard guard(mutex_);
    add(ended_, std::exchange(counted_, nullptr)->exchanged());
  }

 private:
  traffic current() {
    const std::lock_guard guard(mutex_);
    traffic sum = ended_;
    if (counted_ != nullptr) {
      add(sum, counted_->exchanged());
    }
    return sum;
  }

  std::mutex mutex_;
  const engine* counted_ = nullptr;
  traffic ended_;
  std::vector<counters::registration> registered_;
};

/// Never destroyed: counters may be read after `main` has ended.
process_traffic& of_this_process() {
  static auto* const made = new process_traffic;
  return *made;
}

// Made before `main`, so that the command line and WEFT_COUNTERS may name these counters.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): without memory a program may end
[[maybe_unused]] const process_traffic& made_early = of_this_process();

}  // namespace

message_counters::message_counters(const engine& counted) { of_this_process().begin(counted); }
message_counters::~message_counters() { of_this_process().end(); }

}  // namespace weft::distributed::detail
