// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: zip archives, as far as NumPy writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/buffer.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

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
std::vector<ZipMember> read_zip(const io::ReadableFile& file, const std::string& path);

/// Decodes a compressed member. Throws data_loss if it is damaged, and unimplemented if it has more
/// than `max_bytes`.
io::Buffer inflate_member(const io::ReadableFile& file,
                          const ZipMember& member,
                          const std::string& path,
                          std::uint64_t max_bytes);

/// Parts of an archive with one uncompressed member.
std::string zip_local_header(const ZipMember& member);
inline constexpr std::size_t kZipLocalHeaderBytes = 50;  // plus the name
/// The directory of an archive whose member begins with its local header at byte 0.
std::string zip_directory(const ZipMember& member);

/// Returns the checksum of zip archives, continuing from that of the bytes before; 0 of none.
std::uint32_t zip_crc(std::uint32_t before, std::span<const std::byte> bytes);

}  // namespace meshwright::data
