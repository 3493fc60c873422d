// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/cached_documents.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/mapped_entries.h"

namespace meshwright::data {
namespace {

// With more parts, files are opened for each read, so that the process does not run out of handles.
constexpr std::size_t kMaxOpenParts = 128;

// A file of tokens or weights.
class ElementFile {
 public:
  ElementFile(std::shared_ptr<const io::FileSystem> files, std::string path, bool stays_open)
      : files_(std::move(files)), path_(std::move(path)) {
    if (stays_open) file_ = files_->open(path_);
  }

  // Reads elements [begin, begin + out.size()), which are stored as `Stored`.
  template <typename Stored, typename T>
  void read(std::int64_t begin, std::span<T> out) const {
    if (out.empty()) return;
    std::vector<Stored> stored(out.size());
    read_bytes(static_cast<std::uint64_t>(begin) * sizeof(Stored),
               std::as_writable_bytes(std::span(stored)));
    std::ranges::transform(stored, out.begin(), [](Stored value) { return static_cast<T>(value); });
  }

 private:
  void read_bytes(std::uint64_t offset, std::span<std::byte> out) const {
    if (file_ != nullptr)
      file_->read(offset, out);
    else
      files_->open(path_)->read(offset, out);
  }

  std::shared_ptr<const io::FileSystem> files_;
  std::string path_;
  std::unique_ptr<io::ReadableFile> file_;
};

struct Part {
  std::int64_t first = 0;  // its first document
  MappedEntries entries;
  ElementFile tokens;
  std::unique_ptr<ElementFile> weights;
};

class CachedDocuments : public Documents {
 public:
  CachedDocuments(std::vector<Part> parts,
                  std::int64_t num_documents,
                  const TokenFormat& format,
                  std::vector<std::string> names,
                  std::string fingerprint)
      : parts_(std::move(parts)),
        num_documents_(num_documents),
        format_(format),
        names_(std::move(names)),
        fingerprint_(std::move(fingerprint)) {}

  std::int64_t num_documents() const override { return num_documents_; }
  std::int64_t length(std::int64_t document) const override {
    const Place at = find(document);
    return at.entry().end - at.begin();
  }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    const Place at = find(document);
    const std::int64_t first = at.begin() + begin;
    switch (format_.bytes_per_token) {
      case 1:
        return at.part->tokens.read<std::uint8_t>(first, out);
      case 2:
        return at.part->tokens.read<std::uint16_t>(first, out);
      default:
        return at.part->tokens.read<std::uint32_t>(first, out);
    }
  }
  bool has_weights() const override { return format_.has_weights; }
  void read_weights(std::int64_t document,
                    std::int64_t begin,
                    std::span<float> out) const override {
    if (!format_.has_weights) return Documents::read_weights(document, begin, out);
    const Place at = find(document);
    at.part->weights->read<std::uint8_t>(at.begin() + begin, out);
  }
  Origin origin(std::int64_t document) const override {
    const Place at = find(document);
    return {.file = names_[static_cast<std::size_t>(at.part - parts_.data())],
            .record = at.entry().record,
            .offset = at.entry().offset};
  }
  std::uint64_t content_hash(std::int64_t document) const override {
    return find(document).entry().hash;
  }
  std::string fingerprint() const override { return fingerprint_; }

 private:
  struct Place {
    const Part* part;
    std::int64_t index;  // in the part

    const DocumentEntry& entry() const { return part->entries[index]; }
    std::int64_t begin() const { return index == 0 ? 0 : part->entries[index - 1].end; }
  };

  Place find(std::int64_t document) const {
    // The last part that begins at or before the document; parts before it may be empty.
    const auto after = std::ranges::upper_bound(parts_, document, {}, &Part::first);
    const Part& part = *(after - 1);
    return {.part = &part, .index = document - part.first};
  }

  std::vector<Part> parts_;
  std::int64_t num_documents_;
  TokenFormat format_;
  std::vector<std::string> names_;
  std::string fingerprint_;
};

}  // namespace

DocumentsPtr cached_documents(std::shared_ptr<const io::FileSystem> files,
                              const std::vector<PartInfo>& parts,
                              const TokenFormat& format,
                              std::vector<std::string> names,
                              const std::string& encoder_digest) {
  Digest digest;
  digest.update(str(encoder_digest, "\n"));
  std::vector<Part> opened;
  std::int64_t num_documents = 0;
  const bool stay_open = parts.size() <= kMaxOpenParts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PartInfo& part = parts[i];
    digest.update(str(part.documents_digest, " ", part.weights_digest, "\n"));
    opened.push_back({.first = num_documents,
                      .entries = {files->full_name(part_path(i, kDocuments)), part.num_documents},
                      .tokens = {files, part_path(i, kTokens), stay_open},
                      .weights = format.has_weights ? std::make_unique<ElementFile>(
                                                          files, part_path(i, kWeights), stay_open)
                                                    : nullptr});
    num_documents += part.num_documents;
  }
  return std::make_shared<CachedDocuments>(std::move(opened), num_documents, format,
                                           std::move(names), digest.hex());
}

}  // namespace meshwright::data
