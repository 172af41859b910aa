// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says what weft has not.
#pragma once

#error "weft has no serialization: nothing leaves the process"
