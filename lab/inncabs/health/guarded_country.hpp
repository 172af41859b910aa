// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The country of problem health with a mutex per parent, for its concurrent forms.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "lab/inncabs/health/country.hpp"
#include "lab/inncabs/health/health.hpp"

namespace weft::lab::inncabs::health {

template <class Mutex>
class guarded_country {
 public:
  explicit guarded_country(const input& from) : where_(from), mutexes_(where_.num_parents()) {}

  [[nodiscard]] std::size_t num_children(std::size_t village) const noexcept {
    return where_.num_children(village);
  }
  [[nodiscard]] auto children(std::size_t village) const noexcept {
    return where_.children(village);
  }

  /// Threads: as `country::treat`; any number of children may refer to their parent at the same
  ///          time.
  void treat(std::size_t village) {
    const auto leaving = where_.treat(village);
    if (!leaving.empty()) {
      const std::size_t parent = where_.parent(village);
      const std::lock_guard guard(mutexes_[parent]);
      where_.take_referred(parent, leaving);
    }
  }
  void admit(std::size_t village) { where_.admit(village); }
  [[nodiscard]] result count() const { return where_.count(); }

 private:
  country where_;
  std::vector<Mutex> mutexes_;  // of the parents' lists of referred patients
};

}  // namespace weft::lab::inncabs::health
