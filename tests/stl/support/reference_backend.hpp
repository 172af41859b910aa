// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A backend of plain loops, right by inspection, and beside them the standard library's sequential
// algorithms, in which tests plant mistakes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/suite.hpp"

namespace weft::lab::stl::testing {

template <class T>
void touch(T* first, T* last) {
  for (; first != last; ++first) {
    *first = T{};
  }
}

template <class T>
const T* find(const T* first, const T* last, T value) {
  while (first != last && *first != value) {
    ++first;
  }
  return first;
}

template <class T>
void for_each(T* first, T* last, std::size_t k_it) {
  for (; first != last; ++first) {
    kernels::store_count{k_it}(*first);
  }
}

template <class T>
T* inclusive_scan(const T* first, const T* last, T* out) {
  T sum{};
  for (; first != last; ++first) {
    sum += *first;
    *out++ = sum;
  }
  return out;
}

template <class T>
T reduce(const T* first, const T* last) {
  T sum{};
  for (; first != last; ++first) {
    sum += *first;
  }
  return sum;
}

/// Heapsort: no recursion, n log n.
template <class T>
void sort(T* first, T* last) {
  const auto size = static_cast<std::size_t>(last - first);
  const auto sift_down = [first](std::size_t parent, std::size_t end) {
    for (std::size_t child = 2 * parent + 1; child < end; child = 2 * parent + 1) {
      child += child + 1 < end && first[child] < first[child + 1] ? 1U : 0U;
      if (!(first[parent] < first[child])) {
        return;
      }
      std::swap(first[parent], first[child]);
      parent = child;
    }
  };
  for (std::size_t i = size / 2; i > 0; --i) {
    sift_down(i - 1, size);
  }
  for (std::size_t end = size; end > 1; --end) {
    std::swap(first[0], first[end - 1]);
    sift_down(0, end - 1);
  }
}

template <class T>
T* copy(const T* first, const T* last, T* out) {
  for (; first != last; ++first) {
    *out++ = *first;
  }
  return out;
}

template <class T>
T* copy_if(const T* first, const T* last, T* out) {
  for (; first != last; ++first) {
    if (kernels::is_selected{}(*first)) {
      *out++ = *first;
    }
  }
  return out;
}

template <class T>
T* transform(const T* first, const T* last, T* out) {
  for (; first != last; ++first) {
    *out++ = kernels::scale{}(*first);
  }
  return out;
}

template <class T>
T* merge(const T* left, const T* left_last, const T* right, const T* right_last, T* out) {
  while (left != left_last || right != right_last) {
    const bool takes_right = left == left_last || (right != right_last && *right < *left);
    *out++ = takes_right ? *right++ : *left++;
  }
  return out;
}

template <class T>
void replace_by_loops(backend& standard) {
  auto& offered = std::get<operations<T>>(standard.typed_operations);
  offered.touch = touch<T>;
  offered.find = find<T>;
  offered.for_each = for_each<T>;
  offered.inclusive_scan = inclusive_scan<T>;
  offered.reduce = reduce<T>;
  offered.sort = sort<T>;
  offered.copy = copy<T>;
  offered.copy_if = copy_if<T>;
  offered.transform = transform<T>;
  offered.merge = merge<T>;
}

/// For tests that are linked with backend seq.
inline backend reference_backend() {
  backend reference = linked_backend();
  reference.name = "reference";
  reference.scratch = {};
  replace_by_loops<int>(reference);
  replace_by_loops<float>(reference);
  replace_by_loops<double>(reference);
  return reference;
}

inline cell cell_of(const std::string& problem, const std::string& type, std::size_t size) {
  cell what;
  what.problem = problem;
  what.type = type;
  what.size = size;
  what.threads = 1;
  return what;
}

/// Returns what the suite's checker says of this backend's answer, or the code of the skip.
inline std::string mismatch_of(const backend& with, const cell& what) {
  const stl_suite suite(with);
  suite.check(what);
  auto made = suite.make(what);
  if (const auto* skipped = std::get_if<skip>(&made)) {
    return "skipped: " + skipped->code;
  }
  return std::get<std::unique_ptr<experiment>>(made)->verify().mismatch;
}

}  // namespace weft::lab::stl::testing
