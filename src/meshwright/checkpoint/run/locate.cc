// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/locate.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/containers/big_vision.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/formats/native.h"
#include "meshwright/checkpoint/run/readable.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;

const Format* find_format_of_step(const Files& files, const std::string& folder) {
  for (const Format* format : formats()) {
    if (format->is_here(files, folder)) return format;
  }
  return nullptr;
}

// Throws if `checkpoints`, the checkpoints folder of a run, is a link or a file.
void check_is_no_link_of_run(const fs::path& checkpoints) {
  if (checkpoints.filename() != kCheckpoints) return;
  std::error_code ignored;
  const fs::path run = checkpoints.parent_path();
  if (fs::is_regular_file(run / kRunConfig, ignored))
    check_checkpoints_folder(*io::open_file_system(run.string()));
}

}  // namespace

const CheckpointEntry& Location::step() const {
  if (named) return *named;
  std::string why;
  for (auto entry = steps.rbegin(); entry != steps.rend(); ++entry) {
    const std::optional<Flaw> flaw = find_flaw(*container, files, *entry);
    if (!flaw) {
      if (!why.empty()) log_warning("using the checkpoint of step ", entry->step, ":", why);
      return *entry;
    }
    why += str("\n  ", flaw->what);
  }
  fail(ErrorCode::not_found, files->full_name(run), ": has no readable checkpoint", why);
}

const Format* find_format_of_run(const Files& files, const std::string& run) {
  const Format* best = nullptr;
  std::int64_t newest_step = -1;
  for (const Format* format : formats()) {
    const auto newest = newest_readable(*format, files, steps_of_format(*format, files, run));
    if (!newest || newest->step <= newest_step) continue;
    best = format;
    newest_step = newest->step;
  }
  if (best != nullptr) return best;
  const auto& all = formats();
  const auto any = std::ranges::find_if(
      all, [&](const Format* format) { return !steps_of_format(*format, files, run).empty(); });
  return any != all.end() ? *any : nullptr;
}

namespace {

std::optional<std::string> find_named_as_step(const io::FileSystem& files) {
  for (const io::FolderEntry& entry : files.list("")) {
    for (const Format* format : formats()) {
      if (format->find_step(entry.name)) return entry.name;
    }
  }
  return std::nullopt;
}

// The names of an entry of the disk: the folder that contains it, and its name there.
struct DiskEntry {
  Files files;
  std::string name;
};

DiskEntry entry_at(const fs::path& path) {
  return {io::open_file_system(path.parent_path().string()), path.filename().string()};
}

Location location_of(const Format& format, const DiskEntry& at) {
  Location out{at.files, &format, &format, "", list_steps(format, at.files, ""), {}};
  std::optional<std::int64_t> step = format.find_step(at.name);
  if (!step) step = format.open(at.files, at.name).step;
  out.named = {*step, at.name, format.is_committed(at.files, at.name)};
  return out;
}

std::optional<Location> find_container(const DiskEntry& at) {
  for (const Container* container : containers()) {
    if (!container->is_here(at.files, at.name)) continue;
    Location out{.files = at.files, .container = container};
    const std::int64_t step = container->open(at.files, at.name).step;
    out.named = {.step = step, .folder = at.name, .is_committed = true};
    out.steps = {*out.named};
    return out;
  }
  return std::nullopt;
}

// Returns the checkpoint folder that contains a file.
fs::path folder_of(const fs::path& file) {
  for (fs::path folder = file.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (find_format_of_step(io::open_file_system(folder.string()), "") != nullptr) return folder;
    const DiskEntry at = entry_at(folder);
    const auto owns = [&](const Container* c) { return c->owns_all_below(at.files, at.name); };
    if (std::ranges::any_of(containers(), owns)) return folder;
  }
  fail(ErrorCode::not_found, file.string(),
       ": is a file that belongs to no checkpoint of a known format",
       "\nknown formats: ", join(container_names(), ", "));
}

// Finds what a name stands for that is neither a file nor a folder: the beginning of several.
std::optional<Location> find_by_prefix(const DiskEntry& at) {
  if (const auto last = find_big_vision_last(*at.files, at.name))
    return find_container({at.files, *last});
  return find_container(at);
}

// Finds a folder of several checkpoints of a container.
std::optional<Location> find_list(const Files& files) {
  for (const Container* container : containers()) {
    for (const char* run : {"", kCheckpoints}) {
      if (*run != 0 && !files->find(run)) continue;
      std::vector<CheckpointEntry> steps = container->list(files, run);
      if (!steps.empty())
        return Location{
            .files = files, .container = container, .run = run, .steps = std::move(steps)};
    }
  }
  return std::nullopt;
}

// Returns the checkpoint that a file is, or that it belongs to.
Location locate_file(const fs::path& file) {
  const DiskEntry at = entry_at(file);
  refuse_pickles(*at.files, at.name);
  if (std::optional<Location> out = find_container(at)) return *std::move(out);
  return locate(folder_of(file).string());
}

// Splits "runs/a:img/head". A part has letters, digits, underscores and slashes.
struct PartName {
  std::string path, below;
};
std::optional<PartName> split_part(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  if (colon == path.npos || colon == 0 || colon + 1 == path.size()) return std::nullopt;
  PartName out{path.substr(0, colon), path.substr(colon + 1)};
  const bool is_part = std::ranges::all_of(
      out.below, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '/'; });
  return is_part && io::is_path(out.below) ? std::optional(std::move(out)) : std::nullopt;
}

