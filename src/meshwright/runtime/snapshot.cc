// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/snapshot.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>

#include "meshwright/base/task_group.h"
#include "meshwright/runtime/device_array_state.h"

namespace meshwright::runtime {
namespace {

using Array = DeviceArrayAccess::State;
using SharedArray = std::shared_ptr<Array>;

constexpr const char* kCopying = "copying an array to the host";

// --- what is held -----------------------------------------------------------------------------

// Shared by all that hold arrays for one snapshot; tells when the last of them is gone.
struct Release {
  std::promise<void> promise;
  Release() = default;
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() { promise.set_value(); }
};

// Keeps an array from being donated.
class Hold {
 public:
  Hold(SharedArray array, std::shared_ptr<Release> release)
      : release_(std::move(release)), array_(std::move(array)) {
    ++array_->num_views;
  }
  ~Hold() {
    --array_->num_views;
    array_ = nullptr;  // before anybody hears that it was released
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  const Array& array() const { return *array_; }

 private:
  std::shared_ptr<Release> release_;
  SharedArray array_;
};

// --- parts ------------------------------------------------------------------------------------

// The elements of a part: adjacent ones in a buffer.
struct Piece {
  std::size_t array;
  SharedArray owner;
  std::size_t device;
  Ranges ranges;
  ArrayType type;
  std::size_t offset;  // in bytes

