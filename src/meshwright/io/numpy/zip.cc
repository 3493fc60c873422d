// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/numpy/zip.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/error.h"
#include "meshwright/base/number_at.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/str.h"

namespace meshwright::io {
namespace {

// Fields of 32 bits that are full are continued by fields of 64 bits elsewhere ("zip64").
constexpr std::uint32_t kFull32 = 0xffffffff;
constexpr std::uint16_t kFull16 = 0xffff;
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kVersion64 = 45;           // the version of the format that has zip64
constexpr std::uint16_t kFirstDay = (1 << 5) | 1;  // 1980-01-01

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr std::uint64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                        kLocatorBytes = 20;

class ZipReader {
 public:
  ZipReader(const ReadableFile& file, const std::string& path) : file_(file), path_(path) {}

  std::vector<ZipMember> members() const {
    const Directory directory = find_directory();
    const Buffer bytes = read(directory.offset, directory.num_bytes);
    std::vector<ZipMember> out;
    std::span<const std::byte> rest = bytes.span();
    while (!rest.empty())
      out.push_back(next_member(rest));
    return out;
  }

 private:
  struct Directory {
    std::uint64_t offset = 0, num_bytes = 0;
  };

  [[noreturn]] void fail_zip(std::string_view reason) const {
    fail(ErrorCode::data_loss, path_, ": is a damaged zip archive: ", reason);
  }

  Buffer read(std::uint64_t offset, std::uint64_t num_bytes) const {
    if (offset > file_.num_bytes() || num_bytes > file_.num_bytes() - offset)
      fail_zip(str(num_bytes, " bytes at ", offset, " exceed its ", file_.num_bytes()));
    Buffer out(num_bytes);
    file_.read(offset, out.span());
    return out;
  }

  Directory find_directory() const {
    const std::uint64_t num_searched = std::min(file_.num_bytes(), kEndBytes + kFull16);
    const std::uint64_t first = file_.num_bytes() - num_searched;
    const Buffer tail = read(first, num_searched);
    for (std::uint64_t i = num_searched; i >= kEndBytes; --i) {
      const std::uint64_t at = i - kEndBytes;
      if (number_at<std::uint32_t>(tail.span(), at) != kEnd) continue;
      const Directory found{.offset = number_at<std::uint32_t>(tail.span(), at + 16),
                            .num_bytes = number_at<std::uint32_t>(tail.span(), at + 12)};
      const bool is_64 = found.offset == kFull32 || found.num_bytes == kFull32 ||
                         number_at<std::uint16_t>(tail.span(), at + 10) == kFull16;
      return is_64 ? find_directory_64(first + at) : found;
    }
    fail_zip("it has no directory");
  }

  Directory find_directory_64(std::uint64_t end) const {
    if (end < kLocatorBytes) fail_zip("it has no directory");
    const Buffer locator = read(end - kLocatorBytes, kLocatorBytes);
    if (number_at<std::uint32_t>(locator.span(), 0) != kEnd64Locator)
      fail_zip("it has no directory");
    const Buffer record = read(number_at<std::uint64_t>(locator.span(), 8), kEnd64Bytes);
    if (number_at<std::uint32_t>(record.span(), 0) != kEnd64) fail_zip("it has no directory");
    return {.offset = number_at<std::uint64_t>(record.span(), 48),
            .num_bytes = number_at<std::uint64_t>(record.span(), 40)};
  }

