// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/restore_builder.h"

#include <algorithm>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/tensor/float_cast.h"

namespace meshwright::train {
namespace {

using Wanted = Tree<StateArray>;
using There = Tree<ArrayType>;

const checkpoint::CheckpointEntry& chosen(const checkpoint::Location& location,
                                          const RestoreOptions& options) {
  if (!options.step) return location.step();
  std::vector<std::string> there;
  for (const checkpoint::CheckpointEntry& entry : location.steps) {
    const bool is_it = !location.named || location.named->step == entry.step;
    if (entry.is_committed && is_it && entry.step == *options.step) return entry;
    if (entry.is_committed && is_it) there.push_back(str(entry.step));
  }
  fail(ErrorCode::not_found, options.folder.string(), ": no checkpoint of step ", *options.step,
       "; available steps: ", join(there, ", "));
}

void match_array(const std::string& path,
                 const StateArray& wanted,
                 const ArrayType& there,
                 Matching& out) {
  const bool dims_suit = wanted.has_open_dims ? wanted.type.dims.size() == there.dims.size()
                                              : wanted.type.dims == there.dims;
  const bool is_cast = wanted.type.dtype != there.dtype;
  const bool can_cast = can_float_cast(wanted.type.dtype) && can_float_cast(there.dtype);
  if (!dims_suit || (is_cast && !can_cast)) {
    out.errors.push_back(str("'", path, "': ", there, " and ", wanted.type));
    return;
  }
  out.taken.push_back(path);
  if (is_cast) out.cast.push_back(str("'", path, "': ", there.dtype, " to ", wanted.type.dtype));
}

void match_below(const std::string& path, const Wanted& wanted, const There& there, Matching& out) {
  if (wanted.is_leaf() && there.is_leaf())
    return match_array(path, wanted.value(), there.value(), out);
  if (wanted.is_leaf() != there.is_leaf()) {
    out.errors.push_back(str("'", path, "' is ", there.is_leaf() ? "one array" : "several arrays",
                             " in the checkpoint and ", wanted.is_leaf() ? "one" : "several",
                             " here"));
    return;
  }
  for (const auto& [name, child] : wanted.children()) {
    const std::string below = join_tree_path(path, name);
    if (const There* other = there.find(name)) {
      match_below(below, child, *other, out);
    } else {
      for_each(
          child, [&](const std::string& leaf, const StateArray&) { out.lacking.push_back(leaf); },
          below);
    }
  }
  for (const auto& [name, child] : there.children()) {
    if (wanted.find(name) == nullptr) out.surplus.push_back(join_tree_path(path, name));
  }
}

std::string lines(std::string_view heading, const std::vector<std::string>& items) {
  return items.empty() ? "" : str("\n  ", heading, ": ", join(items, ", "));
}

void check(const Matching& found, const RestoreOptions& options, const std::string& checkpoint) {
  std::string text;
  for (const std::string& error : found.errors)
    text += str("\n  ", error);
  if (!options.may_lack) text += lines("not in the checkpoint", found.lacking);
  if (!options.may_have_more) text += lines("in the checkpoint only", found.surplus);
  if (!options.may_cast) text += lines("with another dtype", found.cast);
  if (text.empty()) return;
  fail(ErrorCode::invalid_argument, checkpoint,
       " does not match the requested state (checkpoint, then state):", text);
}

std::ptrdiff_t num_params(const checkpoint::Stored& stored,
                          const std::vector<std::string>& wanted) {
  return std::ranges::count_if(wanted, [&](const std::string& path) {
    return path.starts_with("model/") && stored.arrays.find(path) != nullptr;
  });
}

// In a container that no system owns, the names decide whose checkpoint it is.
checkpoint::Stored in_native_layout(const checkpoint::Stored& stored,
                                    const checkpoint::Container& container,
                                    const Wanted& wanted,
                                    const RestoreOptions& options) {
  if (!options.foreign_layout) return stored;
  std::vector<std::string> paths;
  for_each(wanted, [&](const std::string& path, const StateArray&) { paths.push_back(path); });
  const auto as_of = [&](std::string_view system) {
    return checkpoint::from_foreign(stored, options.foreign_layout(system, paths));
  };
  if (options.layout) return as_of(*options.layout);
  if (std::ranges::find(options.systems, container.name()) != options.systems.end())
    return as_of(container.name());
  checkpoint::Stored out = stored;
  for (const std::string& system : options.systems) {
    checkpoint::Stored named = as_of(system);
    if (num_params(named, paths) > num_params(out, paths)) out = std::move(named);
  }
  return out;
}

// Logs the result in one message.
void report(const Matching& found, const std::string& checkpoint) {
  std::string text = str("initial state: ", found.taken.size(), " arrays from ", checkpoint);
  text += lines("not in the checkpoint, so initialised", found.lacking);
  text += lines("not used", found.surplus);
  text += lines("rounded", found.cast);
  if (found.lacking.empty()) {
    log_info(text);
  } else {
    log_warning(text);
  }
}

}  // namespace

Matching match(const Tree<StateArray>& wanted, const Tree<ArrayType>& there) {
  Matching out;
  match_below("", wanted, there, out);
  std::ranges::sort(out.surplus);
  return out;
}

StateBuilder from_checkpoint(RestoreOptions options) {
  StateBuilder out;
  out.name = str(options.step ? str("step ", *options.step, " of ") : "the checkpoint in ",
                 options.folder.string());
  out.build = [options = std::move(options)](BuildState state) {
    const checkpoint::Location location = checkpoint::locate(options.folder.string());
    const checkpoint::CheckpointEntry& entry = chosen(location, options);
    const checkpoint::Stored source = open_at(location, entry);
    check_readable(source);
    const checkpoint::Stored stored =
        in_native_layout(source, *location.container, state.arrays, options);
    const std::string name = str("step ", entry.step, " of ", options.folder.string());
    const There there =
        map(stored.arrays, [](const checkpoint::StoredArray& array) { return array.type(); });
    const Matching found = match(state.arrays, there);
    check(found, options, name);
    for (const std::string& taken : found.taken) {
      StateArray& array = state.arrays.at(taken).value();
      set_built(array, float_cast(stored.arrays.at(taken).value().read(), array.type.dtype));
    }
    report(found, name);
    state.step = stored.step;
    return state;
  };
  return out;
}

}  // namespace meshwright::train
