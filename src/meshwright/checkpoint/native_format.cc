// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/native_format.h"

#include <algorithm>
#include <string>

#include "meshwright/base/crc32c.h"
#include "meshwright/checkpoint/durable_files.h"
#include "meshwright/checkpoint/manifest.h"

namespace meshwright::checkpoint {
namespace {

using std::filesystem::path;

constexpr const char* kManifest = "manifest";
constexpr std::size_t kMaxManifestBytes = std::size_t{1} << 30;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "model.decoder.w_q.0"; long paths are named by their number alone, which is unique as well.
std::string file_name(const std::string& array, std::size_t number, std::size_t part) {
  std::string name = array;
  std::ranges::replace(name, '/', '.');
  if (name.size() > 200 || name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                                  "UVWXYZ0123456789._-") != std::string::npos)
    name = "array";
  return str(number, '.', name, '.', part);
}

Tree<ArrayEntry> write_arrays(const path& folder, const Tree<ArrayParts>& arrays) {
  std::size_t number = 0;
  return map(arrays, [&](const std::string& name, const ArrayParts& array) {
    ArrayEntry entry{array.type, {}};
    for (std::size_t i = 0; i < array.parts.size(); ++i) {
      const Part& part = array.parts[i];
      std::string file = file_name(name, number, i);
      write_file(folder / file, part.value.bytes());
      entry.parts.push_back({file, part.ranges, crc32c(as_text(part.value.bytes()))});
    }
    ++number;
    return entry;
  });
}

Part read_part(const path& folder, const PartEntry& entry, DType dtype) {
  ArrayType type{dtype, {}};
  for (const mesh::Range& range : entry.ranges)
    type.dims.push_back(range.size());
  Part out{entry.ranges, HostTensor(type)};
  read_file(folder / entry.file, {out.value.mutable_data(), out.value.num_bytes()});
  if (crc32c(as_text(out.value.bytes())) != entry.crc) {
    fail(ErrorCode::data_loss, (folder / entry.file).string(),
         ": its checksum does not fit: it is damaged");
  }
  return out;
}

}  // namespace

void write_native(const path& folder, const Contents& contents) {
  Manifest manifest{contents.step, contents.meta, write_arrays(folder, contents.arrays)};
  std::string text = write_manifest(manifest);
  write_file(folder / kManifest, std::as_bytes(std::span(text)));
  sync_folder(folder);
}

Contents read_native(const path& folder) {
  path file = folder / kManifest;
  Manifest manifest = parse_manifest(read_text(file, kMaxManifestBytes), file.string());
  auto read_array = [&](const ArrayEntry& entry) {
    ArrayParts out{entry.type, {}};
    for (const PartEntry& part : entry.parts)
      out.parts.push_back(read_part(folder, part, entry.type.dtype));
    return out;
  };
  return {manifest.step, map(manifest.arrays, read_array), std::move(manifest.meta)};
}

}  // namespace meshwright::checkpoint
