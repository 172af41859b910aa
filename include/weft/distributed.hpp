// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of weft::distributed, but algorithms (weft/distributed/algorithms.hpp, which includes those of
// weft/algorithms.hpp) and MPI requests (weft/distributed/mpi_request.hpp, which includes mpi.h).
#pragma once

#include "weft/distributed/archive.hpp"         // IWYU pragma: export
#include "weft/distributed/archive_access.hpp"  // IWYU pragma: export
#include "weft/distributed/archive_error.hpp"   // IWYU pragma: export
#include "weft/distributed/archive_part.hpp"    // IWYU pragma: export
#include "weft/distributed/async.hpp"           // IWYU pragma: export
#include "weft/distributed/channel.hpp"         // IWYU pragma: export
#include "weft/distributed/checkpoint.hpp"      // IWYU pragma: export
#include "weft/distributed/collectives.hpp"     // IWYU pragma: export
#include "weft/distributed/distribution.hpp"    // IWYU pragma: export
#include "weft/distributed/latch.hpp"           // IWYU pragma: export
#include "weft/distributed/local_of.hpp"        // IWYU pragma: export
#include "weft/distributed/locality.hpp"        // IWYU pragma: export
#include "weft/distributed/names.hpp"           // IWYU pragma: export
#include "weft/distributed/remote.hpp"          // IWYU pragma: export
#include "weft/distributed/remote_error.hpp"    // IWYU pragma: export
#include "weft/distributed/runtime.hpp"         // IWYU pragma: export
#include "weft/distributed/stoppable.hpp"       // IWYU pragma: export
#include "weft/distributed/vector.hpp"          // IWYU pragma: export
