// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same few mistakes, planted in every algorithm that is called alike: every checker reports
// each.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "lab/stl/backend.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace planted_mistakes_test {

using testing::cell_of;
using testing::mismatch_of;
using testing::reference_backend;

constexpr std::size_t size = 1000;

template <class T>
const char* name_of() {
  return std::is_same_v<T, int> ? "int" : std::is_same_v<T, float> ? "float" : "double";
}

/// What the algorithm at hand would have done.
template <class Call>
Call& right() {
  static Call call = nullptr;
  return call;
}

/// Replaces one operation of the reference, and expects that its checker notices.
template <class T, class Call>
void expect_noticed(const std::string& problem,
                    Call operations<T>::* member,
                    const std::string& mistake,
                    Call wrong) {
  backend spoiled = reference_backend();
  auto& offered = std::get<operations<T>>(spoiled.typed_operations);
  right<Call>() = offered.*member;
  offered.*member = wrong;

  const std::string noticed = mismatch_of(spoiled, cell_of(problem, name_of<T>(), size));
  EXPECT_NE(noticed, "") << problem << " of " << name_of<T>() << " " << mistake;
  EXPECT_FALSE(noticed.starts_with("skipped"))
      << noticed << ": " << problem << " of " << name_of<T>() << " " << mistake;
}

template <class T>
class every_checker : public ::testing::Test {};
using element_types = ::testing::Types<int, float, double>;
TYPED_TEST_SUITE(every_checker, element_types);

template <class T>
void plant_in_place(const std::string& problem,
                    typename operations<T>::in_place operations<T>::* of) {
  using call = typename operations<T>::in_place;
  const auto expect = [&](const std::string& mistake, call wrong) {
    expect_noticed<T, call>(problem, of, mistake, wrong);
  };
  expect("does nothing", [](T*, T* last) { return last; });
  expect("returns another place", [](T* first, T* last) { return right<call>()(first, last) - 1; });
  expect("writes behind the end", [](T* first, T* last) {
    T* const end = right<call>()(first, last);
    *last = T{7};
    return end;
  });
  expect("spoils an element", [](T* first, T* last) {
    T* const end = right<call>()(first, last);
    first[size / 3] += T{1};
    return end;
  });
}

TYPED_TEST(every_checker, of_a_changed_range_notices) {
  using of = operations<TypeParam>;
  plant_in_place<TypeParam>("destroy", &of::destroy);
  plant_in_place<TypeParam>("destroy_n", &of::destroy_n);
  plant_in_place<TypeParam>("fill", &of::fill);
  plant_in_place<TypeParam>("fill_n", &of::fill_n);
  plant_in_place<TypeParam>("generate", &of::generate);
  plant_in_place<TypeParam>("generate_n", &of::generate_n);
  plant_in_place<TypeParam>("inplace_merge", &of::inplace_merge);
  plant_in_place<TypeParam>("nth_element", &of::nth_element);
  plant_in_place<TypeParam>("partial_sort", &of::partial_sort);
  plant_in_place<TypeParam>("partition", &of::partition);
  plant_in_place<TypeParam>("remove", &of::remove);
  plant_in_place<TypeParam>("remove_if", &of::remove_if);
  plant_in_place<TypeParam>("replace", &of::replace);
  plant_in_place<TypeParam>("replace_if", &of::replace_if);
  plant_in_place<TypeParam>("reverse", &of::reverse);
  plant_in_place<TypeParam>("rotate", &of::rotate);
  plant_in_place<TypeParam>("shift_left", &of::shift_left);
  plant_in_place<TypeParam>("shift_right", &of::shift_right);
  plant_in_place<TypeParam>("stable_partition", &of::stable_partition);
  plant_in_place<TypeParam>("stable_sort", &of::stable_sort);
  plant_in_place<TypeParam>("unique", &of::unique);
}

TYPED_TEST(every_checker, of_constructed_memory_notices) {
  using of = operations<TypeParam>;
  plant_in_place<TypeParam>("uninitialized_default_construct",
                            &of::uninitialized_default_construct);
  plant_in_place<TypeParam>("uninitialized_default_construct_n",
                            &of::uninitialized_default_construct_n);
  plant_in_place<TypeParam>("uninitialized_fill", &of::uninitialized_fill);
  plant_in_place<TypeParam>("uninitialized_fill_n", &of::uninitialized_fill_n);
  plant_in_place<TypeParam>("uninitialized_value_construct", &of::uninitialized_value_construct);
  plant_in_place<TypeParam>("uninitialized_value_construct_n",
                            &of::uninitialized_value_construct_n);
}

