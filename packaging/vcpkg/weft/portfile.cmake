# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# vcpkg's port of the library, an overlay: vcpkg install weft --overlay-ports=packaging/vcpkg. Its source is the checkout that holds this file.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features
  FEATURES
    highway WEFT_HIGHWAY
    hwloc WEFT_HWLOC
  INVERTED_FEATURES
    mpi CMAKE_DISABLE_FIND_PACKAGE_MPI)
vcpkg_find_acquire_program(PKGCONFIG) # finds hwloc and Highway
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
    ${features}
    -DWEFT_BUILD_TESTS=OFF
    -DWEFT_BUILD_LAB=OFF
    -DWEFT_BUILD_TOOLS=OFF
    -DWEFT_BUILD_EXAMPLES=OFF
    -DWEFT_PYTHON=OFF
    -DWEFT_CUDA=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weft)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
