# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# GHEX for those who compare halos with it: target weft_ghex, only from where WEFT_GHEX_ROOT says, so that it is known which copy was measured,
# and only if it was built with this MPI, as two MPIs in a process cannot work.
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
# The name of that constructor holds the type of MPI's communicators.
check_cxx_source_compiles("#include <ghex/context.hpp>
  int main() { ghex::context where(MPI_COMM_WORLD, false); return where.rank(); }" WEFT_GHEX_HAS_THIS_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_DEFINITIONS)
if(WEFT_GHEX_HAS_THIS_MPI)
  add_library(weft_ghex INTERFACE)
  target_link_libraries(weft_ghex INTERFACE GHEX::ghex oomph::oomph_mpi)
  # Its libraries do not say where those are that they need: the program's path has to serve them as well.
  target_link_options(weft_ghex INTERFACE LINKER:--disable-new-dtags)
endif()
