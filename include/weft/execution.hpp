// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders and receivers: all of weft::execution.
#pragma once

#include "weft/execution/affine.hpp"                          // IWYU pragma: export
#include "weft/execution/any_sender.hpp"                      // IWYU pragma: export
#include "weft/execution/as_awaitable.hpp"                    // IWYU pragma: export
#include "weft/execution/as_future.hpp"                       // IWYU pragma: export
#include "weft/execution/associate.hpp"                       // IWYU pragma: export
#include "weft/execution/bulk.hpp"                            // IWYU pragma: export
#include "weft/execution/channel.hpp"                         // IWYU pragma: export
#include "weft/execution/completion_signatures.hpp"           // IWYU pragma: export
#include "weft/execution/continues_on.hpp"                    // IWYU pragma: export
#include "weft/execution/conversions.hpp"                     // IWYU pragma: export
#include "weft/execution/counting_scope.hpp"                  // IWYU pragma: export
#include "weft/execution/domain.hpp"                          // IWYU pragma: export
#include "weft/execution/inline_scheduler.hpp"                // IWYU pragma: export
#include "weft/execution/into_variant.hpp"                    // IWYU pragma: export
#include "weft/execution/just.hpp"                            // IWYU pragma: export
#include "weft/execution/lazy_task.hpp"                       // IWYU pragma: export
#include "weft/execution/let.hpp"                             // IWYU pragma: export
#include "weft/execution/on.hpp"                              // IWYU pragma: export
#include "weft/execution/parallel_scheduler.hpp"              // IWYU pragma: export
#include "weft/execution/parallel_scheduler_replacement.hpp"  // IWYU pragma: export
#include "weft/execution/queries.hpp"                         // IWYU pragma: export
#include "weft/execution/read_env.hpp"                        // IWYU pragma: export
#include "weft/execution/run_loop.hpp"                        // IWYU pragma: export
#include "weft/execution/runtime_scheduler.hpp"               // IWYU pragma: export
#include "weft/execution/scheduler.hpp"                       // IWYU pragma: export
#include "weft/execution/select.hpp"                          // IWYU pragma: export
#include "weft/execution/sender.hpp"                          // IWYU pragma: export
#include "weft/execution/sender_adaptor_closure.hpp"          // IWYU pragma: export
#include "weft/execution/sleep.hpp"                           // IWYU pragma: export
#include "weft/execution/spawn.hpp"                           // IWYU pragma: export
#include "weft/execution/spawn_future.hpp"                    // IWYU pragma: export
#include "weft/execution/split.hpp"                           // IWYU pragma: export
#include "weft/execution/starts_on.hpp"                       // IWYU pragma: export
#include "weft/execution/stop_token.hpp"                      // IWYU pragma: export
#include "weft/execution/stopped_as.hpp"                      // IWYU pragma: export
#include "weft/execution/sync_wait.hpp"                       // IWYU pragma: export
#include "weft/execution/task.hpp"                            // IWYU pragma: export
#include "weft/execution/task_scheduler.hpp"                  // IWYU pragma: export
#include "weft/execution/then.hpp"                            // IWYU pragma: export
#include "weft/execution/when_all.hpp"                        // IWYU pragma: export
#include "weft/execution/when_all_range.hpp"                  // IWYU pragma: export
#include "weft/execution/when_any.hpp"                        // IWYU pragma: export
#include "weft/execution/write_env.hpp"                       // IWYU pragma: export
#include "weft/tasks/runtime.hpp"                             // IWYU pragma: export
