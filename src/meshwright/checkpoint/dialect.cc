// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/dialect.h"

#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/uninitialized.h"

namespace meshwright::checkpoint {
namespace {

// --- reading ----------------------------------------------------------------------------------

class FormedSource : public ArraySource {
 public:
  FormedSource(StoredArray theirs, ArrayForm form)
      : theirs_(std::move(theirs)), form_(std::move(form)) {}

  Dims chunk() const override { return our_dims(form_, theirs_.chunk()); }

  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const Ranges there = their_ranges(form_, part);
    if (form_.order.empty())
      return theirs_.read_into(there, {their_ranges(form_, target.ranges), target.data});
    const HostTensor value = theirs_.read(there);
    copy_to_ours(form_, part, value.data(), target.ranges, target.data,
                 byte_size(theirs_.type().dtype));
  }

 private:
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

HostTensor formed_value(HostTensor value, const ArrayForm& form) {
  const Dims dims = sizes_of(their_ranges(form, whole_ranges(value.dims())));
  if (form.order.empty()) return with_dims(std::move(value), dims);
  HostTensor out = uninitialized_tensor({value.dtype(), dims});
  copy_to_theirs(form, value.dims(), value.data(), out.mutable_data(), byte_size(value.dtype()));
  return out;
}

runtime::SnapshotPart formed_part(runtime::SnapshotPart part, const ArrayForm& form) {
  const std::size_t array = part.array();
  Ranges ranges = their_ranges(form, part.ranges());
  if (form.order.empty() && !part.is_read_later())
    return {array, std::move(ranges), formed_value(part.take(), form)};
  auto shared = std::make_shared<runtime::SnapshotPart>(std::move(part));
  return {array, std::move(ranges), [shared, form] { return formed_value(shared->take(), form); }};
}

ArrayPlan formed_plan(const ArrayPlan& plan, const ArrayForm& form) {
  return {.type = {plan.type.dtype, their_dims(form, plan.type.dims)},
          .part = sizes_of(their_ranges(form, whole_ranges(plan.part)))};
}

// Slices of one array may be cut unlike each other: then pieces suit all of them.
void add_plan(const std::string& path, ArrayPlan plan, bool is_slice, Tree<ArrayPlan>& entry) {
  if (entry.is_leaf()) {
    const ArrayPlan& other = entry.value();
    MW_CHECK(is_slice && plan.type == other.type, "checkpoint: '", path,
             "' would be stored as another array is, ", plan.type, " and ", other.type);
    for (std::size_t d = 0; d < plan.part.size(); ++d)
      plan.part[d] = std::gcd(plan.part[d], other.part[d]);
  }
  entry = std::move(plan);
}

}  // namespace

Stored to_ours(const Stored& stored, const Dialect& dialect) {
  Stored out = stored;
  out.arrays = {};
  std::set<std::string> theirs;
  for (const auto& [path, form] : dialect.arrays) {
    const Tree<StoredArray>* found = stored.arrays.find(form.path);
    if (found == nullptr || !found->is_leaf()) continue;
    out.arrays[path] = formed(path, found->value(), form);
    theirs.insert(form.path);
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
                           .iterators = std::move(step.plan.iterators)}};
  std::vector<const ArrayForm*> forms;
  for (const std::string& path : step.paths) {
    const auto found = dialect.arrays.find(path);
    const ArrayForm* form = found == dialect.arrays.end() ? nullptr : &found->second;
    forms.push_back(form);
    out.paths.push_back(form != nullptr ? form->path : path);
    const ArrayPlan& plan = step.plan.arrays.at(path).value();
    add_plan(path, form != nullptr ? formed_plan(plan, *form) : plan,
             form != nullptr && form->slice, out.plan.arrays[out.paths.back()]);
  }
  for (runtime::SnapshotPart& part : step.parts) {
    const ArrayForm* form = forms[part.array()];
    out.parts.push_back(form != nullptr ? formed_part(std::move(part), *form) : std::move(part));
  }
  return out;
}

}  // namespace meshwright::checkpoint
