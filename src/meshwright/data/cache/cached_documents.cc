// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/cached_documents.h"

#include <algorithm>
#include <array>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"
#include "meshwright/data/core/mapped_file.h"

namespace meshwright::data {
namespace {

using FilePtr = std::unique_ptr<const io::ReadableFile>;

struct Part {
  std::int64_t first = 0;  // its first document
  MappedFile ends, hashes, origins;
  FilePtr tokens, weights;

  std::int64_t end(std::int64_t index) const { return at<std::int64_t>(ends, index); }
  template <typename T>
  const T& at(const MappedFile& file, std::int64_t index) const {
    return file.as<T>()[static_cast<std::size_t>(index)];
  }
};

// Reads elements [begin, begin + out.size()), which are stored as `Stored`.
template <typename Stored>
void read_as(const io::ReadableFile& file, std::int64_t begin, std::span<std::int32_t> out) {
  std::array<Stored, 4096> stored;
  while (!out.empty()) {
    const auto part = std::span(stored).first(std::min(out.size(), stored.size()));
    file.read(static_cast<std::uint64_t>(begin) * sizeof(Stored), std::as_writable_bytes(part));
    std::ranges::transform(part, out.begin(),
                           [](Stored value) { return static_cast<std::int32_t>(value); });
    begin += std::ssize(part);
    out = out.subspan(part.size());
  }
}

// Reads bits [begin, begin + out.size()).
void read_bits(const io::ReadableFile& file, std::int64_t begin, std::span<float> out) {
  const auto first_bit = static_cast<std::uint64_t>(begin);
  const std::uint64_t first_byte = first_bit / 8, end_byte = (first_bit + out.size() + 7) / 8;
  std::vector<std::byte> bytes(end_byte - first_byte);
  file.read(first_byte, bytes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t bit = first_bit % 8 + i;
    out[i] = std::to_integer<int>(bytes[bit / 8] >> (bit % 8) & std::byte{1}) != 0 ? 1.0f : 0.0f;
  }
}

class CachedDocuments : public Documents {
 public:
  CachedDocuments(std::vector<Part> parts,
                  const std::vector<PartInfo>& infos,
                  std::vector<std::string> names,
                  const std::string& encoder_digest)
      : parts_(std::move(parts)), format_(infos.front().format), ends_of_files_(names.size()) {
    for (std::string& name : names)
      files_.push_back({.name = std::move(name)});
    for (const PartInfo& info : infos) {
      for (std::size_t i = 0; i < info.files.size(); ++i)
        add_share(info.begin.file + i, info.files[i]);
      num_tokens_ += info.num_tokens;
    }
    Digest digest;
    digest.update(str(encoder_digest, "\n"));
    for (std::size_t i = 0; i < files_.size(); ++i) {
      num_documents_ += ends_of_files_[i];
      ends_of_files_[i] = num_documents_;
      digest.update(str(files_[i].digest, "\n"));
    }
    fingerprint_ = digest.hex();
  }

  std::int64_t num_documents() const override { return num_documents_; }
  std::int64_t num_tokens() const override { return num_tokens_; }
  std::int64_t length(std::int64_t document) const override {
    const Place at = find(document);
    return at.part->end(at.index) - at.begin();
  }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    if (out.empty()) return;
    const Place at = find(document);
    const std::int64_t first = at.begin() + begin;
    switch (format_.bytes_per_token) {
      case 1:
        return read_as<std::uint8_t>(*at.part->tokens, first, out);
      case 2:
        return read_as<std::uint16_t>(*at.part->tokens, first, out);
      default:
        return read_as<std::uint32_t>(*at.part->tokens, first, out);
    }
  }
  bool has_weights() const override { return format_.has_weights; }
  void read_weights(std::int64_t document,
                    std::int64_t begin,
                    std::span<float> out) const override {
    if (!format_.has_weights) return Documents::read_weights(document, begin, out);
    if (out.empty()) return;
    const Place at = find(document);
    read_bits(*at.part->weights, at.begin() + begin, out);
  }
  Origin origin(std::int64_t document) const override {
    const Place at = find(document);
    const auto& place = at.part->at<RecordPlace>(at.part->origins, at.index);
    const auto file = std::ranges::upper_bound(ends_of_files_, document) - ends_of_files_.begin();
    return {.file = files_[static_cast<std::size_t>(file)].name,
            .record = place.number,
            .offset = place.offset};
  }
  std::uint64_t content_hash(std::int64_t document) const override {
    const Place at = find(document);
    return at.part->at<std::uint64_t>(at.part->hashes, at.index);
  }
  std::string fingerprint() const override { return fingerprint_; }
  std::vector<FileDigest> files() const override { return files_; }

 private:
  struct Place {
    const Part* part;
    std::int64_t index;  // in the part

    std::int64_t begin() const { return index == 0 ? 0 : part->end(index - 1); }
  };

  void add_share(std::size_t file, const FileShare& share) {
    ends_of_files_.at(file) += share.num_documents;
    files_.at(file).digest = share.digest;
  }

  Place find(std::int64_t document) const {
    // The last part that begins at or before the document; parts before it may be empty.
    const auto after = std::ranges::upper_bound(parts_, document, {}, &Part::first);
    const Part& part = *(after - 1);
    return {.part = &part, .index = document - part.first};
  }

  std::vector<Part> parts_;
  PartFormat format_;
  std::int64_t num_documents_ = 0;
  std::int64_t num_tokens_ = 0;
  std::vector<FileDigest> files_;
  std::vector<std::int64_t> ends_of_files_;  // number of documents up to the end of each file
  std::string fingerprint_;
};

}  // namespace

DocumentsPtr cached_documents(const io::FileSystem& folder,
                              const std::vector<PartInfo>& parts,
                              std::vector<std::string> names,
                              const std::string& encoder_digest) {
  std::vector<Part> opened;
  std::int64_t num_documents = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto sizes = part_sizes(parts[i]);
    auto mapped = [&](std::string_view kind) {
      return MappedFile(folder.full_name(part_path(i, kind)), sizes.at(kind));
    };
    opened.push_back({.first = num_documents,
                      .ends = mapped(kEnds),
                      .hashes = mapped(kHashes),
                      .origins = mapped(kOrigins),
                      .tokens = folder.open(part_path(i, kTokens)),
                      .weights = parts[i].format.has_weights
                                     ? folder.open(part_path(i, kLossWeights))
                                     : nullptr});
    num_documents += parts[i].num_documents;
  }
  return std::make_shared<CachedDocuments>(std::move(opened), parts, std::move(names),
                                           encoder_digest);
}

}  // namespace meshwright::data
