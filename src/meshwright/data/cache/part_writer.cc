// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/part_writer.h"

#include <cstring>
#include <string>
#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/data/cache/part_info.h"

namespace meshwright::data {
namespace {

template <typename Stored>
void narrow(std::span<const std::int32_t> tokens, std::vector<std::byte>& out) {
  out.resize(tokens.size() * sizeof(Stored));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto stored = static_cast<Stored>(tokens[i]);
    std::memcpy(out.data() + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

std::string temporary(const std::string& path) {
  return str(path, ".unfinished");
}

}  // namespace

PartWriter::PartWriter(io::FileSystem& files,
                       std::size_t part,
                       const PartFormat& format,
                       const CorpusPosition& begin)
    : folder_(files), part_(part), format_(format), info_{.format = format, .begin = begin} {
  for (const auto& [kind, num_bytes] : part_sizes(info_))
    outputs_[kind].file = folder_.create(temporary(part_path(part, kind)));
}

void PartWriter::append(std::string_view kind, std::span<const std::byte> bytes) {
  Output& output = outputs_.at(kind);
  output.file->append(bytes);
  output.digest.update(io::as_text(bytes));
}

void PartWriter::append(const EncodedBatch& batch, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const std::int64_t first = begin == 0 ? 0 : batch.documents[begin - 1].end;
  const auto size = static_cast<std::size_t>(batch.documents[end - 1].end - first);
  const auto at = static_cast<std::size_t>(first);
  append_tokens(std::span(batch.content.tokens).subspan(at, size));
  if (format_.has_weights) append_weights(std::span(batch.content.weights).subspan(at, size));
  std::vector<std::int64_t> ends;
  std::vector<std::uint64_t> hashes;
  std::vector<RecordPlace> places;
  for (std::size_t i = begin; i < end; ++i) {
    const EncodedDocument& document = batch.documents[i];
    ends.push_back(document.end - first + info_.num_tokens);
    hashes.push_back(document.hash);
    places.push_back(document.place);
  }
  append(kEnds, std::as_bytes(std::span(ends)));
  append(kHashes, std::as_bytes(std::span(hashes)));
  append(kOrigins, std::as_bytes(std::span(places)));
  info_.num_tokens += static_cast<std::int64_t>(size);
  info_.num_documents += static_cast<std::int64_t>(end - begin);
}

void PartWriter::append_tokens(std::span<const std::int32_t> tokens) {
  switch (format_.bytes_per_token) {
    case 1:
      narrow<std::uint8_t>(tokens, bytes_);
      break;
    case 2:
      narrow<std::uint16_t>(tokens, bytes_);
      break;
    default:
      narrow<std::uint32_t>(tokens, bytes_);
      break;
  }
  append(kTokens, bytes_);
}

void PartWriter::append_weights(std::span<const std::uint8_t> weights) {
  bytes_.clear();
  for (const std::uint8_t weight : weights) {
    last_bits_ |= (weight == 0 ? 0U : 1U) << num_last_bits_;
    if (++num_last_bits_ < 8) continue;
    bytes_.push_back(static_cast<std::byte>(last_bits_));
    last_bits_ = 0;
    num_last_bits_ = 0;
  }
  append(kLossWeights, bytes_);
}

PartInfo PartWriter::finish(const CorpusPosition& end, std::vector<FileShare> files) {
  if (num_last_bits_ > 0) {
    const auto last = static_cast<std::byte>(last_bits_);
    append(kLossWeights, {&last, 1});
  }
  for (auto& [kind, output] : outputs_) {
    output.file->sync();
    output.file->close();
    output.file = nullptr;
    const std::string path = part_path(part_, kind);
    folder_.rename(temporary(path), path);
    info_.digests[std::string(kind)] = output.digest.hex();
  }
  info_.end = end;
  info_.files = std::move(files);
  JsonWriter json;
  write_json(json, info_);
  io::replace_text(folder_, part_path(part_, kInfo), json.str());
  return info_;
}

}  // namespace meshwright::data
