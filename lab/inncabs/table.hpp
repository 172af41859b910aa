// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of the suite. To add one: its folder, its row here and its sources in
// CMakeLists.txt.
#pragma once

#include <tuple>

#include "lab/inncabs/alignment/alignment.hpp"
#include "lab/inncabs/alignment/alignment_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/alignment/alignment_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/fft/fft.hpp"
#include "lab/inncabs/fft/fft_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/fft/fft_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/fib/fib.hpp"
#include "lab/inncabs/fib/fib_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/fib/fib_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/floorplan/floorplan.hpp"
#include "lab/inncabs/floorplan/floorplan_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/floorplan/floorplan_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/health/health.hpp"
#include "lab/inncabs/health/health_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/health/health_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/intersim/intersim.hpp"
#include "lab/inncabs/intersim/intersim_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/intersim/intersim_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/nqueens/nqueens.hpp"
#include "lab/inncabs/nqueens/nqueens_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/nqueens/nqueens_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/pyramids/pyramids.hpp"
#include "lab/inncabs/pyramids/pyramids_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/pyramids/pyramids_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/qap/qap.hpp"
#include "lab/inncabs/qap/qap_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/qap/qap_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/round/round.hpp"
#include "lab/inncabs/round/round_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/round/round_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/row.hpp"
#include "lab/inncabs/sort/sort.hpp"
#include "lab/inncabs/sort/sort_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/sort/sort_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/sparselu/sparselu.hpp"
#include "lab/inncabs/sparselu/sparselu_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/sparselu/sparselu_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/strassen/strassen.hpp"
#include "lab/inncabs/strassen/strassen_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/strassen/strassen_groups.hpp"   // IWYU pragma: export
#include "lab/inncabs/uts/uts.hpp"
#include "lab/inncabs/uts/uts_futures.hpp"  // IWYU pragma: export
#include "lab/inncabs/uts/uts_groups.hpp"   // IWYU pragma: export

namespace weft::lab::inncabs {

/// In alphabetical order.
inline constexpr std::tuple table{
    row<alignment::input>{alignment::about, alignment::make_input, alignment::scaled},
    row<fft::input>{fft::about, fft::make_input, fft::scaled, fft::memory_bytes},
    row<fib::input>{fib::about, fib::make_input, fib::scaled},
    row<floorplan::input>{floorplan::about, floorplan::make_input, floorplan::scaled},
    row<health::input>{health::about, health::make_input, health::scaled},
    row<intersim::input>{
        intersim::about, intersim::make_input, intersim::scaled, intersim::memory_bytes},
    row<nqueens::input>{nqueens::about, nqueens::make_input, nqueens::scaled},
    row<pyramids::input>{
        pyramids::about, pyramids::make_input, pyramids::scaled, pyramids::memory_bytes},
    row<qap::input>{qap::about, qap::make_input, qap::scaled},
    row<round::input>{round::about, round::make_input, round::scaled},
    row<sort::input>{sort::about, sort::make_input, sort::scaled, sort::memory_bytes},
    row<sparselu::input>{
        sparselu::about, sparselu::make_input, sparselu::scaled, sparselu::memory_bytes},
    row<strassen::input>{
        strassen::about, strassen::make_input, strassen::scaled, strassen::memory_bytes},
    row<uts::input>{uts::about, uts::make_input, uts::scaled},
};

}  // namespace weft::lab::inncabs
