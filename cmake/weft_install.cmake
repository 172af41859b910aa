# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the modules declared by weft_module(): libraries, headers, and the package for find_package(weft COMPONENTS ...). For pkg-config:
# a file for each module, and weft.pc for the modules that <weft/weft.hpp> includes.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(weft_pkg_config)

get_property(weft_modules GLOBAL PROPERTY WEFT_MODULES)
list(TRANSFORM weft_modules PREPEND weft_ OUTPUT_VARIABLE libraries)
set(components ${weft_modules})
if(WEFT_BUILD_LAB)
  list(APPEND components bench)
endif()
list(JOIN components ", " known_components)
# an archive's own dependencies must be linked to users' programs
foreach(package IN ITEMS hwloc highway)
  set(needs_${package} OFF)
  if(TARGET PkgConfig::${package} AND NOT BUILD_SHARED_LIBS)
    set(needs_${package} ON)
  endif()
endforeach()
set(made "${CMAKE_CURRENT_BINARY_DIR}/package")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

set(hpx_folder "${CMAKE_INSTALL_INCLUDEDIR}/weft/compat/hpx")
install(TARGETS ${libraries} EXPORT weftTargets
  ARCHIVE COMPONENT dev
  LIBRARY COMPONENT dev NAMELINK_COMPONENT dev
  FILE_SET HEADERS COMPONENT dev
  FILE_SET hpx_headers DESTINATION "${hpx_folder}" COMPONENT dev
  FILE_SET hpx_options DESTINATION "${hpx_folder}" COMPONENT dev
  FILE_SET hpx_forwards DESTINATION "${hpx_folder}" COMPONENT dev
  FILE_SET hpx_missing DESTINATION "${hpx_folder}" COMPONENT dev)
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${package_dir}" COMPONENT dev)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${made}/weftConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${made}/weftConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${made}/weftConfig.cmake" "${made}/weftConfigVersion.cmake" DESTINATION "${package_dir}" COMPONENT dev)

foreach(module IN LISTS weft_modules)
  weft_pkg_config(${module})
endforeach()

# The modules that <weft/weft.hpp> includes.
set(requires)
set(hidden_requires)
set(hidden_libs)
set(cflags)
set(libs)
foreach(module IN LISTS weft_modules)
  if(NOT module MATCHES "^(halo|hpx|distributed)")
    weft_pkg_name(name ${module})
    list(PREPEND requires "${name} = ${PROJECT_VERSION}")
  endif()
endforeach()
weft_write_pkg_config(weft "${PROJECT_DESCRIPTION}")