template <class T>
void plant_one_to_one(const std::string& problem,
                      typename operations<T>::one_to_one operations<T>::* of) {
  using call = typename operations<T>::one_to_one;
  using in = const T*;
  const auto expect = [&](const std::string& mistake, call wrong) {
    expect_noticed<T, call>(problem, of, mistake, wrong);
  };
  expect("does nothing", [](in first, in last, T* out) { return out + (last - first); });
  expect("returns another place",
         [](in first, in last, T* out) { return right<call>()(first, last, out) - 1; });
  expect("writes behind the end", [](in first, in last, T* out) {
    T* const end = right<call>()(first, last, out);
    *end = T{7};
    return end;
  });
  expect("spoils an element", [](in first, in last, T* out) {
    T* const end = right<call>()(first, last, out);
    out[size / 9] += T{1};
    return end;
  });
  expect("exchanges two elements", [](in first, in last, T* out) {
    T* const end = right<call>()(first, last, out);
    T* other = out + 1;
    while (*other == *out) {
      ++other;
    }
    std::swap(*out, *other);
    return end;
  });
}

TYPED_TEST(every_checker, of_a_written_range_notices) {
  using of = operations<TypeParam>;
  plant_one_to_one<TypeParam>("adjacent_difference", &of::adjacent_difference);
  plant_one_to_one<TypeParam>("copy", &of::copy);
  plant_one_to_one<TypeParam>("copy_if", &of::copy_if);
  plant_one_to_one<TypeParam>("copy_n", &of::copy_n);
  plant_one_to_one<TypeParam>("exclusive_scan", &of::exclusive_scan);
  plant_one_to_one<TypeParam>("inclusive_scan", &of::inclusive_scan);
  plant_one_to_one<TypeParam>("move", &of::move);
  plant_one_to_one<TypeParam>("partial_sort_copy", &of::partial_sort_copy);
  plant_one_to_one<TypeParam>("remove_copy", &of::remove_copy);
  plant_one_to_one<TypeParam>("remove_copy_if", &of::remove_copy_if);
  plant_one_to_one<TypeParam>("replace_copy", &of::replace_copy);
  plant_one_to_one<TypeParam>("replace_copy_if", &of::replace_copy_if);
  plant_one_to_one<TypeParam>("reverse_copy", &of::reverse_copy);
  plant_one_to_one<TypeParam>("rotate_copy", &of::rotate_copy);
  plant_one_to_one<TypeParam>("transform", &of::transform);
  plant_one_to_one<TypeParam>("transform_exclusive_scan", &of::transform_exclusive_scan);
  plant_one_to_one<TypeParam>("transform_inclusive_scan", &of::transform_inclusive_scan);
  plant_one_to_one<TypeParam>("walked_scan", &of::walked_scan);
  plant_one_to_one<TypeParam>("uninitialized_copy", &of::uninitialized_copy);
  plant_one_to_one<TypeParam>("uninitialized_copy_n", &of::uninitialized_copy_n);
  plant_one_to_one<TypeParam>("uninitialized_move", &of::uninitialized_move);
  plant_one_to_one<TypeParam>("uninitialized_move_n", &of::uninitialized_move_n);
  plant_one_to_one<TypeParam>("unique_copy", &of::unique_copy);
}

template <class T>
void plant_two_to_one(const std::string& problem,
                      typename operations<T>::two_to_one operations<T>::* of) {
  using call = typename operations<T>::two_to_one;
  using in = const T*;
  const auto expect = [&](const std::string& mistake, call wrong) {
    expect_noticed<T, call>(problem, of, mistake, wrong);
  };
  expect("does nothing", [](in, in, in, in, T* out) { return out; });
  expect("returns another place", [](in left, in left_last, in right_first, in last, T* out) {
    return right<call>()(left, left_last, right_first, last, out) - 1;
  });
  expect("exchanges its inputs' ends", [](in left, in left_last, in right_first, in last, T* out) {
    return right<call>()(left, left_last - 1, right_first, last - 1, out);
  });
  expect("spoils an element", [](in left, in left_last, in right_first, in last, T* out) {
    T* const end = right<call>()(left, left_last, right_first, last, out);
    *out += T{1};
    return end;
  });
}

