// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/part_info.h"

#include <charconv>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

// Sizes in bytes do not overflow.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 56;

std::int64_t checked(std::int64_t count) {
  if (count < 0 || count > kMaxCount) fail(ErrorCode::data_loss, count, " is not a count");
  return count;
}

std::int64_t count_from(const JsonValue& json, std::string_view name) {
  return checked(json.at(name).as_integer());
}

// Digests are written in base 16, since JSON numbers are signed here.
std::string text_of(std::uint64_t digest) {
  char out[16];
  const auto end = std::to_chars(std::begin(out), std::end(out), digest, 16).ptr;
  return {std::begin(out), end};
}

std::uint64_t digest_from(const JsonValue& json) {
  const std::string& text = json.as_text();
  std::uint64_t out = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out, 16);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size())
    fail(ErrorCode::data_loss, "'", text, "' is not a digest");
  return out;
}

void write_json(JsonWriter& json, const RecordCounts& counts) {
  json.begin_object().field("accepted", counts.accepted).field("too_short", counts.too_short);
  json.field("too_long", counts.too_long).field("unequal", counts.unequal);
  json.field("corrupt", counts.corrupt).end_object();
}

RecordCounts counts_from(const JsonValue& json) {
  return {.accepted = count_from(json, "accepted"),
          .too_short = count_from(json, "too_short"),
          .too_long = count_from(json, "too_long"),
          .unequal = count_from(json, "unequal"),
          .corrupt = count_from(json, "corrupt")};
}

void write_json(JsonWriter& json, const CorpusPosition& position) {
  json.begin_object().field("file", position.file).field("records", position.num_records);
  json.field("file_digest", text_of(position.file_digest));
  json.field("rejected", position.num_rejected).key("counts_of_files");
  write_json(json, position.counts_of_files);
  json.end_object();
}

CorpusPosition position_from(const JsonValue& json) {
  return {.file = static_cast<std::size_t>(count_from(json, "file")),
          .num_records = count_from(json, "records"),
          .file_digest = digest_from(json.at("file_digest")),
          .num_rejected = count_from(json, "rejected"),
          .counts_of_files = counts_from(json.at("counts_of_files"))};
}

}  // namespace

void write_json(JsonWriter& json, const PartInfo& info) {
  json.begin_object().field("bytes_per_token", info.format.bytes_per_token);
  json.field("has_weights", info.format.has_weights).field("tokens", info.num_tokens);
  json.field("documents", info.num_documents).key("begin");
  write_json(json, info.begin);
  json.key("end");
  write_json(json, info.end);
  json.key("documents_of_files").begin_array();
  for (const FileShare& file : info.files)
    json.value(file.num_documents);
  json.end_array().key("digests_of_files").begin_array();
  for (const FileShare& file : info.files)
    json.value(text_of(file.digest));
  json.end_array().key("digests").begin_object();
  for (const auto& [kind, digest] : info.digests)
    json.field(kind, digest);
  json.end_object().end_object();
}

PartInfo part_info_from(const JsonValue& json) {
  PartInfo out{
      .format = {.bytes_per_token = static_cast<int>(json.at("bytes_per_token").as_integer()),
                 .has_weights = json.at("has_weights").as_bool()},
      .num_tokens = count_from(json, "tokens"),
      .num_documents = count_from(json, "documents"),
      .begin = position_from(json.at("begin")),
      .end = position_from(json.at("end"))};
  const int width = out.format.bytes_per_token;
  if (width != 1 && width != 2 && width != 4)
    fail(ErrorCode::data_loss, "'bytes_per_token' is ", width);
  const JsonValue::Array& documents = json.at("documents_of_files").as_array();
  const JsonValue::Array& digests = json.at("digests_of_files").as_array();
  if (documents.size() != digests.size())
    fail(ErrorCode::data_loss, documents.size(), " files have ", digests.size(), " digests");
  for (std::size_t i = 0; i < documents.size(); ++i)
    out.files.push_back({checked(documents[i].as_integer()), digest_from(digests[i])});
  for (const auto& [kind, digest] : json.at("digests").as_object())
    out.digests[kind] = digest.as_text();
  return out;
}

}  // namespace meshwright::data
