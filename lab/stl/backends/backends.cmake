# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which backends this machine and compiler can build, with which flags; one line of status for each that it cannot.

# weft_stl_backend(<name> [OPTIONS compile-options ...] [LIBRARIES ...]): backends/<name>.cpp as bench program weft_stl_<name>.
# The object library weft_stl_backend_<name> is shared by the program and the tests.
function(weft_stl_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;LIBRARIES")
  set(objects weft_stl_backend_${name})
  add_library(${objects} OBJECT "${PROJECT_SOURCE_DIR}/lab/stl/backends/${name}.cpp")
  target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_features(${objects} PRIVATE cxx_std_20)
  weft_bench_optimise(${objects})
  target_compile_options(${objects} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${objects} PRIVATE weft_warnings PUBLIC ${arg_LIBRARIES})
  set_target_properties(${objects} PROPERTIES CXX_EXTENSIONS OFF)
  weft_bench_program(NAME weft_stl_${name} SUITE stl BACKEND ${name}
    SOURCES "${PROJECT_SOURCE_DIR}/lab/stl/main.cpp" OBJECTS weft_stl_problems ${objects} OPTIONS ${arg_OPTIONS})
  set_property(GLOBAL APPEND PROPERTY WEFT_STL_BACKENDS ${name})
endfunction()

function(weft_stl_not_built names what_would_enable_it)
  message(STATUS "weft: STL backends not built: ${names} (${what_would_enable_it})")
endfunction()

find_package(TBB QUIET)
find_package(OpenMP QUIET COMPONENTS CXX)
find_package(HPX QUIET HINTS "$ENV{WEFT_HPX_DIR}")
find_path(WEFT_ONEDPL_INCLUDE oneapi/dpl/execution HINTS "${WEFT_ONEDPL_ROOT}" PATH_SUFFIXES include)
find_path(WEFT_CCCL_INCLUDE thrust/system/omp/execution_policy.h HINTS "${WEFT_CCCL_ROOT}" NO_DEFAULT_PATH
  PATH_SUFFIXES include/cccl include nvidia/cu13/include/cccl)

# Vector pragmas without OpenMP's threads: the loops of libstdc++'s, oneDPL's and our own serial pieces rely on them.
# clang warns of every such loop it does not vectorise, and of libstdc++ 12's own deprecated bases.
# Not for nvc++, which ends at an option it does not know and vectorises at -O3 by itself.
set(simd $<$<NOT:$<CXX_COMPILER_ID:NVHPC>>:-fopenmp-simd>)
set(openmp ${OpenMP_CXX_FLAGS})
set(peer_warnings $<$<CXX_COMPILER_ID:Clang,IntelLLVM>:-Wno-pass-failed> $<$<CXX_COMPILER_ID:Clang,IntelLLVM>:-Wno-deprecated-declarations>)

weft_stl_backend(seq OPTIONS ${simd})

if(TBB_FOUND)
  weft_stl_backend(libstdcxx_tbb OPTIONS ${simd} ${peer_warnings} LIBRARIES TBB::tbb)
  weft_stl_backend(libstdcxx_tbb_par OPTIONS ${simd} ${peer_warnings} LIBRARIES TBB::tbb)
  weft_stl_backend(onetbb OPTIONS ${simd} ${peer_warnings} LIBRARIES TBB::tbb)
else()
  weft_stl_not_built("libstdcxx_tbb, libstdcxx_tbb_par, onetbb" "install oneTBB: apt-get install libtbb-dev")
endif()

if(OpenMP_CXX_FOUND)
  weft_stl_backend(openmp OPTIONS ${openmp} ${peer_warnings} LIBRARIES ${openmp})
  weft_stl_backend(gnu OPTIONS ${openmp} ${peer_warnings} LIBRARIES ${openmp})
else()
  weft_stl_not_built("openmp, gnu, onedpl_omp, thrust_omp" "install OpenMP for this compiler, for clang: apt-get install libomp-19-dev")
endif()

if(WEFT_ONEDPL_INCLUDE)
  add_library(weft_onedpl INTERFACE IMPORTED)
  target_include_directories(weft_onedpl INTERFACE "${WEFT_ONEDPL_INCLUDE}")
  set(host_only -DONEDPL_USE_DPCPP_BACKEND=0)
  if(TBB_FOUND)
    weft_stl_backend(onedpl_tbb OPTIONS ${simd} ${peer_warnings} ${host_only} -DONEDPL_USE_TBB_BACKEND=1 -DONEDPL_USE_OPENMP_BACKEND=0
      LIBRARIES weft_onedpl TBB::tbb)
  endif()
  if(OpenMP_CXX_FOUND)
    weft_stl_backend(onedpl_omp OPTIONS ${openmp} ${peer_warnings} ${host_only} -DONEDPL_USE_TBB_BACKEND=0 -DONEDPL_USE_OPENMP_BACKEND=1
      LIBRARIES weft_onedpl ${openmp})
  endif()
else()
  weft_stl_not_built("onedpl_tbb, onedpl_omp" "set WEFT_ONEDPL_ROOT to the folder that holds oneDPL's include/, for example of the PyPI package onedpl-devel")
endif()

if(WEFT_CCCL_INCLUDE AND OpenMP_CXX_FOUND)
  add_library(weft_cccl INTERFACE IMPORTED)
  target_include_directories(weft_cccl INTERFACE "${WEFT_CCCL_INCLUDE}")
  weft_stl_backend(thrust_omp OPTIONS ${openmp} ${peer_warnings} -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP LIBRARIES weft_cccl ${openmp})
elseif(OpenMP_CXX_FOUND)
  weft_stl_not_built("thrust_omp" "set WEFT_CCCL_ROOT to the folder that holds CCCL's include/, version 13.3 or later, for example of the PyPI package nvidia-cuda-cccl")
endif()

if(HPX_FOUND)
  weft_stl_backend(hpx OPTIONS ${peer_warnings} LIBRARIES HPX::hpx)
else()
  weft_stl_not_built("hpx" "set WEFT_HPX_DIR to the folder that holds HPXConfig.cmake, for example of Spack's package hpx")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "NVHPC")
  weft_stl_backend(stdpar OPTIONS -stdpar=multicore -mp LIBRARIES -stdpar=multicore -mp)
else()
  weft_stl_not_built("stdpar" "configure with --preset bench-nvcxx")
endif()
