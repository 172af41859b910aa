# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of message passing: MPIs found, transports tried, launches measured, models fitted."""
