# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same checkout with BUILD_SHARED_LIBS=ON: tests of three modules pass with shared objects, and pkg-config is enough for programs. Two of
# the tests replace what a shared object calls: a function of the library, and operator new.
set(shared_build "${PROJECT_BINARY_DIR}-shared") # as deep as this build, so that ccache knows its objects by relative paths
set(shared_prefix "${CMAKE_CURRENT_BINARY_DIR}/shared_prefix")
get_property(modules GLOBAL PROPERTY WEFT_MODULES)
list(REMOVE_ITEM modules halo_async distributed_mpi)
list(TRANSFORM modules PREPEND "--build-target;weft_" OUTPUT_VARIABLE targets)
foreach(test IN ITEMS weft_test_base_serial weft_test_tasks_scheduler weft_test_execution_conversions weft_test_execution_replaced_scheduler)
  list(APPEND targets --build-target ${test})
endforeach()
add_test(NAME consumer.shared
  COMMAND "${CMAKE_CTEST_COMMAND}" --build-and-test "${PROJECT_SOURCE_DIR}" "${shared_build}" --build-generator "${CMAKE_GENERATOR}" --build-noclean ${targets}
    --build-options ${same_compiler} -DBUILD_SHARED_LIBS=ON ${as_here}
      -DWEFT_BUILD_LAB=OFF -DWEFT_BUILD_TOOLS=OFF -DWEFT_BUILD_EXAMPLES=OFF -DWEFT_PYTHON=OFF
    --test-command "${CMAKE_CTEST_COMMAND}" --output-on-failure --no-tests=error --timeout 120
      -R "^(base.(options|topology|version)|tasks.scheduler|execution.(conversions|replaced_scheduler))$")
consumer_install(consumer.install_shared "${shared_build}" "${shared_prefix}")
set_tests_properties(consumer.shared PROPERTIES LABELS "consumer;long" TIMEOUT 1200 PROCESSORS 2 FIXTURES_SETUP weft_shared)
set_tests_properties(consumer.install_shared PROPERTIES LABELS "consumer;long" FIXTURES_REQUIRED weft_shared FIXTURES_SETUP weft_shared_installed)
consumer_test(find_package_shared 300 "-DCMAKE_PREFIX_PATH=${shared_prefix}")
set_tests_properties(consumer.find_package_shared PROPERTIES LABELS "consumer;long" FIXTURES_REQUIRED weft_shared_installed)
consumer_pkg_config(shared "${shared_prefix}" weft_shared_installed long)
