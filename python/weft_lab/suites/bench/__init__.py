# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of the user's own programs: launched, checked, timed, and compared."""
