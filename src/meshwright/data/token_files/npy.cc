// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/npy.h"

#include <algorithm>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/token_files/token_output.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

class NpyWriter : public TokenWriter {
 public:
  NpyWriter(const std::string& path, const StoredAs& stored)
      : tokens_(path, stored, kNpyHeaderBytes) {}
  void add_document(std::span<const std::uint32_t> tokens) override {
    tokens_.add_document(tokens);
  }
  void finish() override {
    tokens_.write_header(npy_header(tokens_.num_tokens(), tokens_.stored().dtype));
    tokens_.file().publish();
  }

 private:
  TokenOutput tokens_;
};

}  // namespace

NpyLayout parse_npy(std::span<const std::byte> bytes,
                    std::uint64_t num_bytes,
                    const std::string& name) {
  const io::NpyHeader header = io::parse_npy_header(bytes, num_bytes, name);
  const ArrayType& type = header.type;
  if (header.is_big_endian || !is_token_dtype(type.dtype))
    fail(ErrorCode::unimplemented, name, ": has dtype '", printable_name(header.dtype),
         "', expected little-endian integers");
  if (type.dims.size() != 1) {
    fail(ErrorCode::unimplemented, name, ": has shape (", join(type.dims, ", "),
         "), expected one dimension");
  }
  return {.offset = header.num_bytes, .size = type.dims[0], .dtype = type.dtype};
}

std::string npy_header(std::int64_t size, DType dtype) {
  return io::npy_header({dtype, {size}});
}

TokenFile open_npy(const std::string& path, bool stays_open) {
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  io::Buffer header(std::min(file->num_bytes(), io::kMaxNpyHeader));
  file->read(0, header.span());
  const NpyLayout layout = parse_npy(header.span(), file->num_bytes(), path);
  const DataFile described = describe_data_file(path);
  return {.tokens = plain_tokens({.path = path,
                                  .offset = layout.offset,
                                  .size = layout.size,
                                  .dtype = layout.dtype,
                                  .stays_open = stays_open}),
          .fingerprint = str(file->num_bytes(), " ", described.sample_digest),
          .modified_nanoseconds = described.modified_nanoseconds};
}

std::unique_ptr<TokenWriter> npy_writer(const std::string& path,
                                        const TokenWriterOptions& options) {
  return std::make_unique<NpyWriter>(path,
                                     stored_as(options.vocab_size, options.dtype, DType::u32));
}

}  // namespace meshwright::data
