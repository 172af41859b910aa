# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From options to records: plan, programs, launches, and the session around them."""
