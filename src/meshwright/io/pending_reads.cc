// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/pending_reads.h"

#include <chrono>
#include <mutex>
#include <unordered_set>

namespace meshwright::io {
namespace {

using Clock = std::chrono::steady_clock;

// The read of one thread. Its mutex is contended only while somebody asks.
struct Slot {
  std::mutex mutex;
  const std::string* file = nullptr;  // null: nothing
  std::uint64_t offset = 0;
  Clock::time_point begin;
};

struct Slots {
  std::mutex mutex;
  std::unordered_set<Slot*> all;
};

// Never destroyed, since threads that hang outlive static objects.
Slots& slots() {
  static Slots* const out = new Slots;  // NOLINT(cppcoreguidelines-owning-memory)
  return *out;
}

class ThreadSlot {
 public:
  ThreadSlot() {
    const std::lock_guard lock(slots().mutex);
    slots().all.insert(&slot_);
  }
  ~ThreadSlot() {
    const std::lock_guard lock(slots().mutex);
    slots().all.erase(&slot_);
  }
  ThreadSlot(const ThreadSlot&) = delete;
  ThreadSlot& operator=(const ThreadSlot&) = delete;

  void set(const std::string* file, std::uint64_t offset) {
    const std::lock_guard lock(slot_.mutex);
    slot_.file = file;
    slot_.offset = offset;
    if (file != nullptr) slot_.begin = Clock::now();
  }

 private:
  Slot slot_;
};

ThreadSlot& of_this_thread() {
  thread_local ThreadSlot slot;
  return slot;
}

}  // namespace

std::optional<PendingRead> find_longest_read() {
  const Clock::time_point now = Clock::now();
  std::optional<PendingRead> out;
  const std::lock_guard lock(slots().mutex);
  for (Slot* slot : slots().all) {
    const std::lock_guard slot_lock(slot->mutex);
    if (slot->file == nullptr) continue;
    const double seconds = std::chrono::duration<double>(now - slot->begin).count();
    if (!out || seconds > out->seconds) out = {*slot->file, slot->offset, seconds};
  }
  return out;
}

ReadInProgress::ReadInProgress(const std::string& file, std::uint64_t offset) {
  of_this_thread().set(&file, offset);
}

ReadInProgress::~ReadInProgress() {
  of_this_thread().set(nullptr, 0);
}

}  // namespace meshwright::io
