// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/foreign_layout.h"

#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright::checkpoint {
namespace {

// Reads a native array from the foreign one that holds it.
class ForeignSource : public ArraySource {
 public:
  ForeignSource(StoredArray stored, ForeignArray foreign)
      : stored_(std::move(stored)), foreign_(std::move(foreign)) {}

  Dims chunk() const override { return native_part(foreign_, stored_.chunk()); }

  void check(const Ranges& part) const override {
    for (const Ranges& piece : split_for_foreign(foreign_, part))
      stored_.check(foreign_ranges(foreign_, piece));
  }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const bool is_in_place =
        foreign_.order.empty() && split_for_foreign(foreign_, target.ranges).size() == 1;
    for (const Ranges& piece : split_for_foreign(foreign_, part)) {
      if (is_in_place) {
        stored_.read_into(foreign_ranges(foreign_, piece),
                          {foreign_ranges(foreign_, target.ranges), target.data});
      } else {
        read_into(piece, target);
      }
    }
  }

 private:
  void read_into(const Ranges& piece, const io::zarr::Target& target) const {
    const HostTensor value = stored_.read(foreign_ranges(foreign_, piece));
    copy_from_foreign(foreign_, piece, value.data(), target.ranges, target.data,
                      byte_size(stored_.type().dtype));
  }

  StoredArray stored_;
  ForeignArray foreign_;
};

StoredArray native_array(const std::string& path,
                         const StoredArray& stored,
                         const ForeignArray& foreign) {
  const Dims dims = native_dims(foreign, stored.type().dims);
  MW_CHECK(foreign_dims(foreign, dims) == stored.type().dims, "checkpoint: '", foreign.path,
           "' is ", stored.type(), ", which cannot contain '", path, "'");
  return {{stored.type().dtype, dims}, std::make_shared<ForeignSource>(stored, foreign)};
}

HostTensor with_dims(HostTensor value, Dims dims) {
  ArrayType type{value.dtype(), std::move(dims)};
  auto whole = std::make_shared<HostTensor>(std::move(value));
  std::byte* first = whole->mutable_data();
  return {std::move(type), std::shared_ptr<std::byte>(std::move(whole), first)};
}

HostTensor foreign_value(HostTensor value, const ForeignArray& foreign, const Ranges& native) {
  const Dims dims = sizes_of(foreign_ranges(foreign, native));
  if (foreign.order.empty()) return with_dims(std::move(value), dims);
  HostTensor out = uninitialized_tensor({value.dtype(), dims});
  copy_to_foreign(foreign, value.dims(), value.data(), out.mutable_data(),
                  byte_size(value.dtype()));
  return out;
}

// A part of a native array that is written to several places. It is released after the last of
// them. The places are consecutive in the order of writing; otherwise one could wait for memory
// that another holds.
class SharedPart {
 public:
  SharedPart(runtime::SnapshotPart part, std::size_t num_places)
      : part_(std::move(part)), num_left_(num_places) {}

  HostTensor take(const Ranges& piece) {
    std::lock_guard lock(mutex_);
    if (!value_) value_ = part_.take();
    HostTensor out = cut({part_.ranges(), *value_}, piece);
    if (--num_left_ == 0) value_.reset();
    return out;
  }

 private:
  std::mutex mutex_;
  runtime::SnapshotPart part_;
  std::optional<HostTensor> value_;
  std::size_t num_left_;
};

// A foreign array that a native array is written to.
struct Place {
  std::size_t array = 0;  // number of the foreign array
  const ForeignArray* foreign = nullptr;
};

using Places = std::vector<Place>;  // empty if stored unchanged

void add_parts(runtime::SnapshotPart part,
               const Places& places,
               std::vector<runtime::SnapshotPart>& out) {
  struct Piece {
    Place place;
    Ranges native;
  };
  std::vector<Piece> pieces;
  for (const Place& place : places) {
    for (Ranges& native : split_for_foreign(*place.foreign, part.ranges()))
      pieces.push_back({place, std::move(native)});
  }
  if (pieces.size() == 1 && places[0].foreign->order.empty() && !part.is_read_later()) {
    const auto& [array, foreign] = places[0];
    const Ranges native = part.ranges();
    out.emplace_back(array, foreign_ranges(*foreign, native),
                     foreign_value(part.take(), *foreign, native));
    return;
  }
  auto shared = std::make_shared<SharedPart>(std::move(part), pieces.size());
  for (const Piece& piece : pieces) {
    const ForeignArray& foreign = *piece.place.foreign;
    out.emplace_back(piece.place.array, foreign_ranges(foreign, piece.native),
                     [shared, native = piece.native, foreign] {
                       return foreign_value(shared->take(native), foreign, native);
                     });
  }
}

