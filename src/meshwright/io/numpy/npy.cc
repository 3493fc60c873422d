// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/numpy/npy.h"

#include <algorithm>
#include <charconv>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/error.h"
#include "meshwright/base/number_at.h"
#include "meshwright/base/printable.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/declared_bytes.h"
#include "meshwright/io/zarr/v2_dtype.h"

namespace meshwright::io {
namespace {

// NumPy's name for two bytes without a type.
constexpr std::string_view kTwoBytes = "V2";
constexpr std::size_t kAlignment = 64;

// The text of a header is a dictionary of Python:
// {'descr': '<u2', 'fortran_order': False, 'shape': (100,), }
class NpyText {
 public:
  NpyText(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // Returns the text after 'key':, without blanks in front.
  std::string_view after(std::string_view key) const {
    const std::size_t at = text_.find(str("'", key, "':"));
    if (at == text_.npos) fail_header(str("it has no '", key, "'"));
    std::string_view rest = text_.substr(at + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest;
  }

  // Returns the text between `open` and `close` after 'key':.
  std::string_view between(std::string_view key, char open, char close) const {
    const std::string_view rest = after(key);
    if (!rest.starts_with(open))
      fail(ErrorCode::unimplemented, name_, ": '", key, "' is not of the form that plain arrays ",
           "have");
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

void read_npy_dtype(const NpyText& text, const std::string& name, NpyHeader& out) {
  const std::string_view found = text.between("descr", '\'', '\'');
  out.dtype = found;
  if (!found.empty() && found.substr(1) == kTwoBytes) {
    out.type.dtype = DType::bf16;
    return;
  }
  try {
    const zarr::V2DType dtype = zarr::parse_v2_dtype(found);
    out.type.dtype = dtype.dtype;
    out.is_big_endian = dtype.is_big_endian;
  } catch (const Error&) {
    fail(ErrorCode::unimplemented, name, ": dtype '", printable_name(found), "' is not supported");
  }
}

Dims read_npy_dims(const NpyText& text) {
  const std::string_view found = text.between("shape", '(', ')');
  Dims out;
  for (const char* at = found.data(); at != found.data() + found.size();) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t size = 0;
    const auto parsed = std::from_chars(at, found.data() + found.size(), size);
    constexpr std::size_t kMostDims = 64;
    if (parsed.ec != std::errc() || size < 0 || out.size() == kMostDims)
      text.fail_header(str("its shape is (", printable_name(found), ")"));
    out.push_back(size);
    at = parsed.ptr;
  }
  return out;
}

bool read_npy_order(const NpyText& text) {
  const std::string_view found = text.after("fortran_order");
  if (found.starts_with("True")) return true;
  if (!found.starts_with("False")) text.fail_header("'fortran_order' is not a boolean");
  return false;
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes,
                           std::uint64_t num_bytes,
                           const std::string& name) {
  if (bytes.size() < 12 || !as_text(bytes).starts_with(kNpyMagic))
    fail(ErrorCode::data_loss, name, ": is no array of NumPy");
  const auto version = number_at<std::uint8_t>(bytes, 6);
  if (version < 1 || version > 3)
    fail(ErrorCode::unimplemented, name, ": has version ", int{version}, " of NumPy's format");
  const std::uint64_t begin = version == 1 ? 10 : 12;
  const std::uint64_t length =
      version == 1 ? number_at<std::uint16_t>(bytes, 8) : number_at<std::uint32_t>(bytes, 8);
  if (begin + length > bytes.size())
    fail(ErrorCode::data_loss, name, ": the header of the array has ", length, " bytes, too many");
  const NpyText text(as_text(bytes).substr(begin, length), name);
  NpyHeader out{.num_bytes = begin + length};
  read_npy_dtype(text, name, out);
  out.type.dims = read_npy_dims(text);
  out.is_column_major = read_npy_order(text);
  if (out.num_bytes > num_bytes) text.fail_header("it exceeds the file");
  const std::uint64_t room = num_bytes - out.num_bytes;
  if (declared_bytes(out.type) != room) {
    fail(ErrorCode::data_loss, name, ": has ", room, " bytes of elements, but its header says ",
         out.type);
  }
  return out;
}

std::string npy_header(const ArrayType& type) {
  std::string dtype = type.dtype == DType::bf16 ? "<V2" : zarr::v2_dtype_name(type.dtype);
  if (dtype[0] != '<' && dtype[0] != '|')
    fail(ErrorCode::unimplemented, "NumPy's files cannot store ", type.dtype);
  std::string text = str("{'descr': '", dtype, "', 'fortran_order': False, 'shape': (");
  for (std::size_t d = 0; d < type.dims.size(); ++d)
    text += str(d == 0 ? "" : " ", type.dims[d],
                type.dims.size() == 1 || d + 1 < type.dims.size() ? "," : "");
  text += "), }";
  constexpr std::size_t kBefore = 10;  // magic, version, length
  const std::size_t size = (kBefore + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(size - kBefore - 1, ' ');
  std::string out(kNpyMagic);
  out += '\1';  // version 1.0
  out += '\0';
  append_number(out, static_cast<std::uint16_t>(text.size() + 1));
  return out + text + '\n';
}

}  // namespace meshwright::io
