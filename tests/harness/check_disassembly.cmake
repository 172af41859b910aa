# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails unless the kept loops of OBJECT are still there and the unkept one is gone. Usage: cmake -D OBJECT=... -D OBJDUMP=... -P
execute_process(COMMAND "${OBJDUMP}" --disassemble --no-show-raw-insn --demangle "${OBJECT}"
  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)

# One function's instructions, from its label to the blank line after it.
function(body_of name result)
  string(REGEX MATCH "<[^\n]*${name}\\([^\n]*>:\n([^\n]+\n)+" body "${listing}\n")
  if(NOT body)
    message(FATAL_ERROR "no function ${name} in ${OBJECT}")
  endif()
  set(${result} "${body}" PARENT_SCOPE)
endfunction()

foreach(name_and_work IN ITEMS "kept_find/u?comisd|cmp(eq|neq|unord)?[a-z]*pd" "kept_root/sqrt" "kept_local_sum/v?addp?s?d")
  string(REPLACE "/" ";" pair "${name_and_work}")
  list(GET pair 0 name)
  list(GET pair 1 work)
  body_of(${name} body)
  if(NOT body MATCHES "${work}" OR NOT body MATCHES "\tj[a-z]+[ \t]")
    message(FATAL_ERROR "the work of ${name} (${work}, in a loop) was deleted:\n${body}")
  endif()
endforeach()

body_of(deleted_find body)
if(body MATCHES "comisd|cmp[a-z]*pd")
  message(FATAL_ERROR "the loop without a barrier still works, so this test would not notice a deleted one:\n${body}")
endif()
