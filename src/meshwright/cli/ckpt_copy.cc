// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/ckpt_copy.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/log.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/convert/pending_copy.h"
#include "meshwright/checkpoint/convert/restartable_copy.h"
#include "meshwright/checkpoint/convert/spill.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/cli/byte_size.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/cli/progress_line.h"
#include "meshwright/cli/version.h"
#include "meshwright/io/path.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using checkpoint::Container;
using checkpoint::PendingCheckpoint;
using checkpoint::Stored;

/// Where to write: the folder of a run for a format, otherwise a file or folder.
struct Destination {
  const Container* container = nullptr;
  checkpoint::Files files;
  std::string path;     // for Container::begin()
  std::string journal;  // see checkpoint::Restart
  std::string result;   // full name of what is written
};

fs::path path_of(const std::string& place) {
  const fs::path path = fs::absolute(place).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// Returns the files of the folder in which the result will be.
checkpoint::Files files_around(const CopyArgs& args, const std::string& place) {
  const fs::path path = path_of(place);
  const bool is_run = checkpoint::find_format(args.to) != nullptr;
  return io::open_file_system((is_run ? path : path.parent_path()).string());
}

Destination destination_of(std::string_view command,
                           const CopyArgs& args,
                           const std::string& place,
                           std::int64_t step) {
  Destination out{.container = checkpoint::find_container(args.to),
                  .files = files_around(args, place)};
  const bool is_run = checkpoint::find_format(args.to) != nullptr;
  if (!is_run) out.path = path_of(place).filename().string();
  const std::string name = out.container->result_of(out.path, step);
  out.result = out.files->full_name(name);
  out.journal = checkpoint::journal_of(name);
  if (out.files->find(name))
    fail(ErrorCode::already_exists, command, ": ", out.result,
         " already exists\nname another place, or remove it");
  return out;
}

/// A line on the terminal with the part that is done and the time that is left.
class ConvertProgress {
 public:
  explicit ConvertProgress(std::uint64_t num_bytes) : num_bytes_(num_bytes) {}

  /// Counts what an earlier attempt has written.
  void keep(std::uint64_t num_bytes) {
    const std::lock_guard lock(mutex_);
    num_kept_ += num_bytes;
    num_done_ += num_bytes;
  }
  std::uint64_t num_kept() const { return num_kept_; }

  void add(std::uint64_t num_bytes) {
    const std::lock_guard lock(mutex_);
    num_done_ += num_bytes;
    line_.show([&] {
      const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - begin_;
      const auto num_copied = static_cast<double>(num_done_ - num_kept_);
      const auto num_left = static_cast<double>(num_bytes_ - num_done_);
      const auto left = static_cast<std::int64_t>(so_far.count() * num_left / num_copied);
      return str("converting: ", human_bytes(static_cast<std::int64_t>(num_done_)), " of ",
                 human_bytes(static_cast<std::int64_t>(num_bytes_)), ", ", left, " s left");
    });
  }

 private:
  const std::uint64_t num_bytes_;
  std::uint64_t num_done_ = 0;
  std::uint64_t num_kept_ = 0;
  std::mutex mutex_;
  ProgressLine line_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::uint64_t total_bytes(const Stored& stored) {
  std::uint64_t out = 0;
  for_each(stored.arrays, [&](const checkpoint::StoredArray& array) {
    out += static_cast<std::uint64_t>(array.type().num_bytes());
  });
  return out;
}

checkpoint::WriteOptions write_options(const CopyArgs& args) {
  using io::zarr::Compressor;
  checkpoint::WriteOptions out;
  if (args.compress == "zstd") out.compressor = Compressor::zstd;
  if (args.compress == "gzip") out.compressor = Compressor::gzip;
  if (args.level) out.level = static_cast<int>(*args.level);
  if (args.max_shard_size)
    out.max_file_bytes = parse_byte_size("--max-shard-size", *args.max_shard_size);
  return out;
}

// Some threads wait for the disk while the others decode.
checkpoint::CopyOptions copy_options(const CopyArgs& args) {
  return {.budget_bytes = static_cast<std::uint64_t>(parse_byte_size("--budget", args.budget)),
          .threads = static_cast<int>(2 * std::max(2U, std::thread::hardware_concurrency()))};
}

void print_plan(const PendingCheckpoint& pending) {
  for_each(pending.plan.arrays, [](const std::string& path, const checkpoint::ArrayPlan& array) {
    std::cout << printable_name(path) << " " << to_string(array.type) << "\n";
  });
}

void refuse_unreadable(std::string_view command, const Stored& stored) {
  try {
    check_readable(stored);
  } catch (const Error& error) {
    const std::string path = printable_name(stored.unreadable.begin()->first);
    throw Error(error.code(),
                str(command, ": ", error.what(),
                    "\nto leave it out: meshwright ckpt convert SRC DST --drop '", path, "'"));
  }
}

// Tells which members that are not arrays the container cannot store.
void tell_of_lost(const Container& container, const checkpoint::Structure& structure) {
  if (container.keeps_structure()) return;
  std::vector<std::string> names;
  for (const auto& [path, node] : structure.empty)
    names.push_back(str(path, ", empty ", name_of(node)));
  for (const auto& [path, text] : structure.texts)
    names.push_back(str(path, ", a text"));
  if (names.empty()) return;
  log_warning(container.name(), " has no place for ", counted(std::ssize(names), "member"),
              " without an array:\n  ", first_of(names));
}

// Tells that a copy that failed can be continued, if it can.
void tell_of_unfinished(const Destination& to) {
  if (!io::is_file(*to.files, to.journal)) return;
  const std::string journal = to.files->full_name(to.journal);
  log_warning("the part that is written is kept in ",
              journal.substr(0, journal.size() - checkpoint::kJournal.size()),
              ": the same command continues from there; to give it up, remove it and ",
              io::name_of(to.journal));
}

}  // namespace

void CopyArgs::declare(ArgumentParser& parser, const std::string& to_help) {
  parser.option("--to", to, {.name = "CONTAINER", .choices = checkpoint::written_containers()},
                to_help);
  parser.option("--budget", budget, {"SIZE"}, "memory for elements on the way (1GiB)");
  parser.option("--compress", compress, {.name = "KIND", .choices = {"none", "zstd", "gzip"}},
                "compression of containers of chunks (none)");
  parser.option("--level", level, {"N"}, "level of the compression");
  parser.option("--max-shard-size", max_shard_size, {"SIZE"},
                "for safetensors: distribute the arrays over files of this size");
  parser.flag("--dry-run", is_dry_run, "only print what would be written");
}

Stored open_to_copy(CopyArgs& args,
                    const checkpoint::Location& location,
                    const checkpoint::CheckpointEntry& step,
                    const std::string& destination) {
  args.identity += checkpoint::identity_of(*location.files, step.folder);
  const checkpoint::Files folder = files_around(args, destination);
  checkpoint::Spilled out =
      spill_large_chunks(open_step(location, step), copy_options(args), folder);
  if (out.largest_file > 0) {
    log_warning("compressed chunks larger than the budget are decoded into temporary files in ",
                folder->full_name(""), ", the largest of ",
                human_bytes(static_cast<std::int64_t>(out.largest_file)));
  }
  return std::move(out.stored);
}

void write_copy(std::string_view command,
                const CopyArgs& args,
                const Stored& stored,
                const std::string& destination,
                const ChangePending& change) {
  refuse_unreadable(command, stored);
  const std::uint64_t num_bytes = total_bytes(stored);
  ConvertProgress progress(num_bytes);
  checkpoint::CopyOptions options = copy_options(args);
  options.on_read = [&](std::uint64_t bytes) { progress.add(bytes); };
  const std::uint64_t largest = largest_part(stored, options);
  if (largest > options.budget_bytes)
    log_warning("a stored chunk needs ", human_bytes(static_cast<std::int64_t>(largest)),
                ", more than the budget: such chunks are read as a whole");
  PendingCheckpoint pending = pending_copy(stored, options);
  if (change) pending = change(std::move(pending));
  const Destination to = destination_of(command, args, destination, stored.step);
  tell_of_lost(*to.container, pending.plan.structure);
  if (args.is_dry_run) return print_plan(pending);
  const auto num_arrays = std::ssize(pending.paths);
  fs::create_directories(to.files->full_name(""));
  const checkpoint::Restart restart{
      .journal = to.journal,
      .identity = str(full_version(), "\n", command, "\n", args.identity),
      .max_threads = options.threads,
      .on_kept = [&](std::uint64_t bytes) { progress.keep(bytes); }};
  try {
    write_restartable(*to.container, to.files, to.path, std::move(pending), write_options(args),
                      restart);
  } catch (const Error&) {
    tell_of_unfinished(to);
    throw;
  }
  if (progress.num_kept() > 0)
    std::cout << "an earlier attempt had written "
              << human_bytes(static_cast<std::int64_t>(progress.num_kept())) << " of it\n";
  std::cout << "wrote " << printable_name(to.result) << ": step " << stored.step << ", "
            << counted(num_arrays, "array") << ", "
            << human_bytes(static_cast<std::int64_t>(num_bytes)) << "\n";
}

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 10;
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    if (lines.size() == kMostShown) {
      lines.push_back(str("and ", names.size() - kMostShown, " more"));
      break;
    }
    lines.push_back(printable_name(name));
  }
  return join(lines, "\n  ");
}

const checkpoint::CheckpointEntry& entry_of(const checkpoint::Location& location,
                                            const std::optional<std::int64_t>& step) {
  if (!step) return location.step();
  for (const checkpoint::CheckpointEntry& entry : location.steps)
    if (entry.step == *step) return entry;
  fail(ErrorCode::not_found, location.files->full_name(location.run),
       ": has no checkpoint of step ", *step);
}

std::string container_for(const CopyArgs& args,
                          const std::string& destination,
                          const std::string& fallback) {
  if (!args.to.empty()) return args.to;
  for (const char* container : {"safetensors", "npz"})
    if (destination.ends_with(str(".", container))) return container;
  return fallback;
}

std::string container_like(const checkpoint::Location& location) {
  const std::vector<std::string> written = checkpoint::written_containers();
  const std::string name(location.container->name());
  return std::ranges::find(written, name) == written.end() ? "native" : name;
}

}  // namespace meshwright::cli
