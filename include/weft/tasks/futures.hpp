// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything about futures: the functions that make, combine and use them.
#pragma once

// IWYU pragma: begin_exports
#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_future.hpp"
#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/packaged_task.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/shared_future.hpp"
#include "weft/tasks/split_future.hpp"
#include "weft/tasks/unwrapping.hpp"
#include "weft/tasks/when_all.hpp"
#include "weft/tasks/when_any.hpp"
#include "weft/tasks/when_each.hpp"
// IWYU pragma: end_exports
