// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/locate.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/orbax.h"
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
    if (format->is_step(files, folder)) return format;
  }
  return nullptr;
}

// Returns the checkpoint folder that contains a file.
fs::path folder_of(const fs::path& file) {
  for (fs::path folder = file.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (find_format_of_step(io::open_file_system(folder.string()), "") != nullptr) return folder;
  }
  fail(ErrorCode::not_found, file.string(),
       ": is a file that belongs to no checkpoint of a known format",
       "\nknown formats: ", join(format_names(), ", "));
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
    const std::optional<Flaw> flaw = find_flaw(*format, files, *entry);
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
  if (fs::is_regular_file(here, error)) here = folder_of(here);
  auto files = io::open_file_system(here.string());
  if (!fs::is_directory(here, error)) {
    const bool is_there_or_not = !error || error == std::errc::no_such_file_or_directory;
    fail(ErrorCode::not_found, here.string(), ": ",
         is_there_or_not ? "no such folder" : error.message());
  }
  check_checkpoints_folder(*files);
  // Checked first: a checkpoint never contains checkpoints, so a stray file beside them does not
  // hide a run's folder.
  for (const char* run : {"", kCheckpoints}) {
    if (const Format* format = find_format_of_run(files, run)) {
      return {files, format, run, list_steps(*format, files, run), {}};
    }
  }
  if (const Format* format = find_format_of_step(files, "")) {
    Location out{io::open_file_system(here.parent_path().string()), format, "", {}, {}};
    std::string name = here.filename().string();
    out.steps = list_steps(*format, out.files, out.run);
    std::optional<std::int64_t> step = format->find_step(name);
    if (!step) step = format->open(out.files, name).step;
    out.named = {*step, name, format->is_committed(out.files, name)};
    return out;
  }
  const std::optional<std::string> named = find_named_as_step(*files);
  if (const std::optional<std::string> orbax = find_orbax(*files)) {
    const std::string name = files->full_name(*orbax);
    const bool may_be_ours = native_format().find_step(io::name_of(name)).has_value();
    fail(ErrorCode::unimplemented, name, ": is an Orbax checkpoint, which is not supported yet",
         may_be_ours ? str(", or a Meshwright checkpoint that lost ", kManifestFile) : "",
         "\nsupported formats: ", join(format_names(), ", "));
  }
  fail(ErrorCode::not_found, here.string(), ": has no checkpoint of a known format",
       named ? str("; '", *named, "' is named like a checkpoint, but lacks its files") : "",
       "\nknown formats: ", join(format_names(), ", "));
}

}  // namespace meshwright::checkpoint