  std::size_t num_bytes() const { return static_cast<std::size_t>(type.num_bytes()); }
  const pjrt::Buffer& buffer() const { return owner->buffers[device]; }
};

// Elements of 4 bits may be packed on a device; the plugin unpacks them when it copies.
bool is_readable(const Array& array, const SnapshotOptions& options) {
  const DType dtype = array.layout->type().dtype;
  return options.reads_in_place && dtype != DType::s4 && dtype != DType::u4 &&
         array.buffers[0].is_on_cpu();
}

// How many of its replicas can each give an equal number of adjacent elements.
std::size_t num_shares(const ArrayLayout& layout) {
  const Dims& dims = layout.shard_type().dims;
  if (dims.empty() || dims[0] == 0) return 1;
  const std::size_t num_replicas = layout.num_replicas();
  return static_cast<std::size_t>(dims[0]) % num_replicas == 0 ? num_replicas : 1;
}

struct Pieces {
  std::vector<Piece> readable, others;  // by the host
};

void add_pieces(std::size_t number,
                const SharedArray& array,
                const SnapshotOptions& options,
                Pieces& out) {
  const ArrayLayout& layout = *array->layout;
  const bool readable = is_readable(*array, options);
  // What the host cannot read comes in whole shards; then the replicas take turns.
  const std::size_t num = options.replica_parallel && readable ? num_shares(layout) : 1;
  const std::size_t turn = options.replica_parallel && !readable ? number : 0;
  ArrayType type = layout.shard_type();
  if (num > 1) type.dims[0] /= static_cast<std::int64_t>(num);
  for (std::size_t i = 0; i < layout.num_shards() * num; ++i) {
    const std::size_t shard = i / num;
    const std::size_t share = i % num;
    Ranges ranges = layout.ranges(shard);
    if (num > 1) {
      ranges[0].start += static_cast<std::int64_t>(share) * type.dims[0];
      ranges[0].stop = ranges[0].start + type.dims[0];
    }
    const std::size_t replica = (share + turn) % layout.num_replicas();
    const std::size_t offset = share * static_cast<std::size_t>(type.num_bytes());
    (readable ? out.readable : out.others)
        .push_back(
            {number, array, layout.device_of(shard, replica), std::move(ranges), type, offset});
  }
}

void wait_for_values(const std::vector<SharedArray>& arrays) {
  for (const SharedArray& array : arrays) {
    for (const pjrt::Buffer& buffer : array->buffers)
      buffer.ready_event().await("computing an array");
  }
  if (!arrays.empty()) arrays[0]->client->throw_kernel_error();
}

// --- copying ----------------------------------------------------------------------------------

struct Copy {
  const std::byte* from;
  std::byte* to;
  std::size_t num_bytes;
};

// In chunks, so that one large array keeps all threads busy.
void copy_all(const std::vector<Copy>& copies, int max_threads) {
  constexpr std::size_t kChunk = std::size_t{4} << 20;
  std::vector<Copy> chunks;
  for (const Copy& copy : copies) {
    for (std::size_t at = 0; at < copy.num_bytes; at += kChunk)
      chunks.push_back({copy.from + at, copy.to + at, std::min(kChunk, copy.num_bytes - at)});
  }
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < chunks.size(); i = next++)
      std::memcpy(chunks[i].to, chunks[i].from, chunks[i].num_bytes);
  };
  std::size_t num_bytes = 0;
  for (const Copy& copy : copies)
    num_bytes += copy.num_bytes;
  const auto num_threads = std::min(num_bytes / kChunk, static_cast<std::size_t>(max_threads));
  if (num_threads < 2) return work();
  TaskGroup threads(static_cast<int>(num_threads));
  for (std::size_t i = 0; i < num_threads; ++i)
    threads.run(work);
  threads.join();
}

// All of them, whatever becomes of one: they write into memory that is given back after an error.
void await_all(const std::vector<pjrt::Event>& copies) {
  std::exception_ptr first;
  for (const pjrt::Event& copy : copies) {
    try {
      copy.await(kCopying);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

// --- reading what is held ---------------------------------------------------------------------

// Elements where the device has them, held as long as anybody reads them.
HostTensor in_place(const Piece& piece, const std::shared_ptr<Release>& release) {
  auto hold = std::make_shared<Hold>(piece.owner, release);
  // Nobody writes there: NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  auto* bytes = const_cast<std::byte*>(piece.buffer().unsafe_pointer()) + piece.offset;
  return {piece.type, std::shared_ptr<std::byte>(std::move(hold), bytes)};
}

std::function<HostTensor()> read_later(const Piece& piece,
                                       StagingPool pool,
                                       const std::shared_ptr<Release>& release) {
  auto hold = std::make_shared<Hold>(piece.owner, release);
  return [hold = std::move(hold), held = piece, pool = std::move(pool)]() mutable {
    HostTensor out(held.type, pool.take(held.num_bytes()));
    held.buffer().copy_to_host({out.mutable_data(), out.num_bytes()}).await(kCopying);
    held.owner = nullptr;
    hold = nullptr;
    return out;
  };
}

// --- taking a snapshot ------------------------------------------------------------------------

class Taking {
 public:
  Taking(StagingPool& pool, const SnapshotOptions& options) : pool_(pool), options_(options) {}

  // Readable ones that are held come first: they are let go when they have been read. The others
  // wait for room in the pool, so what takes that room must be read before them.
  Snapshot take(const Pieces& pieces) {
    std::vector<SnapshotPart> copied, later;
    for (const Piece& piece : pieces.readable) {
      if (!stage(piece, copied)) {
        out_.parts.emplace_back(piece.array, piece.ranges, in_place(piece, release_));
        out_.num_held_bytes += piece.num_bytes();
      }
    }
    for (const Piece& piece : pieces.others) {
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
  // Copies it, at the latest when take() ends; false if there is no room.
  bool stage(const Piece& piece, std::vector<SnapshotPart>& out) {
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
  std::vector<Copy> copies_;
  std::vector<pjrt::Event> events_;
  Snapshot out_;
};

}  // namespace

Snapshot snapshot(const std::vector<DeviceArray>& arrays,
                  StagingPool& pool,
                  const SnapshotOptions& options) {
  std::vector<SharedArray> states;
  for (const DeviceArray& array : arrays) {
    MW_CHECK(array.is_alive(), "snapshot: array ", states.size(),
             array.is_null() ? " is null" : " was donated to an execution");
    states.push_back(DeviceArrayAccess::state(array));
  }
  wait_for_values(states);
  Pieces pieces;
  for (std::size_t i = 0; i < states.size(); ++i)
    add_pieces(i, states[i], options, pieces);
  Snapshot out = Taking(pool, options).take(pieces);
  out.part_dims.resize(arrays.size());
  for (const SnapshotPart& part : out.parts)
    out.part_dims[part.array()] = sizes_of(part.ranges());
  return out;
}

}  // namespace meshwright::runtime
