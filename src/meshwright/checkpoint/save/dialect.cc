// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/dialect.h"

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

// --- reading ----------------------------------------------------------------------------------

class FormedSource : public ArraySource {
 public:
  FormedSource(StoredArray theirs, ArrayForm form)
      : theirs_(std::move(theirs)), form_(std::move(form)) {}

  Dims chunk() const override { return our_part(form_, theirs_.chunk()); }

  void check(const Ranges& part) const override {
    for (const Ranges& piece : split_for_theirs(form_, part))
      theirs_.check(their_ranges(form_, piece));
  }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const bool is_in_place =
        form_.order.empty() && split_for_theirs(form_, target.ranges).size() == 1;
    for (const Ranges& piece : split_for_theirs(form_, part)) {
      if (is_in_place) {
        theirs_.read_into(their_ranges(form_, piece),
                          {their_ranges(form_, target.ranges), target.data});
      } else {
        read_into(piece, target);
      }
    }
  }

 private:
  void read_into(const Ranges& piece, const io::zarr::Target& target) const {
    const HostTensor value = theirs_.read(their_ranges(form_, piece));
    copy_to_ours(form_, piece, value.data(), target.ranges, target.data,
                 byte_size(theirs_.type().dtype));
  }

  StoredArray theirs_;
  ArrayForm form_;
};

StoredArray formed(const std::string& ours, const StoredArray& theirs, const ArrayForm& form) {
  const Dims dims = our_dims(form, theirs.type().dims);
  MW_CHECK(their_dims(form, dims) == theirs.type().dims, "checkpoint: '", form.path, "' is ",
           theirs.type(), ", of which '", ours, "' cannot be a part");
  return {{theirs.type().dtype, dims}, std::make_shared<FormedSource>(theirs, form)};
}

// --- writing ----------------------------------------------------------------------------------

HostTensor with_dims(HostTensor value, Dims dims) {
  ArrayType type{value.dtype(), std::move(dims)};
  auto whole = std::make_shared<HostTensor>(std::move(value));
  std::byte* first = whole->mutable_data();
  return {std::move(type), std::shared_ptr<std::byte>(std::move(whole), first)};
}

HostTensor formed_value(HostTensor value, const ArrayForm& form, const Ranges& ours) {
  const Dims dims = sizes_of(their_ranges(form, ours));
  if (form.order.empty()) return with_dims(std::move(value), dims);
  HostTensor out = uninitialized_tensor({value.dtype(), dims});
  copy_to_theirs(form, value.dims(), value.data(), out.mutable_data(), byte_size(value.dtype()));
  return out;
}

// A part of ours that is written to several places. The last of them lets go of it. They follow one
// another in the order of writing, so that nobody waits for room that one of the others has.
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

/// Where an array of ours is written.
struct Place {
  std::size_t array = 0;  // the number of theirs
  const ArrayForm* form = nullptr;
};

using Places = std::vector<Place>;  // none: it stays as it is

void add_parts(runtime::SnapshotPart part,
               const Places& places,
               std::vector<runtime::SnapshotPart>& out) {
  struct Piece {
    Place place;
    Ranges ours;
  };
  std::vector<Piece> pieces;
  for (const Place& place : places) {
    for (Ranges& ours : split_for_theirs(*place.form, part.ranges()))
      pieces.push_back({place, std::move(ours)});
  }
  if (pieces.size() == 1 && places[0].form->order.empty() && !part.is_read_later()) {
    const auto& [array, form] = places[0];
    const Ranges ours = part.ranges();
    out.emplace_back(array, their_ranges(*form, ours), formed_value(part.take(), *form, ours));
    return;
  }
  auto shared = std::make_shared<SharedPart>(std::move(part), pieces.size());
  for (const Piece& piece : pieces) {
    const ArrayForm& form = *piece.place.form;
    out.emplace_back(
        piece.place.array, their_ranges(form, piece.ours),
        [shared, ours = piece.ours, form] { return formed_value(shared->take(ours), form, ours); });
  }
}

// Parts of one array may be cut unlike each other: then pieces suit all of them.
void add_plan(const std::string& path,
              const ArrayPlan& plan,
              const ArrayForm& form,
              Tree<ArrayPlan>& entry) {
  ArrayPlan theirs{.type = {plan.type.dtype, their_dims(form, plan.type.dims)},
                   .part = their_part(form, plan.part)};
  if (entry.is_leaf()) {
    const ArrayPlan& other = entry.value();
    MW_CHECK((form.slice || form.span) && theirs.type == other.type, "checkpoint: '", path,
             "' would be stored as another array is, ", theirs.type, " and ", other.type);
    for (std::size_t d = 0; d < theirs.part.size(); ++d)
      theirs.part[d] = std::gcd(theirs.part[d], other.part[d]);
  }
  entry = std::move(theirs);
}

// Where an array goes. The paths of its copies come after those of all arrays.
Places add_array(const std::string& path,
                 const ArrayPlan& plan,
                 const Dialect& dialect,
                 std::size_t number,
                 PendingStep& out) {
  const auto found = dialect.arrays.find(path);
  if (found == dialect.arrays.end()) {
    Tree<ArrayPlan>& entry = out.plan.arrays[path];
    MW_CHECK(!entry.is_leaf(), "checkpoint: '", path, "' would be stored as another array is");
    entry = ArrayPlan{.type = plan.type, .part = plan.part, .is_own = true};
    return {};
  }
  const ArrayForm& form = found->second;
  Places places = {{number, &form}};
  out.paths[number] = form.path;
  for (const ArrayForm& copy : form.copies) {
    places.push_back({out.paths.size(), &copy});
    out.paths.push_back(copy.path);
  }
  for (const Place& place : places)
    add_plan(path, plan, *place.form, out.plan.arrays[place.form->path]);
  return places;
}

}  // namespace

Stored to_ours(const Stored& stored, const Dialect& dialect) {
  Stored out = stored;
  out.arrays = {};
  std::set<std::string> theirs;
  for (const auto& [path, form] : dialect.arrays) {
    const Tree<StoredArray>* found = stored.arrays.find(form.path);
    if (found == nullptr || !found->is_leaf()) continue;
    const StoredArray& array = found->value();
    // A system may have some arrays in our form as well, as AXLearn has keys of two kinds.
    const bool is_ours =
        path == form.path && our_dims(form, array.type().dims) == array.type().dims;
    out.arrays[path] = is_ours ? array : formed(path, array, form);
    theirs.insert(form.path);
    for (const ArrayForm& copy : form.copies)
      theirs.insert(copy.path);
  }
  if (theirs.empty()) return stored;
  for_each(stored.arrays, [&](const std::string& path, const StoredArray& array) {
    if (!theirs.contains(path)) out.arrays[path] = array;
  });
  for (const auto& [path, value] : dialect.implied) {
    if (out.arrays.find(path) == nullptr) out.arrays[path] = stored_value(value(stored.step));
  }
  return out;
}

PendingStep to_theirs(PendingStep step, const Dialect& dialect) {
  if (dialect.arrays.empty()) return step;
  PendingStep out{.plan = {.step = step.plan.step,
                           .meta = std::move(step.plan.meta),
                           .iterators = std::move(step.plan.iterators)},
                  .paths = step.paths};
  std::vector<Places> places;
  for (const std::string& path : step.paths) {
    const ArrayPlan& plan = step.plan.arrays.at(path).value();
    places.push_back(add_array(path, plan, dialect, places.size(), out));
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
