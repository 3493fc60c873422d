// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/byte_files.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

class ByteFiles : public Documents {
 public:
  explicit ByteFiles(std::vector<ByteFile> files) : files_(std::move(files)) {
    Digest digest;
    for (const ByteFile& file : files_) {
      const std::string content = str(file.fingerprint, " ", file.file->num_bytes(), "\n");
      digest.update(content);
      digests_.push_back({.name = file.name, .digest = digest64(content)});
    }
    fingerprint_ = digest.hex();
  }

  std::int64_t num_documents() const override { return std::ssize(files_); }
  std::int64_t length(std::int64_t document) const override {
    return static_cast<std::int64_t>(at(document).file->num_bytes());
  }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    std::vector<std::byte> bytes(out.size());
    at(document).file->read(static_cast<std::uint64_t>(begin), bytes);
    std::ranges::transform(bytes, out.begin(), [](std::byte b) { return std::to_integer<int>(b); });
  }
  Origin origin(std::int64_t document) const override { return {.file = at(document).name}; }

  std::uint64_t content_hash(std::int64_t document) const override {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(length(document)));
    read(document, 0, tokens);
    return hash_of_tokens(tokens);
  }
  std::string fingerprint() const override { return fingerprint_; }
  std::vector<FileDigest> files() const override { return digests_; }

 private:
  const ByteFile& at(std::int64_t document) const {
    return files_[static_cast<std::size_t>(document)];
  }

  std::vector<ByteFile> files_;
  std::vector<FileDigest> digests_;
  std::string fingerprint_;
};

}  // namespace

DocumentsPtr byte_files(std::vector<ByteFile> files) {
  return std::make_shared<ByteFiles>(std::move(files));
}

}  // namespace meshwright::data
