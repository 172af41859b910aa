// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted mistakes: every checker reports each of them, and where.
#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/operations.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace wrong_answers_test {

using ::testing::AllOf;
using testing::cell_of;
using ::testing::HasSubstr;
using testing::mismatch_of;
using testing::reference_backend;

constexpr std::size_t size = 1000;

/// A mistake, and what the checker must say of it; `plant` gets right operations and spoils one.
template <class T>
struct mistake {
  std::string name;
  std::string problem;
  std::string message;
  void (*plant)(operations<T>& offered);

  friend std::ostream& operator<<(std::ostream& out, const mistake& what) {
    return out << what.name;
  }
};

template <class T>
std::vector<mistake<T>> find_mistakes() {
  using in = const T*;
  return {
      {"find_is_off_by_one",
       "find",
       "found position 1, expected 0",
       [](operations<T>& offered) {
         offered.find = [](in first, in last, T value) {
           in found = testing::find(first, last, value);
           return found == last ? last : found + 1;
         };
       }},
      {"find_returns_last_of_equal_elements",
       "find",
       "looking for 1 found position 999, expected 0",
       [](operations<T>& offered) {
         offered.find = [](in first, in last, T value) {
           for (in element = last; element != first; --element) {
             if (element[-1] == value) {
               return element - 1;
             }
           }
           return last;
         };
       }},
      {"find_never_finds",
       "find",
       "found position 1000, expected 0",
       [](operations<T>& offered) { offered.find = [](in, in last, T) { return last; }; }},
      {"find_finds_what_is_absent",
       "find",
       "looking for 0 found position 0, expected 1000",
       [](operations<T>& offered) { offered.find = [](in first, in, T) { return first; }; }},
      {"find_misses_the_last_element",
       "find",
       "looking for 1000 found position 998, expected 999",
       [](operations<T>& offered) {
         offered.find = [](in first, in last, T value) {
           in found = testing::find(first, last, value);
           return found == last - 1 ? found - 1 : found;
         };
       }},
  };
}

template <class T>
std::vector<mistake<T>> sum_mistakes() {
  using in = const T*;
  return {
      {"reduce_misses_the_last_element",
       "reduce",
       "the sum",
       [](operations<T>& offered) {
         offered.reduce = [](in first, in last) { return testing::reduce(first, last - 1); };
       }},
      {"reduce_misses_the_first_element",
       "reduce",
       "the sum",
       [](operations<T>& offered) {
         offered.reduce = [](in first, in last) { return testing::reduce(first + 1, last); };
       }},
      {"reduce_counts_an_element_twice",
       "reduce",
       "the sum",
       [](operations<T>& offered) {
         offered.reduce = [](in first, in last) {
           return testing::reduce(first, last) + first[500];
         };
       }},
  };
}

template <class T>
std::vector<mistake<T>> scan_mistakes() {
  using in = const T*;
  return {
      {"scan_is_exclusive",
       "inclusive_scan",
       "element 0 is 0, expected",
       [](operations<T>& offered) {
         offered.inclusive_scan = [](in first, in last, T* out) {
           T sum{};
           for (; first != last; sum += *first++) {
             *out++ = sum;
           }
           return out;
         };
       }},
      {"scan_forgets_the_carry_between_blocks",
       "inclusive_scan",
       "element 500 is",
       [](operations<T>& offered) {
         offered.inclusive_scan = [](in first, in last, T* out) {
           return testing::inclusive_scan(
               first + 500, last, testing::inclusive_scan(first, first + 500, out));
         };
       }},
      {"scan_is_zero_after_the_first_element",
       "inclusive_scan",
       "element 1 is 0, expected",
       [](operations<T>& offered) {
         offered.inclusive_scan = [](in first, in last, T* out) {
           std::fill(out, out + (last - first), T{});
           *out = *first;
           return out + (last - first);
         };
       }},
      {"scan_does_nothing",
       "inclusive_scan",
       "element 0 is",
       [](operations<T>& offered) {
         offered.inclusive_scan = [](in first, in last, T* out) { return out + (last - first); };
       }},
  };
}