constexpr const char* kParams = "params";

// A part of a tree, moved to a path.
struct MovedPart {
  std::string from, to;

  std::optional<std::string> operator()(const std::string& path) const {
    if (path == from) return to;
    if (!path.starts_with(from + "/")) return std::nullopt;
    return join_tree_path(to, path.substr(from.size() + 1));
  }
};

// Leaves the arrays below a path, with names that start there.
void keep_part(Stored& stored, const std::string& below) {
  const std::string of_params = join_tree_path(kParams, below);
  Tree<StoredArray> arrays;
  MovedPart move{.from = below, .to = ""};
  if (const auto* found = stored.arrays.find(of_params)) {
    arrays[kParams] = *found;
    move = {.from = of_params, .to = kParams};
  } else if (const auto* top = stored.arrays.find(below)) {
    arrays = *top;
  }
  stored.arrays = std::move(arrays);
  stored.structure = renamed(stored.structure, move);
  UnreadableArrays unreadable;
  for (const auto& [path, why] : stored.unreadable)
    if (const auto name = move(path)) unreadable.emplace(*name, why);
  stored.unreadable = std::move(unreadable);
}

std::string names_in(const Tree<StoredArray>& arrays) {
  const auto* params = arrays.find(kParams);
  std::vector<std::string> out;
  for (const auto& [name, child] : (params != nullptr ? *params : arrays).children())
    out.push_back(name);
  return join(out, ", ");
}

[[noreturn]] void fail_unknown(const io::FileSystem& files, const fs::path& here) {
  for (const io::FolderEntry& entry : files.list(""))
    refuse_pickles(files, entry.name);
  const std::optional<std::string> named = find_named_as_step(files);
  fail(ErrorCode::not_found, here.string(), ": has no checkpoint of a known format",
       named ? str("; '", *named, "' is named like a checkpoint, but lacks its files") : "",
       "\nknown formats: ", join(container_names(), ", "));
}

}  // namespace

Location locate(const std::string& path) {
  constexpr std::string_view kLocal = "file://";
  if (path.starts_with(kLocal)) return locate(path.substr(kLocal.size()));
  if (path.find("://") != std::string::npos) io::open_file_system(path);  // throws for URLs
  MW_CHECK(!path.empty(), "the name of the folder is empty");
  fs::path here = fs::absolute(path).lexically_normal();
  if (!here.has_filename()) here = here.parent_path();
  for (const fs::path& checkpoints : {here, here.parent_path()})
    check_is_no_link_of_run(checkpoints);
  std::error_code error;
  if (fs::is_regular_file(here, error)) return locate_file(here);
  if (!fs::is_directory(here, error)) {
    const bool is_there_or_not = !error || error == std::errc::no_such_file_or_directory;
    if (is_there_or_not && fs::is_directory(here.parent_path(), error))
      if (std::optional<Location> out = find_by_prefix(entry_at(here))) return *std::move(out);
    if (const std::optional<PartName> part = split_part(path)) {
      Location out = locate(part->path);
      out.below = part->below;
      return out;
    }
    fail(ErrorCode::not_found, here.string(), ": ",
         is_there_or_not ? "no such folder" : error.message());
  }
  auto files = io::open_file_system(here.string());
  check_checkpoints_folder(*files);
  // Checked first: a checkpoint never contains checkpoints, so a stray file beside them does not
  // hide a run's folder.
  for (const char* run : {"", kCheckpoints}) {
    if (const Format* format = find_format_of_run(files, run))
      return {files, format, format, run, list_steps(*format, files, run), {}};
  }
  const DiskEntry at = entry_at(here);
  if (const Format* format = find_format_of_step(files, "")) return location_of(*format, at);
  if (std::optional<Location> out = find_list(files)) return *std::move(out);
  if (std::optional<Location> out = find_container(at)) return *std::move(out);
  fail_unknown(*files, here);
}

Stored open_at(const Location& location, const CheckpointEntry& step) {
  Stored out = location.container->open(location.files, step.folder);
  if (location.below.empty()) return out;
  const std::string names = names_in(out.arrays);
  keep_part(out, location.below);
  if (out.arrays.is_leaf() || out.arrays.num_leaves() == 0) {
    fail(ErrorCode::not_found, location.files->full_name(step.folder), ": has nothing below '",
         location.below, "', but: ", names);
  }
  return out;
}

}  // namespace meshwright::checkpoint
