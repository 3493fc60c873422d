// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/state_dialect.h"

#include <array>

#include "meshwright/base/check.h"
#include "meshwright/base/threefry.h"

namespace meshwright::train {
namespace {

constexpr std::string_view kModel = "model/";
constexpr std::string_view kLearner = "learner/";

/// Where a system keeps parameters, what its optimizer keeps of each, and what else it has.
struct StateNames {
  std::string_view format;
  std::string_view params;
  struct Slot {
    std::string_view ours, theirs;
  };
  std::array<Slot, 2> slots;
  ForeignArrays others = {};
};

// AXLearn's keys are made of two of ours. Its optimizer is clip_by_global_norm and
// adamw_decoupled_optimizer in a chain, of which three parts count the updates.
ForeignArrays axlearn_others() {
  auto half_key = [](std::int64_t start) {
    return ForeignArray{.path = "prng_key", .span = {{.start = start, .size = 2, .count = 4}}};
  };
  ForeignArray key = half_key(0);
  key.copies = {half_key(2)};
  return {{"prng_key", key},
          {"learner/count",
           {.path = "learner/optimizer/1/0/count",
            .copies = {{.path = "learner/optimizer/1/1/count"},
                       {.path = "learner/optimizer/1/3/count"}}}}};
}

const std::array<StateNames, 2>& all_names() {
  static const std::array<StateNames, 2> names = {
      StateNames{.format = "seqax",
                 .params = "weights",
                 .slots = {{{"mu", "adam_mu"}, {"nu", "adam_nu"}}}},
      StateNames{
          .format = "axlearn",
          .params = "model",
          .slots = {{{"mu", "learner/optimizer/1/0/mu"}, {"nu", "learner/optimizer/1/0/nu"}}},
          .others = axlearn_others()}};
  return names;
}

const StateNames* find_names(std::string_view format) {
  for (const StateNames& names : all_names()) {
    if (names.format == format) return &names;
  }
  return nullptr;
}

bool is_below(const std::string& path, std::string_view top, const std::string& param) {
  return path.starts_with(top) && path.ends_with(param);
}

void add_forms(const std::string& path,
               const std::string& param,
               const ForeignArray& form,
               const StateNames& names,
               ForeignArrays& out) {
  auto add = [&](std::string_view top) {
    ForeignArray below = form;
    below.path = str(top, "/", form.path);
    out.emplace(path, below);
  };
  if (path == str(kModel, param)) add(names.params);
  for (const StateNames::Slot& slot : names.slots) {
    if (is_below(path, kLearner, str("/", slot.ours, "/", param))) add(slot.theirs);
  }
}

}  // namespace

checkpoint::ForeignLayout state_dialect(const Task& task,
                                        std::string_view format,
                                        const std::vector<std::string>& paths,
                                        std::int64_t seed) {
  const StateNames* names = find_names(format);
  const ForeignArrays params = task.forms_in(format);
  if (names == nullptr || params.empty()) return {};
  checkpoint::ForeignLayout out;
  for (const std::string& path : paths) {
    for (const auto& [param, form] : params)
      add_forms(path, param, form, *names, out.arrays);
    if (const auto other = names->others.find(path); other != names->others.end())
      out.arrays.insert(*other);
    if (path == "learner/count") {
      out.implied[path] = [](std::int64_t step) {
        return HostTensor::scalar(static_cast<std::int32_t>(step));
      };
    } else if (path == "num_skipped") {
      out.implied[path] = [](std::int64_t) { return HostTensor::scalar<std::int32_t>(0); };
    } else if (path == "prng_key") {
      const threefry::Words key = threefry::key(seed);
      out.implied[path] = [key](std::int64_t) {
        return HostTensor::from<std::uint32_t>({key[0], key[1]}, {2});
      };
    }
  }
  return out;
}

std::function<checkpoint::ForeignLayout(std::string_view format)> dialect_of(
    const Task& task, const ParamSpecs& state, std::int64_t seed) {
  std::vector<std::string> paths;
  for_each(state, [&](const std::string& path, const ParamSpec&) { paths.push_back(path); });
  return [&task, paths, seed](std::string_view format) {
    return state_dialect(task, format, paths, seed);
  };
}

std::string dialect_warning(const Task& task, std::string_view format) {
  if (find_names(format) == nullptr || !task.forms_in(format).empty()) return "";
  return str("checkpoint.format = ", format, ": ", format,
             " has no model like this one, so checkpoints have names of ours, and it cannot go on "
             "from them");
}

}  // namespace meshwright::train
