// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::chrono's durations, time points and clocks, without <chrono>'s calendars and streams, which
// take a compiler longer to read than most of weft's headers.
#pragma once

// IWYU pragma: begin_exports
#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
// IWYU pragma: end_exports
