// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_targets.h"

#include <array>
#include <memory>
#include <string>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/formats/axlearn_index.h"
#include "meshwright/io/codecs/bzip2.h"
#include "meshwright/io/codecs/codec.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/zarr/array.h"
#include "target.h"

namespace meshwright::fuzz {
namespace {

std::string hex(std::uint32_t number) {
  std::string out(8, '0');
  for (std::size_t i = 8; i-- > 0; number >>= 4)
    out[i] = "0123456789abcdef"[number & 15];
  return out;
}

}  // namespace

// Tries the text unchanged, and the text with a valid checksum. An accepted manifest is written
// again and must have the same values.
void read_manifest(std::string_view bytes) {
  std::string text = str(bytes, ",\"crc32c\":\"", hex(crc32c(bytes)), "\"}\n");
  std::string again = checkpoint::write_manifest(checkpoint::parse_manifest(text, "input"));
  require(checkpoint::write_manifest(checkpoint::parse_manifest(again, "written")) == again,
          "another manifest when read again");
  bool is_refused = false;
  try {
    checkpoint::parse_manifest(bytes, "input");
  } catch (const Error&) {
    is_refused = true;
  }
  require(is_refused, "a manifest without a checksum was taken");
}

void read_axlearn_index(std::string_view bytes) {
  checkpoint::parse_axlearn_index(bytes, "input");
}

// The first line is the metadata, the rest the chunk at the origin.
void read_zarr(std::string_view bytes) {
  std::size_t end = bytes.find('\n');
  std::string_view metadata = bytes.substr(0, end);
  bool is_v2 = metadata.find("\"zarr_format\":3") == metadata.npos;
  auto files = std::make_shared<io::MemoryFileSystem>();
  io::write_text(*files, is_v2 ? ".zarray" : "zarr.json", metadata);
  io::zarr::Array array = io::zarr::Array::open(files, "");
  std::size_t rank = array.type().dims.size();
  constexpr std::int64_t kMaxArrayBytes = 1 << 16;
  if (rank > 8 || array.type().num_bytes() > kMaxArrayBytes ||
      array.metadata().chunk_bytes() > static_cast<std::uint64_t>(kMaxArrayBytes))
    return;
  std::string key = array.metadata().keys.key(Dims(rank, 0));
  std::size_t slash = key.rfind('/');
  if (slash != key.npos) files->make_folder(key.substr(0, slash));
  if (end != bytes.npos) io::write_text(*files, key, bytes.substr(end + 1));
  array.read();
}

// The first byte chooses the codec, the second the expected number of bytes.
void read_codec(std::string_view bytes) {
  if (bytes.size() < 2) return;
  using io::DeflateFraming;
  static const std::array<io::CodecPtr, 7> codecs = {
      io::zstd_codec(),
      io::deflate_codec(DeflateFraming::gzip),
      io::deflate_codec(DeflateFraming::zlib),
      io::blosc_codec({}),
      io::snappy_codec(),
      io::crc32c_codec(),
      io::bzip2_codec(1),
  };
  const io::Codec& codec = *codecs[static_cast<unsigned char>(bytes[0]) % codecs.size()];
  std::uint64_t num_bytes = 4 * std::uint64_t{static_cast<unsigned char>(bytes[1])};
  io::Buffer out = codec.decode(io::as_bytes(bytes.substr(2)), num_bytes);
  require(out.size() == num_bytes, "another number of bytes than asked for");
}

}  // namespace meshwright::fuzz
