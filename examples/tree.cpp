// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree that is searched in parallel: two branches, any number of them, and a cut-off, as
// docs/tutorials/tree.md shows them.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <weft/tasks/fork_join.hpp>
#include <weft/tasks/runtime.hpp>
#include <weft/tasks/task_group.hpp>

namespace {

struct node {
  long value = 1;
  std::unique_ptr<node> left;
  std::unique_ptr<node> right;
};

std::unique_ptr<node> make_tree(int depth) {
  auto made = std::make_unique<node>();
  if (depth > 0) {
    made->left = make_tree(depth - 1);
    made->right = make_tree(depth - 1);
  }
  return made;
}

long sum(const node* tree) {
  if (tree == nullptr) {
    return 0;
  }
  auto [left, right] = weft::fork_join([&] { return sum(tree->left.get()); },
                                       [&] { return sum(tree->right.get()); });
  return tree->value + left + right;
}

long sum_serial(const node* tree) {
  return tree == nullptr
             ? 0
             : tree->value + sum_serial(tree->left.get()) + sum_serial(tree->right.get());
}

long sum_down_to(const node* tree, int levels) {
  if (tree == nullptr || levels == 0) {
    return sum_serial(tree);
  }
  auto [left, right] = weft::fork_join([&] { return sum_down_to(tree->left.get(), levels - 1); },
                                       [&] { return sum_down_to(tree->right.get(), levels - 1); });
  return tree->value + left + right;
}

struct folder {
  std::vector<std::size_t> file_sizes;
  std::vector<folder> folders;
};

void add_sizes(const folder& here, std::atomic<std::size_t>& total) {
  std::size_t own = 0;
  for (const std::size_t size : here.file_sizes) {
    own += size;
  }
  total.fetch_add(own, std::memory_order_relaxed);

  weft::task_group group;
  for (const folder& each : here.folders) {
    group.run([&each, &total] { add_sizes(each, total); });
  }
  group.wait();
}

folder make_folder(int depth) {
  folder made{.file_sizes = {10, 20, 30}, .folders = {}};
  for (int i = 0; i < depth; ++i) {
    made.folders.push_back(make_folder(depth - 1));
  }
  return made;
}

std::size_t num_folders(const folder& here) {
  std::size_t count = 1;
  std::ranges::for_each(here.folders, [&](const folder& each) { count += num_folders(each); });
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  weft::init(argc, argv);
  const std::unique_ptr<node> tree = make_tree(16);
  const folder root = make_folder(6);
  std::atomic<std::size_t> total{0};

  const auto [all, some] = weft::default_runtime().run([&] {
    add_sizes(root, total);
    return std::pair(sum(tree.get()), sum_down_to(tree.get(), 8));
  });

  std::printf("%ld nodes, %zu bytes in %zu folders\n", all, total.load(), num_folders(root));
  const bool is_right = all == (1 << 17) - 1 && some == all && total == 60 * num_folders(root);
  return is_right ? 0 : 1;
}
