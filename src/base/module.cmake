# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
if(TARGET PkgConfig::hwloc)
  set(hwloc_reader base/topology_hwloc.cpp)
else()
  set(hwloc_reader base/topology_no_hwloc.cpp)
endif()

weft_module(base COMPILED
  HEADERS weft/base/abi.hpp weft/base/assert.hpp weft/base/durations.hpp weft/base/error.hpp weft/base/message.hpp weft/base/options.hpp weft/base/printable.hpp weft/base/profile.hpp weft/base/text_file.hpp weft/base/topology.hpp weft/version.hpp
  SOURCES base/abi.cpp base/assert.cpp base/cgroup.cpp base/message.cpp base/nearest_name.cpp base/option_parsers.cpp base/options.cpp base/output_file.cpp base/printable.cpp base/profile.cpp base/text_file.cpp base/topology.cpp base/topology_sysfs.cpp ${hwloc_reader}
  PRIVATE_DEPENDS $<TARGET_NAME_IF_EXISTS:PkgConfig::hwloc>)
target_include_directories(weft_base PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
