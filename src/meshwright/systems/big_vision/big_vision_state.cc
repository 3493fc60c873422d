// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/big_vision/big_vision_state.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/optim/transforms/factored_rms.h"
#include "meshwright/train/foreign/state_folders.h"

namespace meshwright::systems {
namespace {

using models::VitConfig;

// The scaling of gradients is the second element of the chain, behind a mask.
constexpr std::string_view kMoments = "opt/1/0/";     // of Adam, Lion and momentum
constexpr std::string_view kFactored = "opt/1/0/0/";  // the first element of Adafactor's own chain
constexpr std::string_view kMomentum = "opt/1/0/2/";  // and its last

train::StateFolders folders() {
  const auto in = [](std::string_view state, int field) { return str(state, field); };
  return {.params = "params",
          .slots = {{"trace", in(kMoments, 0)},
                    {"mu", in(kMoments, 1)},
                    {"nu", in(kMoments, 2)},
                    {"v_row", in(kFactored, 1)},
                    {"v_col", in(kFactored, 2)},
                    {"v", in(kFactored, 3)},
                    {"ema", in(kMomentum, 1)}}};
}

bool is_in(const std::string& path, int field) {
  return path.starts_with(str(kFactored, field, "/"));
}

// The sizes of an array with heads: queries have a dimension of size 1 after the heads.
Dims sizes_of_heads(const VitConfig& c, const ForeignArray& array) {
  const std::int64_t dim = c.embed / c.heads;
  Dims out{c.heads, 1, dim};
  if (array.span->dim == 1) out.insert(out.begin(), c.embed);
  if (array.path.ends_with("/out/kernel")) out.push_back(c.embed);
  return out;
}

// Removes a dimension from the layout of an array that joins the heads with a dimension of size 1.
// If the heads are removed, a neighbour is joined with it instead.
void remove_dim(const Dims& sizes, std::size_t removed, ForeignArray::Span& span) {
  const std::size_t heads = span.dim;
  if (removed < heads) {
    --span.dim;
  } else if (removed == heads && heads > 0) {
    span.dim = heads - 1;
    span.size = span.count = sizes[heads - 1];
  } else if (removed == heads) {
    span.inner = {sizes[2]};
    span.size = span.count = sizes[2];
  }
}

void factor_heads(const VitConfig& c, bool is_row, ForeignArray& array) {
  const Dims sizes = sizes_of_heads(c, array);
  const auto factored = optim::two_largest_dims(sizes, 1);
  const Dims& removed = is_row ? factored->d0 : factored->d1;
  remove_dim(sizes, static_cast<std::size_t>(removed.front()), *array.span);
}

// The updates so far, which every element with a schedule counts.
ForeignArray counts(const std::vector<std::size_t>& schedules,
                    const std::vector<std::string>& paths) {
  ForeignArray out{.path = str("opt/", schedules.front(), "/0/0")};
  const auto add = [&](const std::string& path) { out.copies.push_back({.path = path}); };
  const auto has_slot = [&](const char* slot) {
    return std::ranges::any_of(paths, [name = str("/", slot, "/")](const std::string& path) {
      return path.starts_with("learner/optimizer/") && path.find(name) != path.npos;
    });
  };
  for (std::size_t i = 1; i < schedules.size(); ++i)
    add(str("opt/", schedules[i], "/0/0"));
  if (has_slot("mu")) add(str(kMoments, 0));
  if (has_slot("v_row")) add(str(kFactored, 0));
  if (has_slot("ema")) add(str(kMomentum, 0));
  return out;
}

}  // namespace

ForeignArrays big_vision_state(const VitConfig& config, const train::StateToName& state) {
  const std::vector<optim::LearnerGroup>& groups = state.learner.groups;
  const bool has_chain = groups.size() == 1 && !groups[0].schedule_places.empty();
  if (!has_chain) return train::arrays_in({.params = "params"}, state.params, state.paths);
  ForeignArrays out = train::arrays_in(folders(), state.params, state.paths);
  for (auto& [path, array] : out) {
    const bool is_row = is_in(array.path, 1), is_column = is_in(array.path, 2);
    array.may_be_unused = is_row || is_column || is_in(array.path, 3);
    if (array.span && (is_row || is_column)) factor_heads(config, is_row, array);
  }
  out["learner/count"] = counts(groups[0].schedule_places, state.paths);
  return out;
}

}  // namespace meshwright::systems
