// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks MPI by its own extension, which differs between MPIs; some have none.
#include "halo/transport/mpi_support.hpp"

#include <string>

#include <mpi.h>  // IWYU pragma: keep: of MPICH, which has the call there
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "weft/halo/detail/grid.hpp"  // IWYU pragma: keep: as above

namespace weft::halo::detail {

mpi_support asked_mpi() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  const bool is_aware = MPIX_Query_cuda_support() != 0;
  return {.says = is_aware ? mpi_support::answer::yes : mpi_support::answer::no,
          .why = std::string("MPIX_Query_cuda_support says ") + (is_aware ? "yes" : "no")};
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is_aware = 0;
  check_mpi(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_aware), "MPIX_GPU_query_support");
  return {.says = is_aware != 0 ? mpi_support::answer::yes : mpi_support::answer::no,
          .why = std::string("MPIX_GPU_query_support says ") + (is_aware != 0 ? "yes" : "no")};
#else
  return {.says = mpi_support::answer::unknown,
          .why = "this MPI has no call that says whether it reads the memory of GPUs"};
#endif
}

}  // namespace weft::halo::detail
