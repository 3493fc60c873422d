// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/in_place.h"

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "meshwright/data/documents/byte_files.h"
#include "meshwright/data/records/byte_stream.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

// The most files that are read in place; each stays open.
constexpr std::int64_t kMaxOpenFiles = 128;

}  // namespace

DocumentsPtr open_in_place(const TextConfig& config, const RecordFiles& part) {
  const bool has_filter = config.filter.min_bytes > 0 || config.filter.max_bytes < INT64_MAX;
  if (std::ssize(part.files) > kMaxOpenFiles) return nullptr;
  if (!std::holds_alternative<TextFormat>(part.settings.format)) return nullptr;
  if (config.tokenizer != kBytes || config.split != TextSplit::files || has_filter) return nullptr;
  std::vector<ByteFile> out;
  for (const DataFile& file : part.files) {
    std::unique_ptr<io::ReadableFile> opened = io::open_user_file(file.path);
    if (compression_of(*opened, file.path) != Compression::none) return nullptr;
    out.push_back({file.path, std::move(opened), file.sample_digest});
  }
  return byte_files(std::move(out));
}

}  // namespace meshwright::data
