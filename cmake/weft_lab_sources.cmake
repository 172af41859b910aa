# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_install_lab_sources(<folder> <component>): the checkout as the lab needs it to build its programs, for packages that users cannot write to.
# The lab's verbs test and fuzz are about a checkout with tests.
function(weft_install_lab_sources folder component)
  set(folders cmake examples include lab packaging python src tools)
  set(files CITATION.cff CMakeLists.txt CMakePresets.json LICENSE README.md)
  list(TRANSFORM folders PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
  install(DIRECTORY ${folders} DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL
    USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE REGEX "/commands/(test|fuzz)\\.py$" EXCLUDE)
  install(FILES ${files} DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/weft" DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()
