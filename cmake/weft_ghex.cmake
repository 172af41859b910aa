# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GHEX, to compare halos with: target weft_ghex. It is found only under WEFT_GHEX_ROOT, so that the measured copy is known. It must have
# been built with this MPI, as two MPIs cannot work in one process.
set(WEFT_GHEX_ROOT "$ENV{WEFT_GHEX_ROOT}" CACHE PATH "Folder that GHEX, oomph, hwmalloc and GridTools are installed in, for the halo contestant ghex (empty: not built)")
if(WEFT_GHEX_ROOT STREQUAL "" OR TARGET weft_ghex OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()
list(PREPEND CMAKE_PREFIX_PATH "${WEFT_GHEX_ROOT}")
foreach(package IN ITEMS Boost GridTools oomph GHEX)
  find_package(${package} QUIET PATH_SUFFIXES lib/cmake)
endforeach()
list(POP_FRONT CMAKE_PREFIX_PATH)
if(NOT TARGET GHEX::ghex)
  return()
endif()
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES GHEX::ghex oomph::oomph_mpi MPI::MPI_CXX)
set(CMAKE_REQUIRED_DEFINITIONS -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
# The name of that constructor contains the type of MPI's communicators.
check_cxx_source_compiles("#include <ghex/context.hpp>
  int main() { ghex::context where(MPI_COMM_WORLD, false); return where.rank(); }" WEFT_GHEX_HAS_THIS_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_DEFINITIONS)
if(WEFT_GHEX_HAS_THIS_MPI)
  add_library(weft_ghex INTERFACE)
  target_link_libraries(weft_ghex INTERFACE GHEX::ghex oomph::oomph_mpi)
  # Its libraries do not record the folders of the libraries that they need, so the program's path must include those folders.
  target_link_options(weft_ghex INTERFACE LINKER:--disable-new-dtags)
endif()
