// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP tasks and weft side by side, as docs/coming_from.md shows them.
#include <cstdio>
#include <vector>

#include <weft/tasks/task_group.hpp>

namespace {

struct node {
  long value = 0;
  std::vector<node> children = {};
};

namespace with_openmp {

void double_all(node& n) {
  n.value *= 2;
  for (node& child : n.children) {
#pragma omp task shared(child)
    double_all(child);
  }
#pragma omp taskwait
}

void run(node& root) {
#pragma omp parallel
#pragma omp single
  double_all(root);
}

}  // namespace with_openmp

namespace with_weft {

void double_all(node& n) {
  n.value *= 2;
  weft::task_group group;
  for (node& child : n.children) {
    group.run([&child] { double_all(child); });
  }
  group.wait();
}

}  // namespace with_weft

node make_tree(int depth) {
  node root{.value = depth};
  for (int i = 0; i < depth; ++i) {
    root.children.push_back(make_tree(depth - 1));
  }
  return root;
}

long sum(const node& n) {
  long total = n.value;
  for (const node& child : n.children) {
    total += sum(child);
  }
  return total;
}

}  // namespace

int main() {
  node tree = make_tree(6);
  const long before = sum(tree);
  with_openmp::run(tree);
  with_weft::double_all(tree);

  const bool is_same = sum(tree) == 4 * before;
  std::puts(is_same ? "the same results" : "different results");
  return is_same ? 0 : 1;
}
