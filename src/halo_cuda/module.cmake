# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exchanges between devices. Only the device itself (cuda_device.cpp, cuda_kernels.cu) is specific
# to CUDA. Tests use the same code with a device made of threads and host memory. The sources are in
# src/halo/device.
if(NOT TARGET weft::halo)
  return()
endif()
set(device_sources cuda_options device_batches device_carrier device_engine device_exchange device_launch device_legs device_mpi_legs
  device_probe device_setup)
list(TRANSFORM device_sources PREPEND halo/device/)
list(TRANSFORM device_sources APPEND .cpp)

if(WEFT_HAS_CUDA)
  # A separate target, as nvcc does not accept the options of other compilers.
  add_library(weft_halo_kernels OBJECT halo/device/cuda_kernels.cu)
  target_include_directories(weft_halo_kernels PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
  target_compile_options(weft_halo_kernels PRIVATE --expt-relaxed-constexpr)
  set_target_properties(weft_halo_kernels PROPERTIES CUDA_STANDARD 20 POSITION_INDEPENDENT_CODE ON)

  weft_module(halo_cuda COMPILED
    HEADERS
      weft/halo/cuda.hpp
      weft/halo/cuda_options.hpp
      weft/halo/detail/device_engine.hpp
    SOURCES
      ${device_sources}
      halo/device/cuda_device.cpp
    DEPENDS weft::halo "${WEFT_CUDART}" Threads::Threads rt ${CMAKE_DL_LIBS})
  target_sources(weft_halo_cuda PRIVATE $<TARGET_OBJECTS:weft_halo_kernels>)
  target_include_directories(weft_halo_cuda PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(weft_halo_cuda SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
endif()

if(WEFT_BUILD_TESTS)
  list(TRANSFORM device_sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_library(weft_halo_device STATIC EXCLUDE_FROM_ALL ${device_sources})
  target_link_libraries(weft_halo_device PRIVATE weft_warnings PUBLIC weft::halo)
  target_include_directories(weft_halo_device PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_compile_features(weft_halo_device PUBLIC cxx_std_20)
  set_target_properties(weft_halo_device PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  weft_unity(weft_halo_device)
endif()
