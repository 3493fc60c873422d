// SPDX-License-Identifier: Apache-2.0
#include "golden_file.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include "meshwright/base/error.h"

namespace meshwright {
namespace {

Dims read_dims(std::string_view text) {  // "[4,6]"
  Dims dims;
  const char* at = text.data() + 1;
  const char* end = text.data() + text.size();
  while (at < end - 1) {
    std::int64_t size = 0;
    at = std::from_chars(at, end, size).ptr + 1;
    dims.push_back(size);
  }
  return dims;
}

Golden read_heading(const std::string& line) {
  std::istringstream in(line);
  Golden out;
  std::string dtype, dims, kind;
  in >> out.name >> dtype >> dims >> kind >> out.digest;
  std::optional<DType> known = find_dtype(dtype);
  if (!known || dims.size() < 2) fail(ErrorCode::data_loss, "golden heading '", line, "'");
  out.type = {*known, read_dims(dims)};
  if (kind == "md5") {
    out.kind = Golden::Kind::digest;
  } else if (kind == "about") {
    out.kind = Golden::Kind::about;
  } else if (kind != "bits") {
    fail(ErrorCode::data_loss, "golden kind '", kind, "' of ", out.name);
  }
  return out;
}

}  // namespace

std::vector<Golden> read_goldens(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(ErrorCode::not_found, "no golden file ", path);
  std::vector<Golden> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] != ' ') {
      all.push_back(read_heading(line));
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;)
      all.back().words.push_back(word);
  }
  return all;
}

}  // namespace meshwright
