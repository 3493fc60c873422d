// SPDX-License-Identifier: Apache-2.0
// Zip archives, as far as NumPy writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/buffer.h"
#include "meshwright/io/file_system.h"

namespace meshwright::io {

inline constexpr std::string_view kZipMagic("PK\3\4", 4);

struct ZipMember {
  std::string name;
  std::uint64_t offset = 0;  // of its bytes in the archive
  std::uint64_t num_stored = 0;
  std::uint64_t num_bytes = 0;
  std::uint32_t crc = 0;
  bool is_compressed = false;
};

/// Returns the members in the order of the directory. Throws data_loss, naming the archive, if it
/// is damaged, and unimplemented for compression other than deflate.
std::vector<ZipMember> read_zip(const ReadableFile& file, const std::string& path);

/// Decodes a compressed member. Throws data_loss if it is damaged, and unimplemented if it has more
/// than `max_bytes`.
Buffer inflate_member(const ReadableFile& file,
                      const ZipMember& member,
                      const std::string& path,
                      std::uint64_t max_bytes);

/// Decodes only the first bytes of a compressed member, at most `max_bytes`, without checking them.
Buffer inflate_begin(const ReadableFile& file,
                     const ZipMember& member,
                     const std::string& path,
                     std::uint64_t max_bytes);

/// Returns what precedes the bytes of an uncompressed member, of zip_header_bytes() bytes.
std::string zip_local_header(const ZipMember& member);
inline std::size_t zip_header_bytes(std::string_view name) {
  return 50 + name.size();
}
/// Returns what follows the last member of an archive: the directory. Each member must be preceded
/// by its header.
std::string zip_directory(std::span<const ZipMember> members);

/// Returns the checksum of zip archives, continuing from that of the bytes before; 0 of none.
std::uint32_t zip_crc(std::uint32_t before, std::span<const std::byte> bytes);

}  // namespace meshwright::io
