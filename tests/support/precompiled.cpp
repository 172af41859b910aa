// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the tests' precompiled headers: a target that has some needs a source.
