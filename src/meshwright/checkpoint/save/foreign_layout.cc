// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/foreign_layout.h"

#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
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
  bool reads_parts() const override { return stored_.reads_parts(); }
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

bool is_unused(const ForeignArray& foreign, const Dims& dims) {
  return foreign.may_be_unused && dims == Dims{1};
}

// A system may use the native layout as well: AXLearn has keys of two kinds.
bool is_native(const std::string& path, const ForeignArray& foreign, const Dims& dims) {
  return path == foreign.path && native_dims(foreign, dims) == dims;
}

template <typename T>
std::vector<T> without_rows(const std::vector<T>& native) {
  return {native.begin() + 1, native.end()};
}

// Reads a native array from one foreign array per row.
class RowsSource : public ArraySource {
 public:
  explicit RowsSource(std::vector<StoredArray> rows) : rows_(std::move(rows)) {}

  Dims chunk() const override {
    Dims out = rows_.front().chunk();
    out.insert(out.begin(), 1);
    return out;
  }
  bool reads_parts() const override { return rows_.front().reads_parts(); }
  void check(const Ranges& part) const override {
    for (std::int64_t row = part[0].start; row < part[0].stop; ++row)
      at(row).check(without_rows(part));
  }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const Ranges inside = without_rows(target.ranges);
    const std::int64_t row_bytes = num_elements(sizes_of(inside)) *
                                   static_cast<std::int64_t>(byte_size(rows_.front().type().dtype));
    for (std::int64_t row = part[0].start; row < part[0].stop; ++row)
      at(row).read_into(without_rows(part),
                        {inside, target.data + (row - target.ranges[0].start) * row_bytes});
  }

 private:
  const StoredArray& at(std::int64_t row) const { return rows_[static_cast<std::size_t>(row)]; }

  std::vector<StoredArray> rows_;
};

StoredArray native_array(const std::string& path,
                         const StoredArray& stored,
                         const ForeignArray& foreign) {
  const Dims dims = native_dims(foreign, stored.type().dims);
  MW_CHECK(foreign_dims(foreign, dims) == stored.type().dims, "checkpoint: '", foreign.path,
           "' is ", stored.type(), ", which cannot contain '", path, "'");
  return {{stored.type().dtype, dims}, std::make_shared<ForeignSource>(stored, foreign)};
}

// Returns the foreign arrays of all rows, or none if the first one is missing.
std::vector<StoredArray> stored_rows(const std::string& path,
                                     const std::vector<ForeignArray>& rows,
                                     const Tree<StoredArray>& arrays) {
  std::vector<StoredArray> out;
  for (const ForeignArray& row : rows) {
    const Tree<StoredArray>* found = arrays.find(row.path);
    const bool is_there = found != nullptr && found->is_leaf();
    if (!is_there && out.empty()) return {};
    MW_CHECK(is_there, "checkpoint: '", path, "' has ", counted(std::ssize(rows), "row"), ", but '",
             row.path, "' is missing");
    MW_CHECK(out.empty() || found->value().type() == out.front().type(), "checkpoint: '", row.path,
             "' is ", found->value().type(), ", and '", rows.front().path, "' is ",
             out.front().type());
    out.push_back(found->value());
  }
  return out;
}

// Returns the layout of the array that holds all rows, if it is there instead of the rows.
ForeignArray layout_there(const ForeignArray& expected, const Tree<StoredArray>& arrays) {
  if (expected.path_of_all_rows.empty()) return expected;
  const bool has_rows = arrays.find(rows_of(expected).front().path) != nullptr;
  const bool has_all = arrays.find(expected.path_of_all_rows) != nullptr;
  return has_all && !has_rows ? all_rows_of(expected) : expected;
}

StoredArray native_rows(const std::string& path,
                        const std::vector<StoredArray>& stored,
                        const std::vector<ForeignArray>& rows) {
  std::vector<StoredArray> native;
  for (std::size_t i = 0; i < rows.size(); ++i)
    native.push_back(native_array(path, stored[i], rows[i]));
  ArrayType type = native.front().type();
  type.dims.insert(type.dims.begin(), std::ssize(rows));
  return {std::move(type), std::make_shared<RowsSource>(std::move(native))};
}