template <class T>
std::vector<mistake<T>> sort_mistakes() {
  return {
      {"sort_leaves_the_last_pair_unsorted",
       "sort",
       "element 998 is 1000, expected 999",
       [](operations<T>& offered) {
         offered.sort = [](T* first, T* last) {
           testing::sort(first, last);
           std::swap(last[-1], last[-2]);
         };
       }},
      {"sort_is_sorted_but_no_permutation",
       "sort",
       "element 1 is 1, expected 2",
       [](operations<T>& offered) {
         offered.sort = [](T* first, T* last) {
           testing::sort(first, last);
           first[1] = first[0];
         };
       }},
      {"sort_does_nothing",
       "sort",
       "element 0 is",
       [](operations<T>& offered) { offered.sort = [](T*, T*) {}; }},
      {"sort_writes_behind_the_end",
       "sort",
       "element 1000 was overwritten",
       [](operations<T>& offered) {
         offered.sort = [](T* first, T* last) {
           testing::sort(first, last);
           *last = T{7};
         };
       }},
      {"sort_writes_before_the_begin",
       "sort",
       "memory before the output was overwritten",
       [](operations<T>& offered) {
         offered.sort = [](T* first, T* last) {
           testing::sort(first, last);
           first[-1] = T{7};
         };
       }},
  };
}

template <class T>
std::vector<mistake<T>> for_each_mistakes() {
  return {
      {"for_each_counts_one_too_few",
       "for_each",
       "element 0 is 2, expected 3",
       [](operations<T>& offered) {
         offered.for_each = [](T* first, T* last, std::size_t k_it) {
           testing::for_each(first, last, k_it - 1);
         };
       }},
      {"for_each_misses_the_last_element",
       "for_each",
       "element 999 is",
       [](operations<T>& offered) {
         offered.for_each = [](T* first, T* last, std::size_t k_it) {
           testing::for_each(first, last - 1, k_it);
         };
       }},
  };
}

template <class T>
std::vector<mistake<T>> copy_mistakes() {
  using in = const T*;
  return {
      {"copy_misses_the_last_element",
       "copy",
       "element 999 is",
       [](operations<T>& offered) {
         offered.copy = [](in first, in last, T* out) {
           return testing::copy(first, last - 1, out) + 1;
         };
       }},
      {"copy_writes_one_too_many",
       "copy",
       "memory after the output was overwritten",
       [](operations<T>& offered) {
         offered.copy = [](in first, in last, T* out) {
           return testing::copy(first, last + 1, out) - 1;
         };
       }},
      {"copy_returns_the_wrong_end",
       "copy",
       "returned end is element 999, expected element 1000",
       [](operations<T>& offered) {
         offered.copy = [](in first, in last, T* out) {
           return testing::copy(first, last, out) - 1;
         };
       }},
  };
}

template <class T>
std::vector<mistake<T>> copy_if_mistakes() {
  using in = const T*;
  return {
      {"copy_if_returns_the_wrong_count",
       "copy_if",
       "returned end is element",
       [](operations<T>& offered) {
         offered.copy_if = [](in first, in last, T* out) {
           return testing::copy_if(first, last, out) + 1;
         };
       }},
      {"copy_if_changes_the_order",
       "copy_if",
       "element 0 is",
       [](operations<T>& offered) {
         offered.copy_if = [](in first, in last, T* out) {
           T* end = testing::copy_if(first, last, out);
           std::reverse(out, end);
           return end;
         };
       }},
      {"copy_if_writes_behind_its_end",
       "copy_if",
       "was overwritten",
       [](operations<T>& offered) {
         offered.copy_if = [](in first, in last, T* out) {
           T* end = testing::copy_if(first, last, out);
           *end = T{7};
           return end;
         };
       }},
      {"copy_if_copies_all",
       "copy_if",
       "element",
       [](operations<T>& offered) { offered.copy_if = testing::copy<T>; }},
  };
}

template <class T>
std::vector<mistake<T>> transform_mistakes() {
  using in = const T*;
  return {
      {"transform_does_nothing",
       "transform",
       "element 0 is",
       [](operations<T>& offered) {
         offered.transform = [](in first, in last, T* out) { return out + (last - first); };
       }},
      {"transform_only_copies",
       "transform",
       "element 0 is 0, expected 1",
       [](operations<T>& offered) { offered.transform = testing::copy<T>; }},
  };
}