  // Removes the entry of a member from the front of the directory.
  ZipMember next_member(std::span<const std::byte>& rest) const {
    if (rest.size() < kCentralBytes || number_at<std::uint32_t>(rest, 0) != kCentral)
      fail_zip("its directory is damaged");
    const std::size_t name_bytes = number_at<std::uint16_t>(rest, 28);
    const std::size_t extra_bytes = number_at<std::uint16_t>(rest, 30);
    const std::size_t comment_bytes = number_at<std::uint16_t>(rest, 32);
    if (rest.size() - kCentralBytes < name_bytes + extra_bytes + comment_bytes)
      fail_zip("its directory is cut off");
    ZipMember out{.name = std::string(as_text(rest.subspan(kCentralBytes, name_bytes))),
                  .offset = number_at<std::uint32_t>(rest, 42),
                  .num_stored = number_at<std::uint32_t>(rest, 20),
                  .num_bytes = number_at<std::uint32_t>(rest, 24),
                  .crc = number_at<std::uint32_t>(rest, 16)};
    const auto method = number_at<std::uint16_t>(rest, 10);
    const bool is_encrypted = (number_at<std::uint16_t>(rest, 8) & 1) != 0;
    if ((method != kStored && method != kDeflated) || is_encrypted) {
      fail(ErrorCode::unimplemented, path_, ": member '", printable_name(out.name), "' is ",
           is_encrypted ? "encrypted" : str("compressed by method ", method));
    }
    out.is_compressed = method == kDeflated;
    read_extra(rest.subspan(kCentralBytes + name_bytes, extra_bytes), out);
    out.offset = data_offset(out);
    if (!out.is_compressed && out.num_stored != out.num_bytes) fail_zip("sizes of a member differ");
    rest = rest.subspan(kCentralBytes + name_bytes + extra_bytes + comment_bytes);
    return out;
  }

  // Replaces full fields by those of 64 bits, which follow in this order.
  void read_extra(std::span<const std::byte> extra, ZipMember& member) const {
    while (extra.size() >= 4) {
      const auto id = number_at<std::uint16_t>(extra, 0);
      const std::size_t size = number_at<std::uint16_t>(extra, 2);
      if (extra.size() - 4 < size) fail_zip("an extra field is cut off");
      std::span<const std::byte> field = extra.subspan(4, size);
      extra = extra.subspan(4 + size);
      if (id != kZip64Extra) continue;
      for (std::uint64_t* value : {&member.num_bytes, &member.num_stored, &member.offset}) {
        if (*value != kFull32) continue;
        if (field.size() < 8) fail_zip("a field of 64 bits is missing");
        *value = number_at<std::uint64_t>(field, 0);
        field = field.subspan(8);
      }
    }
  }

  // Returns where the bytes of a member begin: after its own header, whose length may differ from
  // that in the directory.
  std::uint64_t data_offset(const ZipMember& member) const {
    const Buffer header = read(member.offset, kLocalBytes);
    if (number_at<std::uint32_t>(header.span(), 0) != kLocal) fail_zip("a member has no header");
    const std::uint64_t begin = member.offset + kLocalBytes +
                                number_at<std::uint16_t>(header.span(), 26) +
                                number_at<std::uint16_t>(header.span(), 28);
    if (begin > file_.num_bytes() || member.num_stored > file_.num_bytes() - begin)
      fail_zip(str("member '", printable_name(member.name), "' is cut off"));
    return begin;
  }

