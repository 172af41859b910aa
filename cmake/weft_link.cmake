# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Included by a build with tests: hundreds of programs, each with GoogleTest or the lab's harness, are linked by the fastest available
# linker. CPU seconds for one test, g++ and debug: GNU ld 0.9, gold 0.5, lld 0.2.
find_program(WEFT_LLD ld.lld PATHS /usr/lib/llvm-19/bin)
find_program(WEFT_GOLD ld.gold)
mark_as_advanced(WEFT_LLD WEFT_GOLD)
if(WEFT_LLD)
  cmake_path(GET WEFT_LLD PARENT_PATH folder)
  add_link_options(-fuse-ld=lld "-B${folder}") # g++ looks for ld.lld on PATH and in this folder
elseif(WEFT_GOLD)
  add_link_options(-fuse-ld=gold)
endif()