template <class T>
std::vector<mistake<T>> merge_mistakes() {
  using in = const T*;
  return {
      {"merge_drops_the_last_element_of_the_right",
       "merge",
       "element 961 is 371, expected 369",
       [](operations<T>& offered) {
         offered.merge = [](in left, in left_last, in right, in right_last, T* out) {
           return testing::merge(left, left_last, right, right_last - 1, out) + 1;
         };
       }},
      {"merge_drops_the_first_and_repeats_the_last",
       "merge",
       "element",
       [](operations<T>& offered) {
         offered.merge = [](in left, in left_last, in right, in right_last, T* out) {
           T* end = testing::merge(left, left_last, right, right_last, out);
           std::copy(out + 1, end, out);
           return end;
         };
       }},
      {"merge_only_concatenates",
       "merge",
       "element",
       [](operations<T>& offered) {
         offered.merge = [](in left, in left_last, in right, in right_last, T* out) {
           return testing::copy(right, right_last, testing::copy(left, left_last, out));
         };
       }},
  };
}

template <class T>
std::vector<mistake<T>> all_mistakes() {
  std::vector<mistake<T>> all;
  for (const auto& some : {find_mistakes<T>(),
                           sum_mistakes<T>(),
                           scan_mistakes<T>(),
                           sort_mistakes<T>(),
                           for_each_mistakes<T>(),
                           copy_mistakes<T>(),
                           copy_if_mistakes<T>(),
                           transform_mistakes<T>(),
                           merge_mistakes<T>()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

template <class T>
std::string mismatch_of_mistake(const mistake<T>& planted, const std::string& type) {
  backend spoiled = reference_backend();
  planted.plant(std::get<operations<T>>(spoiled.typed_operations));
  cell what = cell_of(planted.problem, type, size);
  if (planted.problem == "for_each") {
    what.params["k_it"] = 3;
  }
  return mismatch_of(spoiled, what);
}

class planted_int_mistake : public ::testing::TestWithParam<mistake<int>> {};
class planted_float_mistake : public ::testing::TestWithParam<mistake<float>> {};
class planted_double_mistake : public ::testing::TestWithParam<mistake<double>> {};

TEST_P(planted_int_mistake, is_reported_with_its_place) {
  EXPECT_THAT(mismatch_of_mistake(GetParam(), "int"), HasSubstr(GetParam().message));
}
TEST_P(planted_float_mistake, is_reported_with_its_place) {
  EXPECT_THAT(mismatch_of_mistake(GetParam(), "float"), HasSubstr(GetParam().message));
}
TEST_P(planted_double_mistake, is_reported_with_its_place) {
  EXPECT_THAT(mismatch_of_mistake(GetParam(), "double"), HasSubstr(GetParam().message));
}

constexpr auto name_of = [](const auto& test) { return test.param.name; };
INSTANTIATE_TEST_SUITE_P(All,
                         planted_int_mistake,
                         ::testing::ValuesIn(all_mistakes<int>()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All,
                         planted_float_mistake,
                         ::testing::ValuesIn(all_mistakes<float>()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All,
                         planted_double_mistake,
                         ::testing::ValuesIn(all_mistakes<double>()),
                         name_of);

TEST(PlantedMistake, in_the_papers_sum_alone_is_reported) {
  backend spoiled = reference_backend();
  std::get<operations<double>>(spoiled.typed_operations).reduce = [](const double* first,
                                                                     const double* last) {
    const double sum = testing::reduce(first, last);
    return sum > 1e5 ? sum + 1 : sum;  // the exact summands of this size never get there
  };

  const std::string mismatch = mismatch_of(spoiled, cell_of("reduce", "double", size));

  EXPECT_EQ(mismatch, "the sum of 1, 2, ..., 1000 is 500501, expected 500500 within 0");
}

TEST(PlantedMistake, in_a_small_scan_of_the_paper_alone_is_reported) {
  backend spoiled = reference_backend();
  std::get<operations<double>>(spoiled.typed_operations).inclusive_scan =
      [](const double* first, const double* last, double* out) {
        double* end = testing::inclusive_scan(first, last, out);
        end[-1] += end[-1] > 1e5 ? 1 : 0;
        return end;
      };

  const std::string mismatch = mismatch_of(spoiled, cell_of("inclusive_scan", "double", size));

  EXPECT_EQ(mismatch, "element 999 is 500501, expected 500500 within 0");
}

}  // namespace wrong_answers_test
}  // namespace weft::lab::stl