// Native arrays that share a foreign one may be cut differently; its parts then divide all of them.
void add_plan(const std::string& path,
              const ArrayPlan& plan,
              const ForeignArray& foreign,
              Tree<ArrayPlan>& entry) {
  ArrayPlan stored{.type = {plan.type.dtype, foreign_dims(foreign, plan.type.dims)},
                   .part = foreign_part(foreign, plan.part)};
  if (entry.is_leaf()) {
    const ArrayPlan& other = entry.value();
    MW_CHECK((foreign.slice || foreign.span) && stored.type == other.type, "checkpoint: '", path,
             "' would have the same stored name as another array, ", stored.type, " and ",
             other.type);
    for (std::size_t d = 0; d < stored.part.size(); ++d)
      stored.part[d] = std::gcd(stored.part[d], other.part[d]);
  }
  entry = std::move(stored);
}

// Adds the foreign arrays that a native array is written to. Paths of copies follow the paths of
// all arrays.
Places add_array(const std::string& path,
                 const ArrayPlan& plan,
                 const ForeignLayout& layout,
                 std::size_t number,
                 PendingCheckpoint& out) {
  const auto found = layout.arrays.find(path);
  if (found == layout.arrays.end()) {
    Tree<ArrayPlan>& entry = out.plan.arrays[path];
    MW_CHECK(!entry.is_leaf(), "checkpoint: '", path,
             "' would have the same stored name as another array");
    entry = ArrayPlan{.type = plan.type, .part = plan.part, .is_own = true};
    return {};
  }
  const ForeignArray& foreign = found->second;
  Places places = {{number, &foreign}};
  out.paths[number] = foreign.path;
  for (const ForeignArray& copy : foreign.copies) {
    places.push_back({out.paths.size(), &copy});
    out.paths.push_back(copy.path);
  }
  for (const Place& place : places)
    add_plan(path, plan, *place.foreign, out.plan.arrays[place.foreign->path]);
  return places;
}

}  // namespace

Stored from_foreign(const Stored& stored, const ForeignLayout& layout) {
  Stored out = stored;
  out.arrays = {};
  std::set<std::string> used;
  for (const auto& [path, foreign] : layout.arrays) {
    const Tree<StoredArray>* found = stored.arrays.find(foreign.path);
    if (found == nullptr || !found->is_leaf()) continue;
    const StoredArray& array = found->value();
    // A system may use the native layout as well: AXLearn has keys of two kinds.
    const bool is_native =
        path == foreign.path && native_dims(foreign, array.type().dims) == array.type().dims;
    out.arrays[path] = is_native ? array : native_array(path, array, foreign);
    used.insert(foreign.path);
    for (const ForeignArray& copy : foreign.copies)
      used.insert(copy.path);
  }
  if (used.empty()) return stored;
  for_each(stored.arrays, [&](const std::string& path, const StoredArray& array) {
    if (!used.contains(path)) out.arrays[path] = array;
  });
  for (const auto& [path, value] : layout.implied) {
    if (out.arrays.find(path) == nullptr) out.arrays[path] = stored_value(value(stored.step));
  }
  return out;
}

PendingCheckpoint to_foreign(PendingCheckpoint step, const ForeignLayout& layout) {
  if (layout.arrays.empty()) return step;
  PendingCheckpoint out{.plan = {.step = step.plan.step,
                                 .meta = std::move(step.plan.meta),
                                 .iterators = std::move(step.plan.iterators)},
                        .paths = step.paths};
  std::vector<Places> places;
  for (const std::string& path : step.paths) {
    const ArrayPlan& plan = step.plan.arrays.at(path).value();
    places.push_back(add_array(path, plan, layout, places.size(), out));
  }
  for (runtime::SnapshotPart& part : step.parts) {
    const Places& there = places[part.array()];
    if (there.empty()) {
      out.parts.push_back(std::move(part));
    } else {
      add_parts(std::move(part), there, out.parts);
    }
  }
  return out;
}

}  // namespace meshwright::checkpoint
