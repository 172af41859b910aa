# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How tests start MPI programs. Ranks share the CPUs there are with each other and with other tests, whoever runs them, so they yield, are not
# bound, and may be more than there are CPUs. Containers forbid ranks to read each other's memory, which MPI would otherwise warn of.
# UCX, which MPI may bring, leaves signals alone: sanitizers and debuggers want them.
# Tests hold the lock `mpi`: two launchers of Open MPI at once may remove the session folder of each other.
# Of a program that one rank has ended the launcher kills the others at once; it would wait a second for them.
# MPI unloads its modules before leaks are looked for: what those never free has no name any more that a suppression could match.
set(WEFT_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_odls_base_sigkill_timeout=0 UCX_ERROR_SIGNALS= ASAN_OPTIONS=detect_leaks=0)

# weft_mpi_processors(<out> <ranks>): how many CPUs a test with that many ranks keeps busy, as far as tests are counted.
function(weft_mpi_processors out ranks)
  if(ranks GREATER 1)
    set(ranks 2)
  endif()
  set(${out} ${ranks} PARENT_SCOPE)
endfunction()

# weft_mpi_command(<out> <ranks> <target>): the command that starts it. A CMake that did not look for MPI itself knows no MPIEXEC_EXECUTABLE.
function(weft_mpi_command out ranks target)
  if(NOT MPIEXEC_EXECUTABLE)
    find_program(MPIEXEC_EXECUTABLE NAMES mpiexec mpirun REQUIRED)
  endif()
  set(${out} ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${target}> PARENT_SCOPE)
endfunction()

# weft_mpi_lost_rank_test(<suite> <name> <argument> <last words> ...): weft_test_<suite>_<name> on two ranks, of which one is lost, as ctest
# <suite>.<name>.<argument>. The job ends with an error, neither by waiting for ever (timeout then says that it sends a signal) nor as if
# nothing were wrong, and prints what matches each of the regular expressions.
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
  set_tests_properties(${test} PROPERTIES PROCESSORS 2 RESOURCE_LOCK mpi ENVIRONMENT "${WEFT_MPI_ENVIRONMENT}")
  weft_test_labels(${test} TARGETS ${target} LABELS ${suite} mpi)
endfunction()
