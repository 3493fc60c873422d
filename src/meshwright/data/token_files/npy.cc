// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/npy.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/token_files/little_endian.h"
#include "meshwright/data/token_files/token_output.h"
#include "meshwright/io/user_file.h"
#include "meshwright/io/zarr/v2_dtype.h"

namespace meshwright::data {
namespace {

// The text of a header is a dictionary of Python:
// {'descr': '<u2', 'fortran_order': False, 'shape': (100,), }
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // Returns the text after 'key': up to a closing character.
  std::string_view value(std::string_view key, char open, char close) const {
    const std::size_t at = text_.find(str("'", key, "':"));
    if (at == text_.npos) fail_header(str("it has no '", key, "'"));
    std::string_view rest = text_.substr(at + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (!rest.starts_with(open))
      fail(ErrorCode::unimplemented, name_, ": '", key, "' is not of the form that arrays of ",
           "integers have");
    const std::size_t end = rest.find(close, 1);
    if (end == rest.npos) fail_header(str("'", key, "' does not end"));
    return rest.substr(1, end - 1);
  }

  [[noreturn]] void fail_header(std::string_view reason) const {
    fail(ErrorCode::data_loss, name_, ": the header of the array is damaged: ", reason);
  }

 private:
  std::string_view text_;
  const std::string& name_;
};

DType read_dtype(const HeaderText& header, const std::string& name) {
  const std::string_view text = header.value("descr", '\'', '\'');
  try {
    const auto [dtype, is_big_endian] = io::zarr::parse_v2_dtype(text);
    if (!is_big_endian && is_token_dtype(dtype)) return dtype;
  } catch (const Error&) {
    // a dtype without a name in zarr is not one of integers
  }
  fail(ErrorCode::unimplemented, name, ": has dtype '", printable_name(text),
       "', expected little-endian integers");
}

std::int64_t read_size(const HeaderText& header, const std::string& name) {
  const std::string_view text = header.value("shape", '(', ')');
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  if (parsed.ec != std::errc() || std::string_view(parsed.ptr, end) != ",") {
    fail(ErrorCode::unimplemented, name, ": has shape (", printable_name(text),
         "), expected one dimension");
  }
  if (out < 0) header.fail_header(str("its size is ", out));
  return out;
}

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
  if (bytes.size() < 12 || !io::as_text(bytes).starts_with(kNpyMagic))
    fail(ErrorCode::data_loss, name, ": is no array of NumPy");
  const auto version = number_at<std::uint8_t>(bytes, 6);
  if (version < 1 || version > 3)
    fail(ErrorCode::unimplemented, name, ": has version ", version, " of NumPy's format");
  const std::uint64_t begin = version == 1 ? 10 : 12;
  const std::uint64_t length =
      version == 1 ? number_at<std::uint16_t>(bytes, 8) : number_at<std::uint32_t>(bytes, 8);
  if (begin + length > bytes.size())
    fail(ErrorCode::data_loss, name, ": the header of the array has ", length, " bytes, too many");
  const HeaderText header(io::as_text(bytes).substr(begin, length), name);
  NpyLayout out{
      .offset = begin + length, .size = read_size(header, name), .dtype = read_dtype(header, name)};
  const std::uint64_t room = num_bytes - out.offset;
  const std::uint64_t element_bytes = byte_size(out.dtype);
  const auto size = static_cast<std::uint64_t>(out.size);
  if (size > room / element_bytes || size * element_bytes != room) {
    fail(ErrorCode::data_loss, name, ": has ", room, " bytes of elements, but its header says ",
         size, " of ", element_bytes);
  }
  return out;
}

std::string npy_header(std::int64_t size, DType dtype) {
  std::string out(kNpyMagic);
  out += '\1';  // version 1.0
  out += '\0';
  append_number(out, static_cast<std::uint16_t>(kNpyHeaderBytes - 10));
  out += str("{'descr': '", io::zarr::v2_dtype_name(dtype), "', 'fortran_order': False, 'shape': (",
             size, ",), }");
  out.resize(kNpyHeaderBytes - 1, ' ');
  return out + '\n';
}

TokenFile open_npy(const std::string& path, bool stays_open) {
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  io::Buffer header(std::min(file->num_bytes(), kMaxNpyHeader));
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
