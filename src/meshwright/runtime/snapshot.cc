// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/snapshot.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "meshwright/base/check.h"
#include "meshwright/runtime/device_array_state.h"
#include "meshwright/runtime/snapshot_copy.h"
#include "meshwright/runtime/snapshot_pieces.h"

namespace meshwright::runtime {
namespace {

// Shared by all holds of one snapshot. Signals when the last one is destroyed.
struct Release {
  std::promise<void> promise;
  Release() = default;
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() { promise.set_value(); }
};

// Prevents an array from being donated.
class Hold {
 public:
  Hold(SharedState array, std::shared_ptr<Release> release)
      : release_(std::move(release)), array_(std::move(array)) {
    ++array_->num_views;
  }
  ~Hold() {
    --array_->num_views;
    array_ = nullptr;  // release before signalling
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  const DeviceArrayAccess::State& array() const { return *array_; }

 private:
  std::shared_ptr<Release> release_;
  SharedState array_;
};

// Returns the elements in device memory, held as long as the tensor lives.
HostTensor in_place(const SnapshotPiece& piece, const std::shared_ptr<Release>& release) {
  auto hold = std::make_shared<Hold>(piece.owner, release);
  // Never written to. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* bytes = const_cast<std::byte*>(piece.buffer().unsafe_pointer()) + piece.offset;
  return {piece.type, std::shared_ptr<std::byte>(std::move(hold), bytes)};
}

std::function<HostTensor()> read_later(const SnapshotPiece& piece,
                                       StagingPool pool,
                                       const std::shared_ptr<Release>& release) {
  auto hold = std::make_shared<Hold>(piece.owner, release);
  return [hold = std::move(hold), held = piece, pool = std::move(pool)]() mutable {
    HostTensor out(held.type, pool.take(held.num_bytes()));
    held.buffer().copy_to_host({out.mutable_data(), out.num_bytes()}).await(kCopyingToHost);
    held.owner = nullptr;
    hold = nullptr;
    return out;
  };
}

void wait_for_values(const std::vector<SharedState>& arrays) {
  for (const SharedState& array : arrays) {
    for (const pjrt::Buffer& buffer : array->buffers)
      buffer.ready_event().await("computing an array");
  }
  if (!arrays.empty()) arrays[0]->client->throw_kernel_error();
}

class Taking {
 public:
  Taking(StagingPool& pool, const SnapshotOptions& options) : pool_(pool), options_(options) {}

  // Orders held parts so that readable ones come first: reading them releases the arrays. The
  // others wait for space in the pool, so parts that occupy it must precede them.
  Snapshot take(const SnapshotPieces& pieces) {
    std::vector<SnapshotPart> copied, later;
    for (const SnapshotPiece& piece : pieces.readable) {
      if (!stage(piece, copied)) {
        out_.parts.emplace_back(piece.array, piece.ranges, in_place(piece, release_));
        out_.num_held_bytes += piece.num_bytes();
      }
    }
    for (const SnapshotPiece& piece : pieces.others) {
      if (!stage(piece, copied)) {
        later.emplace_back(piece.array, piece.ranges, read_later(piece, pool_, release_));
        out_.num_held_bytes += piece.num_bytes();
      }
    }
    copy_all(copies_, options_.max_threads);
    await_all(events_);
    for (std::vector<SnapshotPart>* parts : {&copied, &later})
      std::ranges::move(*parts, std::back_inserter(out_.parts));
    out_.released = release_->promise.get_future().share();
    return std::move(out_);
  }

 private:
  // Schedules a copy, which take() completes. Returns false if the pool is full.
  bool stage(const SnapshotPiece& piece, std::vector<SnapshotPart>& out) {
    const std::size_t num_bytes = piece.num_bytes();
    out_.num_bytes += num_bytes;
    if (options_.hold) return false;
    std::shared_ptr<std::byte> memory = pool_.try_take(num_bytes);
    if (memory == nullptr) return false;
    if (is_readable(*piece.owner, options_)) {
      copies_.push_back({piece.buffer().unsafe_pointer() + piece.offset, memory.get(), num_bytes});
    } else {
      events_.push_back(piece.buffer().copy_to_host({memory.get(), num_bytes}));
    }
    out.emplace_back(piece.array, piece.ranges, HostTensor(piece.type, std::move(memory)));
    return true;
  }

  StagingPool& pool_;
  const SnapshotOptions options_;
  std::shared_ptr<Release> release_ = std::make_shared<Release>();
  std::vector<MemoryCopy> copies_;
  std::vector<pjrt::Event> events_;
  Snapshot out_;
};

}  // namespace

Snapshot snapshot(const std::vector<DeviceArray>& arrays,
                  StagingPool& pool,
                  const SnapshotOptions& options) {
  std::vector<SharedState> states;
  for (const DeviceArray& array : arrays) {
    MW_CHECK(array.is_alive(), "snapshot: array ", states.size(),
             array.is_null() ? " is null" : " was donated to an execution");
    states.push_back(DeviceArrayAccess::state(array));
  }
  wait_for_values(states);
  Snapshot out = Taking(pool, options).take(snapshot_pieces(states, options));
  out.part_dims.resize(arrays.size());
  for (const SnapshotPart& part : out.parts)
    out.part_dims[part.array()] = sizes_of(part.ranges());
  return out;
}

}  // namespace meshwright::runtime