TYPED_TEST(every_checker, of_joined_ranges_notices) {
  using of = operations<TypeParam>;
  plant_two_to_one<TypeParam>("merge", &of::merge);
  plant_two_to_one<TypeParam>("set_difference", &of::set_difference);
  plant_two_to_one<TypeParam>("set_intersection", &of::set_intersection);
  plant_two_to_one<TypeParam>("set_symmetric_difference", &of::set_symmetric_difference);
  plant_two_to_one<TypeParam>("set_union", &of::set_union);
}

template <class T>
void plant_query(const std::string& problem, typename operations<T>::query operations<T>::* of) {
  using call = typename operations<T>::query;
  using in = const T*;
  const auto expect = [&](const std::string& mistake, call wrong) {
    expect_noticed<T, call>(problem, of, mistake, wrong);
  };
  expect("is off by one", [](in first, in last, T value) {
    answer given = right<call>()(first, last, value);
    ++given.number;
    return given;
  });
  expect("reads only the first element",
         [](in first, in, T value) { return right<call>()(first, first + 1, value); });
  expect("misses the last element",
         [](in first, in last, T value) { return right<call>()(first, last - 1, value); });
}

TYPED_TEST(every_checker, of_an_answer_notices) {
  using of = operations<TypeParam>;
  plant_query<TypeParam>("adjacent_find", &of::adjacent_find);
  plant_query<TypeParam>("all_of", &of::all_of);
  plant_query<TypeParam>("any_of", &of::any_of);
  plant_query<TypeParam>("count", &of::count);
  plant_query<TypeParam>("count_if", &of::count_if);
  plant_query<TypeParam>("find_if", &of::find_if);
  plant_query<TypeParam>("find_if_not", &of::find_if_not);
  plant_query<TypeParam>("is_heap", &of::is_heap);
  plant_query<TypeParam>("is_heap_until", &of::is_heap_until);
  plant_query<TypeParam>("is_partitioned", &of::is_partitioned);
  plant_query<TypeParam>("is_sorted", &of::is_sorted);
  plant_query<TypeParam>("is_sorted_until", &of::is_sorted_until);
  plant_query<TypeParam>("max_element", &of::max_element);
  plant_query<TypeParam>("min_element", &of::min_element);
  plant_query<TypeParam>("minmax_element", &of::minmax_element);
  plant_query<TypeParam>("none_of", &of::none_of);
  plant_query<TypeParam>("search_n", &of::search_n);
}

/// Returns the hit behind the first, if there is one.
template <class Call, class In, class T>
answer second_hit(In first, In last, T value) {
  const auto range = static_cast<std::size_t>(last - first);
  const std::size_t hit = right<Call>()(first, last, value).number;
  if (hit + 1 >= range) {
    return {.number = hit};
  }
  return {.number = hit + 1 + right<Call>()(first + hit + 1, last, value).number};
}

TYPED_TEST(every_checker, of_a_place_notices_that_it_is_not_the_first) {
  using of = operations<TypeParam>;
  using call = typename of::query;
  const call wrong = second_hit<call, const TypeParam*, TypeParam>;
  expect_noticed<TypeParam, call>("adjacent_find", &of::adjacent_find, "finds the second", wrong);
  expect_noticed<TypeParam, call>("find_if", &of::find_if, "finds the second", wrong);
  expect_noticed<TypeParam, call>("find_if_not", &of::find_if_not, "finds the second", wrong);
  expect_noticed<TypeParam, call>("max_element",
                                  &of::max_element,
                                  "finds the last",
                                  [](const TypeParam* first, const TypeParam* last, TypeParam) {
                                    answer found;
                                    for (std::size_t i = 0; first + i != last; ++i) {
                                      found.number =
                                          first[i] < first[found.number] ? found.number : i;
                                    }
                                    return found;
                                  });
}

