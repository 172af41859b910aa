# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what weft_module() declared: libraries, headers, the package for find_package(weft COMPONENTS ...) and weft.pc for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(weft_modules GLOBAL PROPERTY WEFT_MODULES)
list(TRANSFORM weft_modules PREPEND weft_ OUTPUT_VARIABLE libraries)
set(archives "")
foreach(library IN LISTS libraries)
  get_target_property(kind ${library} TYPE)
  if(NOT kind STREQUAL "INTERFACE_LIBRARY")
    list(APPEND archives ${library})
  endif()
endforeach()
if(WEFT_BUILD_LAB)
  list(APPEND weft_modules bench)
endif()
list(JOIN weft_modules ", " known_components)
set(made "${CMAKE_CURRENT_BINARY_DIR}/package")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
set(pc_requires "")
if(TARGET PkgConfig::hwloc)
  list(APPEND pc_requires hwloc)
endif()
if(TARGET PkgConfig::highway)
  list(APPEND pc_requires libhwy-contrib libhwy)
endif()
list(JOIN pc_requires ", " pc_requires)

install(TARGETS ${libraries} EXPORT weftTargets FILE_SET HEADERS
  FILE_SET hpx_headers DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weft/compat/hpx"
  FILE_SET hpx_options DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weft/compat/hpx"
  FILE_SET hpx_forwards DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weft/compat/hpx"
  FILE_SET hpx_missing DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/weft/compat/hpx")
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${made}/weftConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${made}/weftConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${made}/weftConfig.cmake" "${made}/weftConfigVersion.cmake" DESTINATION "${package_dir}")

# A linker wants every archive before those that it uses: the reverse of the order of declaration.
list(REVERSE archives)
list(TRANSFORM archives PREPEND -l)
list(JOIN archives " " pc_libraries)
set(pc_definitions)
foreach(library IN LISTS libraries)
  get_target_property(definitions ${library} INTERFACE_COMPILE_DEFINITIONS)
  if(definitions)
    list(APPEND pc_definitions ${definitions})
  endif()
endforeach()
list(REMOVE_DUPLICATES pc_definitions)
list(FILTER pc_definitions EXCLUDE REGEX "^\\$<")
list(TRANSFORM pc_definitions PREPEND " -D")
list(JOIN pc_definitions "" pc_definitions)
file(RELATIVE_PATH pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/weft.pc.in" "${made}/weft.pc" @ONLY)
install(FILES "${made}/weft.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
