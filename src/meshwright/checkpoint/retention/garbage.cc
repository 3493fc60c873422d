// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/retention/garbage.h"

#include <algorithm>
#include <utility>

#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/steps.h"

namespace meshwright::checkpoint {
namespace {

// True if another format with the same folder names can read a checkpoint that `format` cannot.
bool is_good_in_another(const Format& format, const Files& files, const CheckpointEntry& step) {
  return std::ranges::any_of(formats(), [&](const Format* other) {
    if (other == &format || !step.is_folder || !other->is_here(files, step.folder)) return false;
    CheckpointEntry there = step;
    there.is_committed = other->is_committed(files, step.folder);
    return !find_flaw(*other, files, there);
  });
}

}  // namespace

Garbage find_garbage(const Format& format,
                     const Files& files,
                     const std::string& run,
                     const Retention& retention,
                     bool takes_damaged) {
  Garbage out;
  Collector::Found found = Collector(format, files, run, retention).find();
  for (CheckpointEntry& step : found.to_remove) {
    std::string folder = step.folder;
    out.items.push_back({std::move(folder), std::move(step)});
  }
  for (Flaw& flaw : found.flaws) {
    if (flaw.step.is_folder && !flaw.step.is_committed) continue;
    if (takes_damaged && flaw.is_damage && !is_pinned(*files, flaw.step.folder) &&
        !is_good_in_another(format, files, flaw.step)) {
      out.items.push_back({flaw.step.folder, flaw.step});
    } else {
      out.flaws.push_back(std::move(flaw));
    }
  }
  for (SetAside& entry : list_set_aside(format, files, run)) {
    if (entry.prefix != kDamaged) {
      out.leftovers.push_back(std::move(entry.path));
    } else if (takes_damaged) {
      out.items.push_back({std::move(entry.path), std::nullopt});
    }
  }
  return out;
}

std::vector<Garbage::Item> find_old_iterators(const Format& format,
                                              const Files& files,
                                              const std::string& run,
                                              std::int64_t keep) {
  std::vector<Garbage::Item> out;
  const std::vector<CheckpointEntry> steps = list_steps(format, files, run);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    std::vector<std::string> found;
    if (step->is_folder) found = format.iterator_files(*files, step->folder);
    if (found.empty() || keep-- > 0 || is_pinned(*files, step->folder)) continue;
    for (std::string& path : found)
      out.push_back({.path = std::move(path)});
  }
  return out;
}

void remove(const Format& format, const Files& files, const Garbage::Item& item) {
  if (item.step) return format.remove(files, item.path);
  remove_tree(*files, item.path);
}

}  // namespace meshwright::checkpoint
