# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which backends this machine and compiler can build, and with which flags. Prints one line of
# status for each of the others.

find_path(WEFT_ONEDPL_INCLUDE oneapi/dpl/execution HINTS "${WEFT_ONEDPL_ROOT}" PATH_SUFFIXES include)
find_path(WEFT_CCCL_INCLUDE thrust/system/omp/execution_policy.h HINTS "${WEFT_CCCL_ROOT}" NO_DEFAULT_PATH
  PATH_SUFFIXES include/cccl include nvidia/cu13/include/cccl)

# Vector pragmas without OpenMP's threads: the loops of libstdc++'s, oneDPL's and our own serial
# pieces rely on them. clang warns of every such loop that it does not vectorise, and of libstdc++
# 12's own deprecated bases. nvc++ does not get them: it stops at an unknown option, and vectorises
# at -O3 by itself.
set(simd $<$<NOT:$<CXX_COMPILER_ID:NVHPC>>:-fopenmp-simd>)
set(openmp ${OpenMP_CXX_FLAGS})
set(standard_options $<$<CXX_COMPILER_ID:Clang,IntelLLVM>:-Wno-deprecated-declarations>)
set(peer_options $<$<CXX_COMPILER_ID:Clang,IntelLLVM>:-Wno-pass-failed> ${standard_options})
# Compiling all algorithms for three types takes a minute at -O3, and half of that at -O1. It takes less without optimisation, which
# suffices where nothing is measured.
set(not_measured -O0)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(not_measured $<$<CONFIG:Debug>:-O0>)
endif()
list(APPEND peer_options ${not_measured})

weft_bench_backend(stl seq OPTIONS ${simd} ${standard_options})
weft_bench_backend(stl weft OPTIONS ${not_measured} LIBRARIES weft::algorithms)

if(TBB_FOUND)
  weft_bench_backend(stl libstdcxx_tbb OPTIONS ${simd} ${peer_options} LIBRARIES TBB::tbb)
  weft_bench_backend(stl libstdcxx_tbb_par OPTIONS ${simd} ${peer_options} LIBRARIES TBB::tbb)
  weft_bench_backend(stl onetbb OPTIONS ${simd} ${peer_options} LIBRARIES TBB::tbb)
else()
  weft_bench_not_built(stl "libstdcxx_tbb, libstdcxx_tbb_par, onetbb" "${how_to_get_tbb}")
endif()

if(OpenMP_CXX_FOUND)
  weft_bench_backend(stl openmp OPTIONS ${openmp} ${peer_options} LIBRARIES ${openmp})
  weft_bench_backend(stl gnu OPTIONS ${openmp} ${peer_options} LIBRARIES ${openmp})
else()
  weft_bench_not_built(stl "openmp, gnu, onedpl_omp, thrust_omp" "${how_to_get_openmp}")
endif()

if(WEFT_ONEDPL_INCLUDE)
  add_library(weft_onedpl INTERFACE IMPORTED)
  target_include_directories(weft_onedpl INTERFACE "${WEFT_ONEDPL_INCLUDE}")
  set(host_only -DONEDPL_USE_DPCPP_BACKEND=0)
  if(TBB_FOUND)
    weft_bench_backend(stl onedpl_tbb OPTIONS ${simd} ${peer_options} ${host_only} -DONEDPL_USE_TBB_BACKEND=1 -DONEDPL_USE_OPENMP_BACKEND=0
      LIBRARIES weft_onedpl TBB::tbb)
  endif()
  if(OpenMP_CXX_FOUND)
    # Without optimisation it would need oneTBB's library: its headers refer to functions that it
    # does not call.
    weft_bench_backend(stl onedpl_omp OPTIONS ${openmp} ${peer_options} $<$<CONFIG:Debug>:-O1> ${host_only} -DONEDPL_USE_TBB_BACKEND=0 -DONEDPL_USE_OPENMP_BACKEND=1
      LIBRARIES weft_onedpl ${openmp})
  endif()
else()
  weft_bench_not_built(stl "onedpl_tbb, onedpl_omp" "set WEFT_ONEDPL_ROOT to the folder that holds oneDPL's include/, for example of the PyPI package onedpl-devel")
endif()

if(WEFT_CCCL_INCLUDE AND OpenMP_CXX_FOUND)
  add_library(weft_cccl INTERFACE IMPORTED)
  target_include_directories(weft_cccl INTERFACE "${WEFT_CCCL_INCLUDE}")
  weft_bench_backend(stl thrust_omp OPTIONS ${openmp} ${peer_options} -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP LIBRARIES weft_cccl ${openmp})
elseif(OpenMP_CXX_FOUND)
  weft_bench_not_built(stl "thrust_omp" "set WEFT_CCCL_ROOT to the folder that holds CCCL's include/, version 13.3 or later, for example of the PyPI package nvidia-cuda-cccl")
endif()

if(HPX_FOUND)
  weft_bench_backend(stl hpx OPTIONS ${peer_options} LIBRARIES HPX::hpx)
else()
  weft_bench_not_built(stl "hpx" "${how_to_get_hpx}")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "NVHPC")
  weft_bench_backend(stl stdpar OPTIONS -stdpar=multicore -mp LIBRARIES -stdpar=multicore -mp)
else()
  weft_bench_not_built(stl "stdpar" "configure with --preset bench-nvcxx")
endif()