template <class T>
void plant_query_of_two(const std::string& problem,
                        typename operations<T>::query_of_two operations<T>::* of) {
  using call = typename operations<T>::query_of_two;
  using in = const T*;
  const auto expect = [&](const std::string& mistake, call wrong) {
    expect_noticed<T, call>(problem, of, mistake, wrong);
  };
  expect("is off by one", [](in left, in left_last, in right_first, in last) {
    answer given = right<call>()(left, left_last, right_first, last);
    ++given.number;
    return given;
  });
  expect("reads only the first element", [](in left, in, in right_first, in last) {
    return right<call>()(left, left + 1, right_first, last);
  });
  expect("misses the last element of the right",
         [](in left, in left_last, in right_first, in last) {
           return right<call>()(left, left_last, right_first, last - 1);
         });
}

TYPED_TEST(every_checker, of_an_answer_about_two_ranges_notices) {
  using of = operations<TypeParam>;
  plant_query_of_two<TypeParam>("equal", &of::equal);
  plant_query_of_two<TypeParam>("find_end", &of::find_end);
  plant_query_of_two<TypeParam>("find_first_of", &of::find_first_of);
  plant_query_of_two<TypeParam>("includes", &of::includes);
  plant_query_of_two<TypeParam>("lexicographical_compare", &of::lexicographical_compare);
  plant_query_of_two<TypeParam>("mismatch", &of::mismatch);
  plant_query_of_two<TypeParam>("search", &of::search);
  expect_noticed<TypeParam, typename of::query_of_two>(
      "find_end",
      &of::find_end,
      "finds the first",
      std::get<operations<TypeParam>>(reference_backend().typed_operations).search);
  expect_noticed<TypeParam, typename of::query_of_two>(
      "search",
      &of::search,
      "finds the last",
      std::get<operations<TypeParam>>(reference_backend().typed_operations).find_end);
}

TYPED_TEST(every_checker, of_two_written_ranges_notices) {
  using T = TypeParam;
  using of = operations<T>;
  using swap = decltype(of::swap_ranges);
  using partition = decltype(of::partition_copy);
  expect_noticed<T, swap>("swap_ranges", &of::swap_ranges, "copies", [](T* left, T* last, T* to) {
    return testing::copy<T>(left, last, to);
  });
  expect_noticed<T, swap>(
      "swap_ranges", &of::swap_ranges, "misses one", [](T* left, T* last, T* to) {
        return right<swap>()(left, last - 1, to) + 1;
      });
  expect_noticed<T, partition>("partition_copy",
                               &of::partition_copy,
                               "exchanges its outputs",
                               [](const T* first, const T* last, T* selected, T* others) {
                                 return right<partition>()(first, last, others, selected);
                               });
  expect_noticed<T, partition>("partition_copy",
                               &of::partition_copy,
                               "writes behind an end",
                               [](const T* first, const T* last, T* selected, T* others) {
                                 const two_ends<T> ends =
                                     right<partition>()(first, last, selected, others);
                                 *ends.of_second = T{7};
                                 return ends;
                               });
}

TYPED_TEST(every_checker, of_counts_notices) {
  using T = TypeParam;
  using in = const T*;
  using call = decltype(operations<T>::histogram);
  const auto expect = [](const std::string& mistake, call wrong) {
    expect_noticed<T, call>("histogram", &operations<T>::histogram, mistake, wrong);
  };
  expect("does nothing", [](in, in, std::size_t*) {});
  expect("misses the last element",
         [](in first, in last, std::size_t* counts) { right<call>()(first, last - 1, counts); });
  expect("exchanges two bins", [](in first, in last, std::size_t* counts) {
    right<call>()(first, last, counts);
    std::size_t* other = counts + 1;
    while (*other == *counts) {
      ++other;
    }
    std::swap(*counts, *other);
  });
  expect("writes behind the end", [](in first, in last, std::size_t* counts) {
    right<call>()(first, last, counts);
    counts[kernels::num_bins] = 7;
  });
}

