# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(base INTERFACE HEADERS weft/base/error.hpp)
