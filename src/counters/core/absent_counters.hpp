// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of HPX's counters that weft does not have, with the reasons.
#pragma once

#include <array>
#include <string_view>

namespace weft::counters::detail {

struct absent_counters {
  std::string_view names;  // patterns of type names, separated by ", "
  std::string_view reason;
};

inline constexpr std::array absent = {
    absent_counters{"/agas/*, /runtime/count/*",
                    "weft has no global address space, components or actions"},
    absent_counters{"/parcels/*, /messages/*, /data/*, /serialize/*, /parcelport/*, "
                    "/parcelqueue/*, /coalescing/*",
                    "programs that are linked to weft::distributed have /parcels, /messages and "
                    "/data as count/mpi/sent and count/mpi/received; there are no others"},
    absent_counters{"/threads/time/background-*, /threads/background-*-overhead",
                    "workers do no work of their own beside tasks"},
    absent_counters{"/threads/creation-idle-rate, /threads/cleanup-idle-rate",
                    "a task is made in the body that starts it and gone at its end"},
    absent_counters{"/threads/idle-loop-count/*, /threads/busy-loop-count/*",
                    "a worker without tasks goes to sleep: see time/searching and time/parked"},
    absent_counters{"/threads/wait-time/staged, /threads/count/stolen-*-staged",
                    "tasks from outside wait in one queue that all workers share, so none is "
                    "stolen"},
    absent_counters{"/threads/count/objects, /threads/count/stack-unbinds",
                    "HPX lists the first and does not have it; for the second see stacks/live"}};

}  // namespace weft::counters::detail
