// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the standard lets callables, answers and elements be, however odd: every algorithm takes it.
// And what it does not.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <type_traits>

#include "weft/algorithms.hpp"

namespace {

/// Says yes or no where that is asked for, and can do nothing else.
class answer {
 public:
  explicit answer(bool yes) : yes_(yes) {}
  answer(const answer&) = delete;
  answer& operator=(const answer&) = delete;
  explicit operator bool() const { return yes_; }
  void operator!() const = delete;
  void operator&() const = delete;
  template <class T>
  friend void operator&&(const answer&, T&&) = delete;
  template <class T>
  friend void operator&&(T&&, const answer&) = delete;
  template <class T>
  friend void operator||(const answer&, T&&) = delete;
  template <class T>
  friend void operator||(T&&, const answer&) = delete;
  template <class T>
  friend void operator,(const answer&, T&&) = delete;
  template <class T>
  friend void operator,(T&&, const answer&) = delete;

 private:
  bool yes_;
};

/// Converts to an answer, as what `==` and `<` give has to.
struct reply {
  bool yes;
  operator bool() const { return yes; }
};

/// Has no default value, and its address and a comma behind it are nobody's business.
struct item {
  explicit item(int k) : key(k) {}
  void operator&() const = delete;
  template <class T>
  friend void operator,(const item&, T&&) = delete;
  template <class T>
  friend void operator,(T&&, const item&) = delete;
  friend reply operator==(const item& a, const item& b) { return {a.key == b.key}; }
  friend reply operator<(const item& a, const item& b) { return {a.key < b.key}; }
  friend item operator+(const item& a, const item& b) { return item(a.key + b.key); }
  int key;
};

/// The same, and not cheap to move.
struct dear : item {
  using item::item;
  std::string name;
};

/// Can be compared with nothing but what is made of them.
struct wide {
  int key;
};
struct slim {
  slim& operator=(const wide& x) {
    key = x.key;
    return *this;
  }
  int key;
};
struct by_key {
  bool operator()(const wide& a, const slim& b) const { return a.key < b.key; }
  bool operator()(const slim& a, const slim& b) const { return a.key < b.key; }
};

/// Can be called as long as it has a name and changes with every call; cannot be assigned.
class odd_base {
 public:
  odd_base() = default;
  odd_base(const odd_base&) = default;
  odd_base& operator=(const odd_base&) = delete;
  void operator&() const = delete;

