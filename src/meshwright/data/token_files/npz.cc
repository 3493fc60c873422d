// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/token_files/npy.h"
#include "meshwright/data/token_files/token_output.h"
#include "meshwright/io/file_region.h"
#include "meshwright/io/numpy/zip.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

constexpr std::uint64_t kMaxInflated = std::uint64_t{1} << 30;
constexpr char kMember[] = "tokens.npy";
const std::size_t kMemberOffset = io::zip_header_bytes(kMember);

std::uint32_t crc_of(const io::ReadableFile& file, std::uint64_t begin, std::uint64_t num_bytes) {
  std::uint32_t out = 0;
  io::for_each_block(file, {begin, num_bytes},
                     [&](std::span<const std::byte> block) { out = io::zip_crc(out, block); });
  return out;
}

TokenArrayPtr open_stored(const io::ReadableFile& file,
                          const io::ZipMember& member,
                          const std::string& path,
                          bool stays_open) {
  io::Buffer header(std::min(member.num_bytes, io::kMaxNpyHeader));
  file.read(member.offset, header.span());
  const std::string name = str(path, ": member '", printable_name(member.name), "'");
  const NpyLayout layout = parse_npy(header.span(), member.num_bytes, name);
  return plain_tokens({.path = path,
                       .offset = member.offset + layout.offset,
                       .size = layout.size,
                       .dtype = layout.dtype,
                       .stays_open = stays_open});
}

// Reading uncompressed arrays in place ignores their checksums.
void verify_stored(const std::string& path, const io::ZipMember& member) {
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  if (crc_of(*file, member.offset, member.num_bytes) == member.crc) return;
  fail(ErrorCode::data_loss, path, ": member '", printable_name(member.name),
       "' is damaged: checksum mismatch");
}

TokenArrayPtr open_compressed(const io::ReadableFile& file,
                              const io::ZipMember& member,
                              const std::string& path) {
  const std::string name = str(path, ": member '", printable_name(member.name), "'");
  const io::Buffer whole = io::inflate_member(file, member, path, kMaxInflated);
  const NpyLayout layout = parse_npy(whole.span(), whole.size(), name);
  io::Buffer elements(whole.size() - layout.offset);
  std::ranges::copy(whole.span().subspan(layout.offset), elements.data());
  return tokens_in_memory(name, std::move(elements), layout.dtype);
}

// An archive of one uncompressed array, at a fixed place after the header of the archive.
class NpzWriter : public TokenWriter {
 public:
  NpzWriter(const std::string& path, const StoredAs& stored)
      : tokens_(path, stored, kMemberOffset + kNpyHeaderBytes) {}

  void add_document(std::span<const std::uint32_t> tokens) override {
    tokens_.add_document(tokens);
  }
  void finish() override {
    const std::string npy = npy_header(tokens_.num_tokens(), tokens_.stored().dtype);
    tokens_.file().overwrite(kMemberOffset, io::as_bytes(npy));
    io::ZipMember member{.name = kMember,
                         .offset = kMemberOffset,
                         .num_bytes = tokens_.file().num_bytes() - kMemberOffset};
    member.crc = checksum();
    tokens_.write_header(io::zip_local_header(member));
    tokens_.file().append(io::as_bytes(io::zip_directory({&member, 1})));
    tokens_.file().publish();
  }

 private:
  // The header of the array is known last, so its checksum can only be found by reading.
  std::uint32_t checksum() {
    const std::unique_ptr<io::ReadableFile> file = io::open_user_file(tokens_.file().partial());
    return crc_of(*file, kMemberOffset, file->num_bytes() - kMemberOffset);
  }

  TokenOutput tokens_;
};

}  // namespace

std::vector<TokenFile> open_npz(const std::string& path, bool stays_open) {
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  const DataFile described = describe_data_file(path);
  std::vector<TokenFile> out;
  for (const io::ZipMember& member : io::read_zip(*file, path)) {
    TokenArrayPtr tokens = member.is_compressed ? open_compressed(*file, member, path)
                                                : open_stored(*file, member, path, stays_open);
    out.push_back(
        {.tokens = std::move(tokens),
         .fingerprint = str(file->num_bytes(), " ", described.sample_digest, " ", member.name),
         .modified_nanoseconds = described.modified_nanoseconds});
    if (!member.is_compressed) out.back().verify = [path, member] { verify_stored(path, member); };
  }
  if (out.empty()) fail(ErrorCode::data_loss, path, ": the archive is empty");
  return out;
}

std::unique_ptr<TokenWriter> npz_writer(const std::string& path,
                                        const TokenWriterOptions& options) {
  return std::make_unique<NpzWriter>(path,
                                     stored_as(options.vocab_size, options.dtype, DType::u32));
}

}  // namespace meshwright::data
