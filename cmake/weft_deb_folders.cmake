# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by CPack before it packs: everybody may enter the folders of the packages, whatever the umask of whoever builds them.
file(CHMOD_RECURSE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
