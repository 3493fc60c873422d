// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/part.h"

#include <algorithm>
#include <bit>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kDigestedAtOnce = 1 << 20;

std::unique_ptr<io::ReadableFile> open_sized(const io::FileSystem& files,
                                             const std::string& path,
                                             std::int64_t num_bytes) {
  std::unique_ptr<io::ReadableFile> out = files.open(path);
  if (out->num_bytes() != static_cast<std::uint64_t>(num_bytes)) {
    fail(ErrorCode::data_loss, files.full_name(path), ": has ", out->num_bytes(),
         " bytes, expected ", num_bytes);
  }
  return out;
}

std::string digest_of(const io::ReadableFile& file) {
  Digest digest;
  io::Buffer bytes(std::min(file.num_bytes(), kDigestedAtOnce));
  for (std::uint64_t begin = 0; begin < file.num_bytes(); begin += kDigestedAtOnce) {
    const auto block = bytes.span().first(std::min(file.num_bytes() - begin, kDigestedAtOnce));
    file.read(begin, block);
    digest.update(io::as_text(block));
  }
  return digest.hex();
}

std::int64_t count_from(const JsonValue& json, std::string_view name) {
  const std::int64_t out = json.at(name).as_integer();
  if (out < 0) fail(ErrorCode::data_loss, "'", name, "' is negative");
  return out;
}

}  // namespace

TokenFormat token_format(const RecordEncoder& encoder) {
  const std::int64_t size = encoder.vocab_size();
  return {.bytes_per_token = size <= 1 << 8    ? 1
                             : size <= 1 << 16 ? 2
                                               : 4,
          .has_weights = encoder.has_weights()};
}

std::string part_path(std::size_t part, std::string_view kind) {
  const std::string number = str(part);
  return str(std::string(5 - std::min<std::size_t>(5, number.size()), '0'), number, ".", kind);
}

void write_json(JsonWriter& json, const RecordCounts& counts) {
  json.begin_object().field("accepted", counts.accepted).field("too_short", counts.too_short);
  json.field("too_long", counts.too_long).field("unequal", counts.unequal);
  json.field("corrupt", counts.corrupt).end_object();
}

void write_json(JsonWriter& json, const PartInfo& info) {
  json.begin_object().field("tokens", info.num_tokens).field("documents", info.num_documents);
  json.field("documents_digest", info.documents_digest);
  json.field("weights_digest", info.weights_digest).key("counts");
  write_json(json, info.counts);
  json.end_object();
}

RecordCounts counts_from(const JsonValue& json) {
  return {.accepted = count_from(json, "accepted"),
          .too_short = count_from(json, "too_short"),
          .too_long = count_from(json, "too_long"),
          .unequal = count_from(json, "unequal"),
          .corrupt = count_from(json, "corrupt")};
}

PartInfo part_info_from(const JsonValue& json) {
  return {.num_tokens = count_from(json, "tokens"),
          .num_documents = count_from(json, "documents"),
          .documents_digest = json.at("documents_digest").as_text(),
          .weights_digest = json.at("weights_digest").as_text(),
          .counts = counts_from(json.at("counts"))};
}

void check_part(const io::FileSystem& files,
                std::size_t part,
                const PartInfo& info,
                const TokenFormat& format) {
  open_sized(files, part_path(part, kTokens), info.num_tokens * format.bytes_per_token);
  if (format.has_weights) open_sized(files, part_path(part, kWeights), info.num_tokens);
  const std::string path = part_path(part, kDocuments);
  const auto size = static_cast<std::int64_t>(sizeof(DocumentEntry));
  if (digest_of(*open_sized(files, path, info.num_documents * size)) != info.documents_digest)
    fail(ErrorCode::data_loss, files.full_name(path), ": checksum mismatch");
}

std::optional<PartInfo> find_part(const io::FileSystem& files,
                                  std::size_t part,
                                  const TokenFormat& format) {
  const std::string path = part_path(part, kInfo);
  try {
    const PartInfo out =
        part_info_from(parse_json(io::read_text(files, path), files.full_name(path)));
    check_part(files, part, out, format);
    return out;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::data_loss || error.code() == ErrorCode::not_found)
      return std::nullopt;
    throw;
  }
}

}  // namespace meshwright::data
