// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler takes for an empty program.

int main() { return 0; }
