# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_module(policies COMPILED
  UMBRELLA weft/policies.hpp
  HEADERS
    weft/policies/detail/tuning.hpp
  SOURCES
    policies/counter_reader.cpp
    policies/every.cpp
    policies/knobs.cpp
    policies/periodic.cpp
    policies/policy.cpp
    policies/readings.cpp
    policies/throttle.cpp
    policies/tuned.cpp
    policies/tuning.cpp
  DEPENDS weft::tasks weft::counters weft::base)
target_include_directories(weft_policies PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
