// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's time for an empty program.

int main() { return 0; }
