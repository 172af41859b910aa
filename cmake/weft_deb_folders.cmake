# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CPack runs this before it packs: all users may enter the packages' folders, independently of the builder's umask.
file(CHMOD_RECURSE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
