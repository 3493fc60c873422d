// SPDX-License-Identifier: Apache-2.0
#include "npy/npy.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace meshwright::test_npy {
namespace {

// Returns the type string, such as "<f4": byte order, kind, bytes.
std::string npy_descr(DType dtype) {
  bool as_is = dtype == f64 || dtype == f32 || dtype == f16;
  char kind = dtype == pred ? 'b' : as_is ? 'f' : is_integer(dtype) && is_signed(dtype) ? 'i' : 'u';
  return str(byte_size(dtype) == 1 ? '|' : '<', kind, byte_size(dtype));
}

std::string npy_shape(const Dims& dims) {
  std::string out = "(";
  for (std::int64_t dim : dims)
    out += str(dim, ",");
  return out + ")";
}

// Returns the text between two others in a header.
std::string between(const std::string& header, const std::string& from, const std::string& to) {
  const std::size_t at = header.find(from);
  MW_CHECK(at != std::string::npos, "npy: no \"", from, "\" in ", header);
  const std::size_t begin = at + from.size();
  return header.substr(begin, header.find(to, begin) - begin);
}

DType npy_dtype(const std::string& descr) {
  for (DType dtype : {f32, s32, u32}) {
    if (npy_descr(dtype) == descr) return dtype;
  }
  fail(ErrorCode::data_loss, "npy: cannot read arrays of '", descr, "'");
}

Dims npy_dims(const std::string& shape) {
  Dims out;
  std::istringstream words(shape);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.find_first_not_of(' ') != std::string::npos) out.push_back(std::stoll(word));
  }
  return out;
}

}  // namespace

void write_npy(const std::filesystem::path& path, const HostTensor& tensor) {
  std::string header = str("{'descr': '", npy_descr(tensor.dtype()),
                           "', 'fortran_order': False, 'shape': ", npy_shape(tensor.dims()), ", }");
  constexpr std::size_t kPrefix = 10;  // magic, version, length of the header
  header.append(63 - (kPrefix + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(header.size() & 0xff));
  file.put(static_cast<char>(header.size() >> 8));
  file << header;
  file.write(reinterpret_cast<const char*>(tensor.data()),
             static_cast<std::streamsize>(tensor.num_bytes()));
  file.close();
  if (!file) fail(ErrorCode::unavailable, "cannot write ", path.string());
}

HostTensor read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(ErrorCode::data_loss, "cannot read ", path.string());
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr std::size_t kPrefix = 10;
  if (bytes.size() < kPrefix || bytes.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8))
    fail(ErrorCode::data_loss, path.string(), " is not an .npy file of version 1.0");
  const std::size_t size = static_cast<unsigned char>(bytes[8]) +
                           256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
  const std::string header = bytes.substr(kPrefix, size);
  MW_CHECK(between(header, "'fortran_order': ", ",") == "False", path.string(), " is column-major");
  HostTensor out(ArrayType{npy_dtype(between(header, "'descr': '", "'")),
                           npy_dims(between(header, "'shape': (", ")"))});
  if (bytes.size() != kPrefix + size + out.num_bytes())
    fail(ErrorCode::data_loss, path.string(), " has ", bytes.size(), " bytes");
  std::memcpy(out.mutable_data(), bytes.data() + kPrefix + size, out.num_bytes());
  return out;
}

}  // namespace meshwright::test_npy
