# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails unless the only function of OBJECT whose symbol matches FUNCTION calls itself exactly CALLS times: a compiler has then neither
# inlined the recursion into itself, nor turned a part of it into a loop, nor left a call out.
# FUNCTION is a regular expression that matches no white space.
# cmake -DOBJDUMP=objdump -DOBJECT=file.o -DFUNCTION=regex -DCALLS=2 -P recursive_calls.cmake

execute_process(COMMAND "${OBJDUMP}" -d --no-show-raw-insn "${OBJECT}"
  OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)

string(REGEX MATCHALL "<[A-Za-z0-9_.$]*${FUNCTION}[A-Za-z0-9_.$]*>:\n" labels "${code}")
list(LENGTH labels num_functions)
if(NOT num_functions EQUAL 1)
  message(FATAL_ERROR "${num_functions} functions of ${OBJECT} match ${FUNCTION}, expected 1: give their common name")
endif()

string(REGEX REPLACE "<(.*)>:\n" "\\1" name "${labels}")
string(FIND "${code}" "<${name}>:\n" begin)
string(SUBSTRING "${code}" ${begin} -1 body)
string(FIND "${body}" "\n\n" end)  # an empty line ends a function
string(SUBSTRING "${body}" 0 ${end} body)
string(REGEX MATCHALL "(callq?|bl)[ \t]+(0x)?[0-9a-f]+ <${name}>" calls "${body}")
list(LENGTH calls num_calls)
if(NOT num_calls EQUAL CALLS)
  message(FATAL_ERROR "${name} calls itself in ${num_calls} places, expected ${CALLS}: the compiler has changed the recursion")
endif()