TYPED_TEST(every_checker, of_sorted_keys_and_their_values_notices) {
  using T = TypeParam;
  using call = decltype(operations<T>::sort_by_key);
  const auto expect = [](const std::string& mistake, call wrong) {
    expect_noticed<T, call>("sort_by_key", &operations<T>::sort_by_key, mistake, wrong);
  };
  expect("does nothing", [](T*, T*, T*) {});
  expect("leaves the values", [](T* first, T* last, T*) { testing::sort(first, last); });
  expect("sorts the values by themselves", [](T* first, T* last, T* values) {
    testing::sort(first, last);
    testing::sort(values, values + (last - first));
  });
  expect("misses the last key", [](T* first, T* last, T* values) {
    // Whichever key is largest is not at its place unless it is the last.
    std::swap(*std::max_element(first, last), *first);
    right<call>()(first, last - 1, values);
  });
  expect("exchanges two values", [](T* first, T* last, T* values) {
    right<call>()(first, last, values);
    std::swap(values[size / 3], values[size / 3 + 1]);
  });
  expect("writes behind the values", [](T* first, T* last, T* values) {
    right<call>()(first, last, values);
    values[last - first] = T{7};
  });
}

TYPED_TEST(every_checker, of_a_sort_in_place_notices) {
  using T = TypeParam;
  using call = decltype(operations<T>::sort_in_place);
  const auto expect = [](const std::string& mistake, call wrong) {
    expect_noticed<T, call>("sort_in_place", &operations<T>::sort_in_place, mistake, wrong);
  };
  expect("does nothing", [](T*, T*) {});
  expect("misses the last element", [](T* first, T* last) {
    // Whichever is largest is not at its place unless it is the last.
    std::swap(*std::max_element(first, last), *first);
    right<call>()(first, last - 1);
  });
  expect("repeats an element", [](T* first, T* last) {
    right<call>()(first, last);
    first[size / 2] = first[size / 2 - 1];
  });
  expect("writes behind the end", [](T* first, T* last) {
    right<call>()(first, last);
    *last = T{7};
  });
}

TYPED_TEST(every_checker, of_sums_by_key_notices) {
  using T = TypeParam;
  using in = const T*;
  using call = decltype(operations<T>::reduce_by_key);
  const auto expect = [](const std::string& mistake, call wrong) {
    expect_noticed<T, call>("reduce_by_key", &operations<T>::reduce_by_key, mistake, wrong);
  };
  expect("does nothing", [](in, in, in, T* keys, T* sums) { return two_ends<T>{keys, sums}; });
  expect("misses the last value", [](in first, in last, in values, T* keys, T* sums) {
    return right<call>()(first, last - 1, values, keys, sums);
  });
  expect("cuts a run in two", [](in first, in last, in values, T* keys, T* sums) {
    std::ptrdiff_t middle = (last - first) / 2;
    while (first[middle] != first[middle - 1]) {
      ++middle;
    }
    const two_ends<T> ends = right<call>()(first, first + middle, values, keys, sums);
    return right<call>()(first + middle, last, values + middle, ends.of_first, ends.of_second);
  });
  expect("takes the first value for the sum", [](in first, in last, in values, T* keys, T* sums) {
    const two_ends<T> ends = right<call>()(first, last, values, keys, sums);
    std::ptrdiff_t run = 0;
    for (std::ptrdiff_t i = 0; i < last - first; ++i) {
      if (i == 0 || first[i] != first[i - 1]) {
        sums[run++] = values[i];
      }
    }
    return ends;
  });
  expect("returns another place", [](in first, in last, in values, T* keys, T* sums) {
    const two_ends<T> ends = right<call>()(first, last, values, keys, sums);
    return two_ends<T>{ends.of_first, ends.of_second - 1};
  });
  expect("writes behind the end", [](in first, in last, in values, T* keys, T* sums) {
    const two_ends<T> ends = right<call>()(first, last, values, keys, sums);
    *ends.of_first = T{7};
    return ends;
  });
}

TYPED_TEST(every_checker, of_a_sum_or_a_loop_notices) {
  using T = TypeParam;
  using of = operations<T>;
  using sum = decltype(of::transform_reduce);
  expect_noticed<T, sum>(
      "transform_reduce", &of::transform_reduce, "does not transform", testing::reduce<T>);
  expect_noticed<T, sum>(
      "transform_reduce",
      &of::transform_reduce,
      "misses the last element",
      [](const T* first, const T* last) { return right<sum>()(first, last - 1); });
  expect_noticed<T, typename of::loop>(
      "for_each_n", &of::for_each_n, "misses one", [](T* first, T* last, std::size_t k_it) {
        testing::for_each(first, last - 1, k_it);
      });
}

}  // namespace planted_mistakes_test
}  // namespace weft::lab::stl
