// SPDX-License-Identifier: Apache-2.0
#include "npy/npy.h"

#include <fstream>

namespace meshwright::test_npy {
namespace {

// "<f4": byte order, kind, bytes.
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

}  // namespace meshwright::test_npy
