// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/checkpoint/chunks.h"
#include "meshwright/checkpoint/formats/axlearn.h"
#include "meshwright/checkpoint/formats/native.h"
#include "meshwright/checkpoint/formats/seqax.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;

const Format* find_format_of_step(const Files& files, const std::string& folder) {
  for (const Format* format : formats()) {
    if (format->is_step(files, folder)) return format;
  }
  return nullptr;
}

// Of a file of a step, the folder of the step.
fs::path folder_of(const fs::path& file) {
  for (fs::path folder = file.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (find_format_of_step(io::open_file_system(folder.string()), "") != nullptr) return folder;
  }
  fail(ErrorCode::not_found, file.string(), ": is a file, and of no checkpoint of a known format",
       "\nknown are: ", join(format_names(), ", "));
}

}  // namespace

// --- formats ----------------------------------------------------------------------------------

const std::vector<const Format*>& formats() {
  static const std::vector<const Format*> all = {&axlearn_format(), &seqax_format(),
                                                 &native_format()};
  return all;
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const Format* format : formats())
    out.emplace_back(format->name());
  return out;
}

const Format* find_format(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name() == name) return format;
  }
  return nullptr;
}

const Format& format_named(std::string_view name) {
  if (const Format* found = find_format(name)) return *found;
  fail(ErrorCode::invalid_argument, "checkpoint: there is no format '", name, "'",
       did_you_mean(name, format_names()), "\nthere are: ", join(format_names(), ", "));
}

// --- writing ----------------------------------------------------------------------------------

StepPlan plan_of(const Contents& contents) {
  auto plan = [](const std::string& path, const ArrayParts& array) {
    try {
      return ArrayPlan{array.type, part_dims(array)};
    } catch (const Error& error) {
      throw error.with_context(path);
    }
  };
  return {contents.step, map(contents.arrays, plan), contents.meta, contents.iterators};
}

// --- finding ----------------------------------------------------------------------------------

const StepEntry& Location::step() const {
  if (named) return *named;
  for (auto entry = steps.rbegin(); entry != steps.rend(); ++entry) {
    if (entry->is_committed) return *entry;
  }
  std::vector<std::int64_t> unfinished;
  for (const StepEntry& entry : steps)
    unfinished.push_back(entry.step);
  fail(ErrorCode::not_found, files->full_name(run), ": holds no checkpoint that is complete",
       unfinished.empty() ? "" : str("; unfinished: step ", join(unfinished, ", ")));
}

const Format* find_format_of_run(const Files& files, const std::string& run) {
  for (const Format* format : formats()) {
    for (const StepEntry& step : list_steps(*format, files, run)) {
      if (format->is_step(files, step.folder)) return format;
    }
  }
  return nullptr;
}

namespace {

std::optional<std::string> find_named_as_step(const io::FileSystem& files) {
  for (const io::FolderEntry& entry : files.list("")) {
    for (const Format* format : formats()) {
      if (entry.kind == io::FileKind::folder && format->find_step(entry.name)) return entry.name;
    }
  }
  return std::nullopt;
}

}  // namespace

Location locate(const std::string& path) {
  constexpr std::string_view kLocal = "file://";
  if (path.starts_with(kLocal)) return locate(path.substr(kLocal.size()));
  if (path.find("://") != std::string::npos) io::open_file_system(path);  // says what there is
  MW_CHECK(!path.empty(), "the name of the folder is empty");
  fs::path here = fs::absolute(path).lexically_normal();
  if (!here.has_filename()) here = here.parent_path();
  std::error_code error;
  if (fs::is_regular_file(here, error)) here = folder_of(here);
  auto files = io::open_file_system(here.string());
  if (!fs::is_directory(here, error)) {
    const bool is_there_or_not = !error || error == std::errc::no_such_file_or_directory;
    fail(ErrorCode::not_found, here.string(), ": ",
         is_there_or_not ? "no such folder" : error.message());
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
  for (const char* run : {"", "checkpoints"}) {
    if (const Format* format = find_format_of_run(files, run)) {
      return {files, format, run, list_steps(*format, files, run), {}};
    }
  }
  const std::optional<std::string> named = find_named_as_step(*files);
  fail(ErrorCode::not_found, here.string(), ": holds no checkpoint of a known format",
       named ? str("; '", *named, "' has the name of a step, but lacks its files") : "",
       "\nknown are: ", join(format_names(), ", "));
}

}  // namespace meshwright::checkpoint
