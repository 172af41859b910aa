# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft::hpx_compat: an include root of its own with <hpx/...> over weft, and main as a task for programs that include <hpx/hpx_main.hpp>.
set(hpx_root "${PROJECT_SOURCE_DIR}/include/weft/compat/hpx")
file(GLOB_RECURSE hpx_headers CONFIGURE_DEPENDS "${hpx_root}/*.hpp")
add_library(weft_hpx_compat STATIC
  "${PROJECT_SOURCE_DIR}/src/compat/format.cpp"
  "${PROJECT_SOURCE_DIR}/src/compat/hpx_main.cpp"
  "${PROJECT_SOURCE_DIR}/src/compat/init.cpp"
  "${PROJECT_SOURCE_DIR}/src/compat/program_options.cpp")
add_library(weft::hpx_compat ALIAS weft_hpx_compat)
set_property(GLOBAL APPEND PROPERTY WEFT_MODULES hpx_compat)
target_link_libraries(weft_hpx_compat PUBLIC weft::algorithms weft::execution weft::tasks weft::counters weft::base
  PRIVATE $<BUILD_INTERFACE:weft_warnings>)
weft_precompile(weft_hpx_compat library)
target_compile_features(weft_hpx_compat PUBLIC cxx_std_20)
target_sources(weft_hpx_compat PUBLIC FILE_SET hpx_headers TYPE HEADERS BASE_DIRS "${hpx_root}" FILES ${hpx_headers})
target_link_options(weft_hpx_compat INTERFACE LINKER:--wrap=main)
set_target_properties(weft_hpx_compat PROPERTIES EXPORT_NAME hpx_compat CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