  const ReadableFile& file_;
  const std::string& path_;
};

std::string zip64_extra(std::initializer_list<std::uint64_t> values) {
  std::string out;
  append_number(out, kZip64Extra);
  append_number(out, static_cast<std::uint16_t>(8 * values.size()));
  for (const std::uint64_t value : values)
    append_number(out, value);
  return out;
}

// The fields that a member's own header and the directory have in common.
std::string common_fields(const ZipMember& member, std::size_t extra_bytes) {
  std::string out;
  append_number(out, kVersion64);
  append_number(out, std::uint16_t{0});  // flags
  append_number(out, kStored);
  append_number(out, std::uint16_t{0});  // midnight
  append_number(out, kFirstDay);
  append_number(out, member.crc);
  append_number(out, kFull32);  // sizes
  append_number(out, kFull32);
  append_number(out, static_cast<std::uint16_t>(member.name.size()));
  append_number(out, static_cast<std::uint16_t>(extra_bytes));
  return out;
}

void append_entry(std::string& out, const ZipMember& member) {
  const std::uint64_t begin = member.offset - zip_header_bytes(member.name);
  append_number(out, kCentral);
  append_number(out, kVersion64);
  const std::string extra = zip64_extra({member.num_bytes, member.num_bytes, begin});
  out += common_fields(member, extra.size());
  out.append(10, '\0');  // comment, disk, attributes
  append_number(out, kFull32);
  out += member.name + extra;
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

}  // namespace

std::vector<ZipMember> read_zip(const ReadableFile& file, const std::string& path) {
  return ZipReader(file, path).members();
}

Buffer inflate_member(const ReadableFile& file,
                      const ZipMember& member,
                      const std::string& path,
                      std::uint64_t max_bytes) {
  const std::string name = str(path, ": member '", printable_name(member.name), "'");
  if (member.num_bytes > max_bytes) {
    fail(ErrorCode::unimplemented, name, " is compressed and has ", member.num_bytes,
         " bytes, more than ", max_bytes,
         "\nsave it with numpy.save or numpy.savez, whose arrays are read in place");
  }
  constexpr std::uint64_t kMostPerByte = 1032;  // of deflate
  if (member.num_bytes / kMostPerByte > member.num_stored)
    fail(ErrorCode::data_loss, name, " is damaged: it has too few bytes for its size");
  Buffer stored(member.num_stored), out(member.num_bytes);
  file.read(member.offset, stored.span());
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  const libdeflate_result result = libdeflate_deflate_decompress(
      decompressor.get(), stored.data(), stored.size(), out.data(), out.size(), nullptr);
  if (result != LIBDEFLATE_SUCCESS || zip_crc(0, out.span()) != member.crc)
    fail(ErrorCode::data_loss, name, " is damaged: it cannot be decompressed");
  return out;
}

Buffer inflate_begin(const ReadableFile& file,
                     const ZipMember& member,
                     const std::string& path,
                     std::uint64_t max_bytes) {
  // A stream of deflate that begins with `max_bytes` bytes does not need more.
  const std::uint64_t num_read = std::min(member.num_stored, 2 * max_bytes);
  Buffer stored(num_read), out(std::min(member.num_bytes, max_bytes));
  file.read(member.offset, stored.span());
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->next_in = reinterpret_cast<std::uint8_t*>(stored.data());
  state->avail_in = static_cast<std::uint32_t>(stored.size());
  state->next_out = reinterpret_cast<std::uint8_t*>(out.data());
  state->avail_out = static_cast<std::uint32_t>(out.size());
  if (isal_inflate(state.get()) < 0 || state->avail_out > 0)
    fail(ErrorCode::data_loss, path, " is damaged: it cannot be decompressed");
  return out;
}

std::string zip_local_header(const ZipMember& member) {
  std::string out;
  append_number(out, kLocal);
  const std::string extra = zip64_extra({member.num_bytes, member.num_bytes});
  return out + common_fields(member, extra.size()) + member.name + extra;
}

std::string zip_directory(std::span<const ZipMember> members) {
  std::string entries;
  for (const ZipMember& member : members)
    append_entry(entries, member);
  const std::uint64_t offset =
      members.empty() ? 0 : members.back().offset + members.back().num_bytes;
  std::string out = entries;
  append_number(out, kEnd64);
  append_number(out, std::uint64_t{kEnd64Bytes - 12});
  append_number(out, kVersion64);
  append_number(out, kVersion64);
  out.append(8, '\0');  // disks
  append_number(out, std::uint64_t{members.size()});
  append_number(out, std::uint64_t{members.size()});
  append_number(out, std::uint64_t{entries.size()});
  append_number(out, offset);
  append_number(out, kEnd64Locator);
  append_number(out, std::uint32_t{0});  // disk
  append_number(out, offset + entries.size());
  append_number(out, std::uint32_t{1});
  append_number(out, kEnd);
  out.append(4, '\0');  // disks
  append_number(out, kFull16);
  append_number(out, kFull16);
  append_number(out, kFull32);
  append_number(out, kFull32);
  append_number(out, std::uint16_t{0});
  return out;
}

std::uint32_t zip_crc(std::uint32_t before, std::span<const std::byte> bytes) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace meshwright::io
