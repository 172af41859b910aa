// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex for readers and writers, whose readers may become writers.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <utility>

#include <hpx/config.hpp>

#include "weft/tasks/mutex.hpp"
#include "weft/tasks/shared_mutex.hpp"

namespace hpx {

/// weft's shared mutex with a third way to hold it. One holder at a time has it for upgrade, beside
/// other readers, and can become the writer without releasing it.
///
/// Cost:    a writer locks two mutexes, a reader one.
/// Threads: any.
class shared_mutex {
 public:
  void lock() {
    writers_.lock();
    try {
      all_.lock();
    } catch (...) {
      writers_.unlock();
      throw;
    }
  }
  [[nodiscard]] bool try_lock() {
    if (!writers_.try_lock()) {
      return false;
    }
    if (!all_.try_lock()) {
      writers_.unlock();
      return false;
    }
    return true;
  }
  void unlock() {
    all_.unlock();
    writers_.unlock();
  }

  void lock_shared() { all_.lock_shared(); }
  [[nodiscard]] bool try_lock_shared() { return all_.try_lock_shared(); }
  void unlock_shared() { all_.unlock_shared(); }

  void lock_upgrade() {
    writers_.lock();
    try {
      all_.lock_shared();
    } catch (...) {
      writers_.unlock();
      throw;
    }
  }
  [[nodiscard]] bool try_lock_upgrade() {
    if (!writers_.try_lock()) {
      return false;
    }
    if (!all_.try_lock_shared()) {
      writers_.unlock();
      return false;
    }
    return true;
  }
  void unlock_upgrade() {
    all_.unlock_shared();
    writers_.unlock();
  }

  // The holder of `writers_` may release the other: no other thread can write meanwhile.
  void unlock_upgrade_and_lock() {
    all_.unlock_shared();
    all_.lock();
  }
  void unlock_upgrade_and_lock_shared() { writers_.unlock(); }
  void unlock_and_lock_upgrade() {
    all_.unlock();
    all_.lock_shared();
  }
  void unlock_and_lock_shared() {
    unlock_and_lock_upgrade();
    writers_.unlock();
  }

 private:
  weft::mutex writers_;  // held by who writes, or may
  weft::shared_mutex all_;
};

/// Holds a mutex for upgrade as long as it lives.
template <class Mutex>
class upgrade_lock {
 public:
  using mutex_type = Mutex;

  upgrade_lock() noexcept = default;
  explicit upgrade_lock(Mutex& mutex) : mutex_(&mutex) { lock(); }
  upgrade_lock(Mutex& mutex, std::defer_lock_t /*later*/) noexcept : mutex_(&mutex) {}
  upgrade_lock(Mutex& mutex, std::adopt_lock_t /*held*/) noexcept : mutex_(&mutex), owns_(true) {}
  upgrade_lock(Mutex& mutex, std::try_to_lock_t /*maybe*/)
      : mutex_(&mutex), owns_(mutex.try_lock_upgrade()) {}
  upgrade_lock(upgrade_lock&& other) noexcept { swap(other); }
  upgrade_lock& operator=(upgrade_lock&& other) noexcept {
    upgrade_lock(std::move(other)).swap(*this);
    return *this;
  }
  ~upgrade_lock() {
    if (owns_) {
      mutex_->unlock_upgrade();
    }
  }
  void swap(upgrade_lock& other) noexcept {
    std::swap(mutex_, other.mutex_);
    std::swap(owns_, other.owns_);
  }

  void lock() {
    mutex_->lock_upgrade();
    owns_ = true;
  }
  bool try_lock() { return owns_ = mutex_->try_lock_upgrade(); }
  void unlock() {
    mutex_->unlock_upgrade();
    owns_ = false;
  }
  [[nodiscard]] bool owns_lock() const noexcept { return owns_; }
  explicit operator bool() const noexcept { return owns_; }
  [[nodiscard]] Mutex* mutex() const noexcept { return mutex_; }
  Mutex* release() noexcept {
    owns_ = false;
    return std::exchange(mutex_, nullptr);
  }

 private:
  Mutex* mutex_ = nullptr;
  bool owns_ = false;
};

/// Makes the holder for upgrade the writer as long as it lives.
template <class Mutex>
class upgrade_to_unique_lock {
 public:
  using mutex_type = Mutex;

  explicit upgrade_to_unique_lock(upgrade_lock<Mutex>& held)
      : held_(&held), mutex_(held.release()) {
    if (mutex_ != nullptr) {
      mutex_->unlock_upgrade_and_lock();
    }
  }
  upgrade_to_unique_lock(const upgrade_to_unique_lock&) = delete;
  upgrade_to_unique_lock& operator=(const upgrade_to_unique_lock&) = delete;
  ~upgrade_to_unique_lock() {
    if (mutex_ != nullptr) {
      mutex_->unlock_and_lock_upgrade();
      *held_ = upgrade_lock<Mutex>(*mutex_, std::adopt_lock);
    }
  }
  [[nodiscard]] bool owns_lock() const noexcept { return mutex_ != nullptr; }
  explicit operator bool() const noexcept { return owns_lock(); }

 private:
  upgrade_lock<Mutex>* held_;
  Mutex* mutex_;
};

}  // namespace hpx
