// SPDX-License-Identifier: Apache-2.0
#include "token_targets.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/open_token_files.h"

namespace meshwright::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kVocab = 1000;
constexpr std::int64_t kMaxDocuments = 1000;

const fs::path& folder() {
  static const TemporaryFolder kFolder;
  return kFolder.path();
}

std::string write(const std::string& name, std::string_view bytes) {
  const fs::path path = folder() / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

void read_all(const std::string& path, const data::TokenFileOptions& options) {
  const std::vector<data::TokenFile> files = data::open_token_files({path}, options);
  data::max_token(files);
  const data::DocumentsPtr documents = data::token_documents(files, kVocab);
  const std::int64_t end = std::min(documents->num_documents(), kMaxDocuments);
  for (std::int64_t i = 0; i < end; ++i)
    data::whole_document(*documents, i);
}

constexpr std::string_view kTokens =
    R"({"chunks": [300], "compressor": {"blocksize": 0, "clevel": 5,
  "cname": "lz4", "id": "blosc", "shuffle": 2}, "dtype": "<u4", "fill_value": null,
  "filters": null, "order": "C", "shape": [300], "zarr_format": 2})";
constexpr std::string_view kStarts = R"({"chunks": [2], "compressor": null, "dtype": "<u8",
  "fill_value": 0, "filters": [{"astype": "<i8", "dtype": "<i8", "id": "delta"}], "order": "C",
  "shape": [2], "zarr_format": 2})";

// `chunk` is the only chunk of the tokens.
std::string write_flat_tokens(std::string_view chunk) {
  constexpr char kDeltas[] = "\0\0\0\0\0\0\0\0\x2c\1\0\0\0\0\0";
  write("flat/.zgroup", R"({"zarr_format": 2})");
  write("flat/train/.zgroup", R"({"zarr_format": 2})");
  write("flat/train/.zattrs", R"({"max_token_id": 999})");
  write("flat/train/encoded_tokens/.zarray", kTokens);
  write("flat/train/encoded_tokens/0", chunk);
  write("flat/train/seq_starts/.zarray", kStarts);
  write("flat/train/seq_starts/0", {kDeltas, sizeof(kDeltas)});
  return (folder() / "flat").string();
}

}  // namespace

// The first byte selects the format; the rest is a file. For an index of Megatron, the second byte
// is the number of bytes of its tokens.
void read_token_files(std::string_view bytes) {
  if (bytes.size() < 2) return;
  switch (bytes[0]) {
    case 'm':
      write("m.bin", std::string(static_cast<unsigned char>(bytes[1]), '\1'));
      return read_all(write("m.idx", bytes.substr(2)), {});
    case 'f':
      return read_all(write_flat_tokens(bytes.substr(1)), {});
    case 'r':
      return read_all(write("r.bin", bytes.substr(1)), {.dtype = DType::u16, .end_token = 0});
    default:
      return read_all(write("file", bytes.substr(1)), {.begin_token = 1});
  }
}

}  // namespace meshwright::fuzz
