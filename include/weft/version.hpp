// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The version of these headers, in whole numbers that #if can compare:
// #if WEFT_VERSION >= WEFT_VERSION_NUMBER(0, 2, 0)
#pragma once

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
#define WEFT_VERSION_STRING "0.1.0"

#define WEFT_VERSION_NUMBER(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define WEFT_VERSION WEFT_VERSION_NUMBER(WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH)
