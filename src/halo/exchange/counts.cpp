// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers /halo/* when the first grid is made.
#include "halo/exchange/counts.hpp"

#include <array>

#include "weft/counters/registry.hpp"

namespace weft::halo::detail {
namespace {

using counters::register_counter;
using counters::registration;

struct registered_counts {
  process_counts numbers;
  // Declared last, so that it is destroyed first and nobody reads destroyed counts.
  std::array<registration, 7> shown{
      register_counter(
          {.name = "/halo/count/exchanges", .unit = "", .help = "Exchanges that were completed."},
          &numbers.num_exchanges),
      register_counter({.name = "/halo/count/plans",
                        .unit = "",
                        .help = "Plans made, each collectively; one per list of fields."},
                       &numbers.num_plans),
      register_counter(
          {.name = "/halo/count/messages", .unit = "", .help = "MPI messages that exchanges sent."},
          &numbers.num_messages),
      register_counter({.name = "/halo/data/messages",
                        .unit = "bytes",
                        .help = "Halo cells received in MPI messages."},
                       &numbers.message_bytes),
      register_counter({.name = "/halo/data/shared-memory",
                        .unit = "bytes",
                        .help = "Halo cells copied from other ranks of the node."},
                       &numbers.memory_bytes),
      register_counter({.name = "/halo/data/itself",
                        .unit = "bytes",
                        .help = "Halo cells copied from the rank's own fields."},
                       &numbers.local_bytes),
      register_counter(
          {.name = "/halo/count/executor-throws",
           .unit = "",
           .help = "Calls of executors that threw or left copies out; callers made these alone."},
          &numbers.num_executor_throws)};
};

}  // namespace

process_counts& counts() {
  static registered_counts all;
  return all.numbers;
}

}  // namespace weft::halo::detail