 protected:
  std::size_t num_calls_ = 0;
};
/// Asked about items, or about constant ones: what it does not write it takes by a reference that
/// could, too.
template <class Item>
struct asks final : odd_base {
  answer operator()(Item& x) & { return answer(x.key > static_cast<int>(++num_calls_)); }
  answer operator()(Item& a, Item& b) & {
    ++num_calls_;
    return answer(a.key < b.key);
  }
  void operator()(Item&) && = delete;
  void operator()(Item&, Item&) && = delete;
};
using asks_constants = asks<const item>;
/// Makes items of variable ones.
struct makes final : odd_base {
  item operator()() & { return item(static_cast<int>(++num_calls_)); }
  item operator()(item& x) & { return item(x.key + static_cast<int>(++num_calls_)); }
  item operator()(item& x, item& y) & { return item(x.key + y.key); }
  void operator()() && = delete;
  void operator()(item&) && = delete;
};
/// Sums, for which sums of parts are no variables.
struct adds final : odd_base {
  item operator()(const item& a, const item& b) & {
    ++num_calls_;
    return item(a.key + b.key);
  }
  void operator()(const item&, const item&) && = delete;
};

struct machine {
  bool is_on = false;
  [[nodiscard]] bool is_before(const machine& other) const { return !is_on && other.is_on; }
  [[nodiscard]] machine joined(const machine& other) const { return {is_on || other.is_on}; }
};

/// Equal where that is asked for, which is not enough of what `==` gives.
struct explicitly {
  friend answer operator==(const explicitly& /*a*/, const explicitly& /*b*/) {
    return answer(true);
  }
};

#if defined(MISTAKES)
void mistakes(machine* a, item* b, int* c, bool* d, explicitly* e) {
  const item x(1);
  const auto summing = [](double sum, const item& y) { return sum + y.key; };
  const auto since = [](int /*x*/, int /*y*/) { return item(1); };
  weft::copy_if(weft::par, a, a, a, &machine::is_on);          // expect: predicate_on
  weft::sort(weft::par, a, a, &machine::is_before);            // expect: predicate_on
  weft::transform(weft::par, a, a, d, &machine::is_on);        // expect: maker_for
  weft::inclusive_scan(weft::par, a, a, a, &machine::joined);  // expect: sums
  weft::adjacent_difference(weft::par, b, b, c, adds());       // expect: maker_on
  weft::generate(weft::par, c, c, makes());                    // expect: maker_on
  weft::fold_left(weft::par, a, a, *a, &machine::joined);      // expect: operation_on
  weft::for_each_n(weft::par, a, 3, &machine::is_on);          // expect: callable_on
  weft::replace(weft::par, b, b, x, 3);                        // expect: assignable_for
  weft::replace(weft::par, b, b, "", x);                       // expect: value_for
  weft::reduce(weft::par, b, b, 0.0, summing);                 // expect: operation_for
  weft::reduce_deterministic(weft::par, b, b, 0.0, summing);   // expect: regroups_on
  weft::transform_reduce(
      weft::par, b, b, 0.0, summing, std::identity());   // expect: operation_on_results_for
  weft::find(weft::par, e, e, *e);                       // expect: value_for
  weft::adjacent_difference(weft::par, c, c, b, since);  // expect: takes_elements_of
  weft::sort(weft::par, a, a);                           // expect: predicate_on
  weft::reduce(weft::par, a, a);                         // expect: regroups_on
  weft::histogram(weft::par, c, c, 3, 0, 3, b);          // expect: counts_iterator
  weft::histogram(weft::par, b, b, c, c, c);             // expect: predicate_on
  weft::for_loop(weft::par, 0, 3, weft::reduction_plus(*c), adds());  // expect: loop_arguments
  weft::for_loop(weft::par, 0, 3, adds(), weft::reduction_plus(*c));  // expect: loop_arguments
  weft::for_loop(weft::par, 0, 3, weft::reduction_plus(*c));          // expect: loop_arguments
}
#else

template <class How, class It, class Ask>
void searches(const How& how, It a, It b, Ask ask, const item& x) {
  weft::adjacent_find(how, a, b, ask);
  weft::all_of(how, a, b, ask);
  weft::any_of(how, a, b, ask);
  weft::none_of(how, a, b, ask);
  weft::contains(how, a, b, x);
  weft::contains_subrange(how, a, b, a, b, ask);
  weft::count(how, a, b, x);
  weft::count_if(how, a, b, ask);
  weft::ends_with(how, a, b, a, b, ask);
  weft::equal(how, a, b, a, ask);
  weft::equal(how, a, b, a, b, ask);
  weft::find(how, a, b, x);
  weft::find_end(how, a, b, a, b, ask);
  weft::find_first_of(how, a, b, a, b, ask);
  weft::find_if(how, a, b, ask);
  weft::find_if_not(how, a, b, ask);
  weft::find_last(how, a, b, x);
  weft::find_last_if(how, a, b, ask);
  weft::find_last_if_not(how, a, b, ask);
  weft::includes(how, a, b, a, b, ask);
  weft::is_partitioned(how, a, b, ask);
  weft::is_sorted(how, a, b, ask);
  weft::is_sorted_until(how, a, b, ask);
  weft::lexicographical_compare(how, a, b, a, b, ask);
  weft::max_element(how, a, b, ask);
  weft::min_element(how, a, b, ask);
  weft::minmax_element(how, a, b, ask);
  weft::mismatch(how, a, b, a, ask);
  weft::mismatch(how, a, b, a, b, ask);
  weft::search(how, a, b, a, b, ask);
  weft::search_n(how, a, b, 3, x, asks_constants());
  weft::starts_with(how, a, b, a, b, ask);
}

template <class How, class It>
void makes_elements(const How& how, It a, It b, It c, makes make, adds add, const item& x) {
  weft::adjacent_difference(how, a, b, c, make);
  weft::exclusive_scan(how, a, b, c, x, add);
  weft::fold_left(how, a, b, x, add);
  weft::for_each(how, a, b, make);
  weft::for_each_n(how, a, 3, make);
  weft::generate(how, a, b, make);
  weft::generate_n(how, a, 3, make);
  weft::inclusive_scan(how, a, b, c, add);
  weft::inclusive_scan(how, a, b, c, add, x);
  weft::reduce(how, a, b, x);
  weft::reduce(how, a, b, x, add);
  weft::transform(how, a, b, c, make);
  weft::transform(how, a, b, a, c, make);
  weft::transform_exclusive_scan(how, a, b, c, x, add, make);
  weft::transform_inclusive_scan(how, a, b, c, add, make);
  weft::transform_inclusive_scan(how, a, b, c, add, make, x);
  weft::transform_reduce(how, a, b, x, add, make);
  weft::transform_reduce(how, a, b, a, x, add, make);
}

template <class How, class It, class Ask>
void selects(const How& how, It a, It b, It c, Ask ask, const item& x) {
  weft::copy_if(how, a, b, c, ask);
  weft::fill(how, a, b, x);
  weft::fill_n(how, a, 3, x);
  weft::merge(how, a, b, a, b, c, ask);
  weft::partition(how, a, b, ask);
  weft::partition_copy(how, a, b, c, c, ask);
  weft::remove(how, a, b, x);
  weft::remove_copy(how, a, b, c, x);
  weft::remove_copy_if(how, a, b, c, ask);
  weft::remove_if(how, a, b, ask);
  weft::replace(how, a, b, x, x);
  weft::replace_copy(how, a, b, c, x, x);
  weft::replace_copy_if(how, a, b, c, ask, x);
  weft::replace_if(how, a, b, ask, x);
  weft::set_difference(how, a, b, a, b, c, ask);
  weft::set_intersection(how, a, b, a, b, c, ask);
  weft::set_symmetric_difference(how, a, b, a, b, c, ask);
  weft::set_union(how, a, b, a, b, c, ask);
  weft::stable_partition(how, a, b, ask);
  weft::unique(how, a, b, ask);
  weft::unique_copy(how, a, b, c, ask);
  weft::inplace_merge(how, a, a, b, ask);
}

/// Without callables, but with elements and iterators as odd.
template <class How, class It>
void moves(const How& how, It a, It b, It c, const item& x) {
  weft::copy(how, a, b, c);
  weft::copy_n(how, a, 3, c);
  weft::destroy(how, a, b);
  weft::destroy_n(how, a, 3);
  weft::move(how, a, b, c);
  weft::reverse(how, a, b);
  weft::reverse_copy(how, a, b, c);
  weft::rotate(how, a, a, b);
  weft::rotate_copy(how, a, a, b, c);
  weft::shift_left(how, a, b, 3);
  weft::shift_right(how, a, b, 3);
  weft::swap_ranges(how, a, b, c);
  weft::uninitialized_copy(how, a, b, c);
  weft::uninitialized_copy_n(how, a, 3, c);
  weft::uninitialized_fill(how, a, b, x);
  weft::uninitialized_fill_n(how, a, 3, x);
  weft::uninitialized_move(how, a, b, c);
  weft::uninitialized_move_n(how, a, 3, c);
}

template <class How, class It, class Ask>
void sorts(const How& how, It a, It b, Ask ask) {
  weft::is_heap(how, a, b, ask);
  weft::is_heap_until(how, a, b, ask);
  weft::nth_element(how, a, a, b, ask);
  weft::partial_sort(how, a, a, b, ask);
  weft::partial_sort_copy(how, a, b, a, b, ask);
  weft::sort(how, a, b, ask);
  weft::sort_by_key(how, a, b, a, ask);
  weft::stable_sort(how, a, b, ask);
}

/// By `<`, `==` and `+`.
template <class How>
void orders(const How& how, item* a, item* b) {
  weft::adjacent_find(how, a, b);
  weft::equal(how, a, b, a);
  weft::find_end(how, a, b, a, b);
  weft::find_first_of(how, a, b, a, b);
  weft::includes(how, a, b, a, b);
  weft::inclusive_scan(how, a, b, a);
  weft::inplace_merge(how, a, a, b);
  weft::is_heap(how, a, b);
  weft::is_sorted(how, a, b);
  weft::lexicographical_compare(how, a, b, a, b);
  weft::merge(how, a, b, a, b, a);
  weft::minmax_element(how, a, b);
  weft::mismatch(how, a, b, a);
  weft::nth_element(how, a, a, b);
  weft::partial_sort(how, a, a, b);
  weft::search(how, a, b, a, b);
  weft::set_union(how, a, b, a, b, a);
  weft::sort(how, a, b);
  weft::stable_sort(how, a, b);
  weft::unique(how, a, b);
}

/// What takes two types of values, sizes of any type that converts to one, and comparisons of
/// results.
template <class How>
void mixes(const How& how, int* a, slim* out, const wide* in) {
  enum : std::uint8_t { few = 3 };
  weft::replace(how, a, a, 3, 9.5);
  weft::replace_copy(how, a, a, a, 3, 9.5);
  weft::for_each_n(how, a, few, std::negate<>());
  weft::for_each_n(how, a, 3.0, std::negate<>());
  weft::search_n(how, a, a, few, 1);
  weft::search_n(how, a, a, std::integral_constant<std::size_t, 3>(), 1);
  weft::min_element(how, a, a, [](int& x, int& y) { return x < y; });
  weft::partial_sort_copy(how, in, in, out, out, by_key());
}

template <class How, class It>
void everything(const How& how, It a, It b, const item& x) {
  searches(how, a, b, asks_constants(), x);
  searches(how, a, b, asks<item>(), x);
  makes_elements(how, a, b, a, makes(), adds(), x);
  selects(how, a, b, a, asks_constants(), x);
  selects(how, a, b, a, asks<item>(), x);
  moves(how, a, b, a, x);
}

template <class How>
void use(const How& how, item* a, dear* d, std::list<item>& list, const item& x) {
  everything(how, a, a, x);
  everything(how, list.begin(), list.end(), x);
  sorts(how, a, a, asks_constants());
  sorts(how, a, a, asks<item>());
  sorts(how, d, d, asks<item>());
  orders(how, a, a);
  mixes(how, nullptr, nullptr, nullptr);
}
void use_all(item* a, dear* d, std::list<item>& list, const item& x) {
  use(weft::par, a, d, list, x);
  use(weft::seq, a, d, list, x);
}
#endif

}  // namespace
