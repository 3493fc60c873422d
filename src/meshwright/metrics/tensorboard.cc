// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/tensorboard.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <unistd.h>

#include "meshwright/io/path.h"

namespace meshwright::metrics {
namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

// Returns the largest time in the names of the folder's event files, or 0.
std::int64_t newest_file_seconds(const io::FileSystem& files, const std::string& folder) {
  std::int64_t newest = 0;
  for (const io::FolderEntry& entry : files.list(folder)) {
    const std::string& name = entry.name;
    if (!name.starts_with(kPrefix)) continue;
    std::int64_t seconds = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), seconds);
    newest = std::max(newest, seconds);
  }
  return newest;
}

std::string padded(std::int64_t seconds) {
  std::string digits = str(seconds);
  return std::string(digits.size() < 10 ? 10 - digits.size() : 0, '0') + digits;
}

}  // namespace

TensorBoardSink::TensorBoardSink(Files files, std::string folder, TensorBoardOptions options)
    : files_(std::move(files)), folder_(std::move(folder)), options_(options) {
  MW_CHECK(options.write_every_n_steps > 0, "metrics: write_every_n_steps is ",
           options.write_every_n_steps, ", expected at least 1");
  begin_file(options.wall_seconds);
  file_->append(framed(session_start_event(options.wall_seconds, options.first_step)));
}

// Readers order files by name, so names must ascend even if two files are created within a second
// or the clock is set back.
void TensorBoardSink::begin_file(double wall_seconds) {
  files_->make_folder(folder_);
  const std::int64_t seconds =
      std::max(static_cast<std::int64_t>(wall_seconds), newest_file_seconds(*files_, folder_) + 1);
  const std::string name = str(kPrefix, padded(seconds), ".", host_name(), ".", ::getpid());
  auto file = std::make_unique<AppendFile>(files_, io::join_path(folder_, name));
  file->append(framed(version_event(wall_seconds)));
  file_ = std::move(file);
}

void TensorBoardSink::write(const Record& record) {
  if (record.step % options_.write_every_n_steps != 0) return;
  if (file_->num_bytes() >= options_.max_file_bytes) begin_file(record.wall_seconds);
  file_->append(framed(record_event(record, options_.limits)));
}

}  // namespace meshwright::metrics
