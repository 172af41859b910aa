# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How tests start MPI programs.
# Ranks share the CPUs with each other and with other tests of all users. So they yield, are not bound, and may outnumber the CPUs.
# Containers do not let ranks read each other's memory, which MPI would otherwise warn of.
# UCX, which MPI may load, must leave signals alone: sanitizers and debuggers need them.
# If one rank has ended a program, the launcher kills the other ranks at once; by default it would wait a second for them.
# Leaks are not searched: MPI unloads its modules before the search, and memory that they never free then has no name that a suppression
# could match.
set(WEFT_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_odls_base_sigkill_timeout=0 UCX_ERROR_SIGNALS= ASAN_OPTIONS=detect_leaks=0)

# weft_mpi_starts(<ctest name> <ranks> [variable=value ...]): the test starts MPI with that many ranks. ctest counts two CPUs for more than one.
# Each test has its own session folder: two launchers of Open MPI that run at the same time may remove a folder that they share.
function(weft_mpi_starts test ranks)
  if(ranks GREATER 1)
    set(ranks 2)
  endif()
  set(folder "${PROJECT_BINARY_DIR}/mpi/${test}")
  set_tests_properties(${test} PROPERTIES PROCESSORS ${ranks} ENVIRONMENT "${WEFT_MPI_ENVIRONMENT};OMPI_MCA_orte_tmpdir_base=${folder};${ARGN}")
endfunction()

# weft_mpi_command(<out> <ranks> <target>): the command that starts it. MPIEXEC_EXECUTABLE is unknown if CMake did not look for MPI itself.
function(weft_mpi_command out ranks target)
  if(NOT MPIEXEC_EXECUTABLE)
    find_program(MPIEXEC_EXECUTABLE NAMES mpiexec mpirun REQUIRED)
  endif()
  set(${out} ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${target}> PARENT_SCOPE)
endfunction()

# weft_mpi_lost_rank_test(<suite> <name> <argument> <last words> ...): weft_test_<suite>_<name> on two ranks, of which one is lost, as ctest
# <suite>.<name>.<argument>. The job must end with an error, and its output must match each of the regular expressions. It must neither wait
# for ever (timeout then reports that it sends a signal) nor end normally.
function(weft_mpi_lost_rank_test suite name argument)
  set(target weft_test_${suite}_${name})
  set(test ${suite}.${name}.${argument})
  set(said)
  foreach(words IN LISTS ARGN)
    string(APPEND said " && grep -Eq '${words}' ${test}.txt")
  endforeach()
  weft_mpi_command(command 2 ${target})
  add_test(NAME ${test} COMMAND sh -c
    "timeout -v -k 5 120 \"$@\" > ${test}.txt 2>&1; code=$?; cat ${test}.txt; echo ended with $code; test $code -ne 0 && ! grep -q 'timeout: sending' ${test}.txt${said}"
    sh ${command} ${argument})
  weft_mpi_starts(${test} 2)
  weft_test_labels(${test} TARGETS ${target} LABELS ${suite} mpi)
endfunction()
