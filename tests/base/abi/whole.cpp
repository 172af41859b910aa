// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of two shared objects.
int first_part();
int second_part();

int main() { return first_part() + second_part(); }
