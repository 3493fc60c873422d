// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/part_writer.h"

#include <cstring>
#include <span>

#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

template <typename Stored>
void narrow(const std::vector<std::int32_t>& tokens, std::vector<std::byte>& out) {
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

PartWriter::PartWriter(io::FileSystem& files, std::size_t part, const TokenFormat& format)
    : files_(files),
      part_(part),
      format_(format),
      tokens_(create(kTokens)),
      weights_(format.has_weights ? create(kWeights) : Output{}),
      documents_(create(kDocuments)) {}

PartWriter::Output PartWriter::create(std::string_view kind) {
  std::string path = part_path(part_, kind);
  return {.path = path, .file = files_.create(temporary(path))};
}

void PartWriter::append(const EncodedBatch& batch) {
  append_tokens(batch.content.tokens);
  if (format_.has_weights) {
    const auto bytes = std::as_bytes(std::span(batch.content.weights));
    weights_.file->append(bytes);
    weights_digest_.update(io::as_text(bytes));
  }
  std::vector<DocumentEntry> entries = batch.documents;
  for (DocumentEntry& entry : entries)
    entry.end += info_.num_tokens;
  const auto bytes = std::as_bytes(std::span(entries));
  documents_.file->append(bytes);
  documents_digest_.update(io::as_text(bytes));
  info_.num_tokens += std::ssize(batch.content.tokens);
  info_.num_documents += std::ssize(entries);
}

void PartWriter::append_tokens(const std::vector<std::int32_t>& tokens) {
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
  tokens_.file->append(bytes_);
}

void PartWriter::finish(Output& output) {
  output.file->sync();
  output.file->close();
  output.file = nullptr;
  files_.rename(temporary(output.path), output.path);
}

PartInfo PartWriter::finish(const RecordCounts& counts) {
  finish(tokens_);
  if (format_.has_weights) finish(weights_);
  finish(documents_);
  info_.counts = counts;
  info_.documents_digest = documents_digest_.hex();
  if (format_.has_weights) info_.weights_digest = weights_digest_.hex();
  JsonWriter json;
  write_json(json, info_);
  io::replace_text(files_, part_path(part_, kInfo), json.str());
  return info_;
}

}  // namespace meshwright::data
