# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weft_install_lab_sources(<folder> <component>): the part of the checkout that the lab needs to build its programs, for packages in
# read-only folders. The lab's verbs test, fuzz and docs need a checkout with tests and docs. All users may read the copy, independently of
# the builder's umask.
function(weft_install_lab_sources folder component)
  set(folders cmake examples include lab packaging python src tools)
  set(files CITATION.cff CMakeLists.txt CMakePresets.json LICENSE README.md)
  list(TRANSFORM folders PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/")
  set(read OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  set(run ${read} OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
  install(DIRECTORY ${folders} DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL
    FILE_PERMISSIONS ${read} DIRECTORY_PERMISSIONS ${run} PATTERN __pycache__ EXCLUDE REGEX "/commands/(test|fuzz|docs)\\.py$" EXCLUDE
    REGEX "/packaging/(deb/weft|python/lock)\\.sh$" PERMISSIONS ${run})
  install(FILES ${files} DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/weft" DESTINATION ${folder} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()
