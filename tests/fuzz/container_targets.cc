// SPDX-License-Identifier: Apache-2.0
#include "container_targets.h"

#include <memory>
#include <string>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/msgpack/msgpack.h"
#include "meshwright/io/numpy/npy.h"
#include "meshwright/io/numpy/zip.h"
#include "meshwright/io/ocdbt/envelope.h"
#include "meshwright/io/ocdbt/manifest.h"
#include "meshwright/io/ocdbt/node.h"
#include "meshwright/io/safetensors/header.h"
#include "meshwright/io/tensor_bundle/bundle.h"
#include "target.h"

namespace meshwright::fuzz {
namespace {

constexpr std::uint64_t kMaxContainerBytes = 1 << 16;

std::unique_ptr<io::ReadableFile> as_file(std::string_view bytes) {
  return io::file_in_memory(io::copied(io::as_bytes(bytes)), "input");
}

// A block of a table: its content, no compression, and its checksum.
std::string with_trailer(std::string_view content) {
  std::string out(content);
  out += '\0';
  const std::uint32_t crc = crc32c(out);
  append_number(out, ((crc >> 15) | (crc << 17)) + 0xa282ead8U);
  return out;
}

// The entries of a block, without shared bytes of keys, and its list of one restart.
std::string block_of(std::string_view key, std::string_view value) {
  std::string out;
  append_varint(out, 0);
  append_varint(out, key.size());
  append_varint(out, value.size());
  out += key;
  out += value;
  append_number(out, std::uint32_t{0});
  append_number(out, std::uint32_t{1});
  return out;
}

}  // namespace

void read_ocdbt_manifest(std::string_view bytes) {
  const std::string file = io::ocdbt::close_envelope(io::ocdbt::Block::manifest, bytes);
  io::ocdbt::parse_manifest(file, "input");
}

// The first byte is the height that is expected.
void read_ocdbt_node(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string file = io::ocdbt::close_envelope(io::ocdbt::Block::node, bytes.substr(1));
  const io::ocdbt::NodePlace place{.file = {"base/", "file"},
                                   .height = static_cast<unsigned char>(bytes[0])};
  const io::ocdbt::Node node =
      io::ocdbt::parse_node(file, place, "prefix", kMaxContainerBytes, "input");
  bool is_outside = false;
  for (const auto& [key, value] : node.values)
    is_outside = is_outside || std::holds_alternative<io::ocdbt::OutsideValue>(value);
  if (node.values.empty() || is_outside) return;
  const std::string written = io::ocdbt::leaf_bytes(node.values);
  require(io::ocdbt::parse_node(written, {}, "", kMaxContainerBytes * 64, "written").values ==
              node.values,
          "another leaf when read again");
}

void read_msgpack(std::string_view bytes) {
  io::parse_msgpack(*as_file(bytes), "input");
}

void read_npz(std::string_view bytes) {
  const auto file = as_file(bytes);
  for (const io::ZipMember& member : io::read_zip(*file, "input")) {
    const io::Buffer begin =
        member.is_compressed ? io::inflate_begin(*file, member, "input", io::kMaxNpyHeader)
                             : io::copied(io::as_bytes(bytes.substr(
                                   member.offset, std::min(member.num_bytes, io::kMaxNpyHeader))));
    io::parse_npy_header(begin.span(), member.num_bytes, "input");
    if (member.is_compressed) io::inflate_member(*file, member, "input", kMaxContainerBytes);
  }
}

void read_safetensors(std::string_view bytes) {
  const io::Safetensors header = io::read_safetensors(*as_file(bytes), "input");
  for (const auto& [name, array] : header.arrays)
    require(array.place.offset + array.place.num_bytes <= bytes.size(), "an array beyond the file");
}

// The input is the block of entries of an index.
void read_tensor_bundle(std::string_view bytes) {
  std::string file = with_trailer(bytes);
  const std::uint64_t index_at = file.size();
  std::string handle;
  append_varint(handle, 0);
  append_varint(handle, bytes.size());
  const std::string index = block_of("\xff", handle);
  file += with_trailer(index);
  std::string footer;
  for (int i = 0; i < 2; ++i) {  // the first is that of the properties, which are not read
    append_varint(footer, index_at);
    append_varint(footer, index.size());
  }
  footer.resize(40, '\0');
  file += footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  io::MemoryFileSystem files;
  io::write_text(files, "x.index", file);
  io::read_bundle(files, "x");
}

}  // namespace meshwright::fuzz
