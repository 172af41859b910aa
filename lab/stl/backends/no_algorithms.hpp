// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of all algorithms, for libraries that lack some: nobody can call these.
#pragma once

/// A backend's namespace `library` may use this one; what it declares itself hides these.
namespace weft::lab::stl::no_algorithms {

struct nobody;

void adjacent_difference(nobody);
void adjacent_find(nobody);
void all_of(nobody);
void any_of(nobody);
void copy(nobody);
void copy_if(nobody);
void copy_n(nobody);
void count(nobody);
void count_if(nobody);
void destroy(nobody);
void destroy_n(nobody);
void equal(nobody);
void exclusive_scan(nobody);
void fill(nobody);
void fill_n(nobody);
void find(nobody);
void find_end(nobody);
void find_first_of(nobody);
void find_if(nobody);
void find_if_not(nobody);
void for_each(nobody);
void for_each_n(nobody);
void generate(nobody);
void generate_n(nobody);
void includes(nobody);
void inclusive_scan(nobody);
void inplace_merge(nobody);
void is_heap(nobody);
void is_heap_until(nobody);
void is_partitioned(nobody);
void is_sorted(nobody);
void is_sorted_until(nobody);
void lexicographical_compare(nobody);
void max_element(nobody);
void merge(nobody);
void min_element(nobody);
void minmax_element(nobody);
void mismatch(nobody);
void move(nobody);
void none_of(nobody);
void nth_element(nobody);
void partial_sort(nobody);
void partial_sort_copy(nobody);
void partition(nobody);
void partition_copy(nobody);
void reduce(nobody);
void remove(nobody);
void remove_copy(nobody);
void remove_copy_if(nobody);
void remove_if(nobody);
void replace(nobody);
void replace_copy(nobody);
void replace_copy_if(nobody);
void replace_if(nobody);
void reverse(nobody);
void reverse_copy(nobody);
void rotate(nobody);
void rotate_copy(nobody);
void search(nobody);
void search_n(nobody);
void set_difference(nobody);
void set_intersection(nobody);
void set_symmetric_difference(nobody);
void set_union(nobody);
void shift_left(nobody);
void shift_right(nobody);
void sort(nobody);
void stable_partition(nobody);
void stable_sort(nobody);
void swap_ranges(nobody);
void transform(nobody);
void transform_exclusive_scan(nobody);
void transform_inclusive_scan(nobody);
void transform_reduce(nobody);
void uninitialized_copy(nobody);
void uninitialized_copy_n(nobody);
void uninitialized_default_construct(nobody);
void uninitialized_default_construct_n(nobody);
void uninitialized_fill(nobody);
void uninitialized_fill_n(nobody);
void uninitialized_move(nobody);
void uninitialized_move_n(nobody);
void uninitialized_value_construct(nobody);
void uninitialized_value_construct_n(nobody);
void unique(nobody);
void unique_copy(nobody);

}  // namespace weft::lab::stl::no_algorithms