// Returns the native array that these foreign ones hold, one per row or only one.
StoredArray native_form(const std::string& path,
                        const ForeignArray& foreign,
                        const std::vector<StoredArray>& found,
                        const std::vector<ForeignArray>& rows) {
  const StoredArray& first = found.front();
  const Dims& dims = first.type().dims;
  if (is_unused(foreign, dims)) return first;
  if (foreign.num_rows > 0) return native_rows(path, found, rows);
  return is_native(path, foreign, dims) ? first : native_array(path, first, foreign);
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

// A foreign array that a native array, or a row of it, is written to.
struct Place {
  std::size_t array = 0;  // number of the foreign array
  ForeignArray foreign;
  std::optional<std::int64_t> row = {};

  /// Returns the ranges or sizes within the row, if there are rows.
  template <typename T>
  std::vector<T> inside(const std::vector<T>& native) const {
    return row ? without_rows(native) : native;
  }

  /// Returns the native ranges of what is written here of a part, each contiguous there.
  std::vector<Ranges> pieces_of(const Ranges& part) const {
    if (!row) return split_for_foreign(foreign, part);
    if (*row < part[0].start || *row >= part[0].stop) return {};
    std::vector<Ranges> out = split_for_foreign(foreign, inside(part));
    for (Ranges& piece : out)
      piece.insert(piece.begin(), {*row, *row + 1});
    return out;
  }

  Ranges stored_ranges(const Ranges& native) const {
    return foreign_ranges(foreign, inside(native));
  }

  HostTensor stored_value(HostTensor value, const Ranges& native) const {
    const Ranges ranges = inside(native);
    if (row) value = with_dims(std::move(value), sizes_of(ranges));
    return foreign_value(std::move(value), foreign, ranges);
  }
};

using Places = std::vector<Place>;  // empty if stored unchanged

void add_parts(runtime::SnapshotPart part,
               const Places& places,
               std::vector<runtime::SnapshotPart>& out) {
  struct Piece {
    const Place* place;
    Ranges native;
  };
  std::vector<Piece> pieces;
  for (const Place& place : places)
    for (Ranges& native : place.pieces_of(part.ranges()))
      pieces.push_back({&place, std::move(native)});
  if (pieces.size() == 1 && places[0].foreign.order.empty() && !part.is_read_later()) {
    const auto& [place, native] = pieces[0];
    out.emplace_back(place->array, place->stored_ranges(native),
                     place->stored_value(part.take(), native));
    return;
  }
  auto shared = std::make_shared<SharedPart>(std::move(part), pieces.size());
  for (const Piece& piece : pieces) {
    out.emplace_back(piece.place->array, piece.place->stored_ranges(piece.native),
                     [shared, native = piece.native, place = *piece.place] {
                       return place.stored_value(shared->take(native), native);
                     });
  }
}

// Native arrays that share a foreign one may be cut differently; its parts then divide all of them.
void add_plan(const std::string& path,
              const ArrayPlan& plan,
              const Place& place,
              Tree<ArrayPlan>& entry) {
  const ForeignArray& foreign = place.foreign;
  ArrayPlan stored{.type = {plan.type.dtype, foreign_dims(foreign, place.inside(plan.type.dims))},
                   .part = foreign_part(foreign, place.inside(plan.part))};
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

// Returns the foreign arrays that a native array is written to, not numbered yet.
Places places_of(const ForeignArray& foreign, const std::string& path, const Dims& dims) {
  Places out;
  if (is_unused(foreign, dims)) {
    for (const ForeignArray& row : rows_of(foreign))
      out.push_back({.foreign = {.path = row.path}});
  } else if (foreign.num_rows > 0) {
    MW_CHECK(!dims.empty() && dims[0] == foreign.num_rows, "checkpoint: '", path,
             "' has dimensions ", dims, ", expected ", counted(foreign.num_rows, "row"));
    for (ForeignArray& row : rows_of(foreign))
      out.push_back({.foreign = std::move(row), .row = std::ssize(out)});
  } else {
    out.push_back({.foreign = foreign});
    for (const ForeignArray& copy : foreign.copies)
      out.push_back({.foreign = copy});
  }
  return out;
}

// Adds the foreign arrays that a native array is written to. Paths of copies and rows follow the
// paths of all arrays.
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
  Places places = places_of(found->second, path, plan.type.dims);
  places.front().array = number;
  out.paths[number] = places.front().foreign.path;
  for (std::size_t i = 1; i < places.size(); ++i) {
    places[i].array = out.paths.size();
    out.paths.push_back(places[i].foreign.path);
  }
  for (const Place& place : places)
    add_plan(path, plan, place, out.plan.arrays[place.foreign.path]);
  return places;
}

void add_more(const Tree<HostTensor>& more, PendingCheckpoint& out) {
  for_each(more, [&](const std::string& path, const HostTensor& value) {
    out.plan.arrays[path] = ArrayPlan{.type = value.type(), .part = value.dims()};
    out.parts.emplace_back(out.paths.size(), whole_ranges(value.dims()), value);
    out.paths.push_back(path);
  });
}

}  // namespace

Stored from_foreign(const Stored& stored, const ForeignLayout& layout) {
  Stored out = stored;
  out.arrays = {};
  std::set<std::string> used;
  for (const auto& [path, expected] : layout.arrays) {
    const ForeignArray foreign = layout_there(expected, stored.arrays);
    const std::vector<ForeignArray> rows = rows_of(foreign);
    const std::vector<StoredArray> found = stored_rows(path, rows, stored.arrays);
    if (found.empty()) continue;
    out.arrays[path] = native_form(path, foreign, found, rows);
    for (const ForeignArray& row : rows)
      used.insert(row.path);
    for (const ForeignArray& copy : foreign.copies)
      used.insert(copy.path);
  }
  if (used.empty()) return stored;
  out.structure = {};  // of the names before
  for_each(layout.more, [&](const std::string& path, const HostTensor&) { used.insert(path); });
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
  add_more(layout.more, out);
  return out;
}

}  // namespace meshwright::checkpoint
