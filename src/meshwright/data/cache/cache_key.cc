// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/cache_key.h"

#include <string_view>

#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

// Returns the text with its length, so that concatenations are unambiguous.
std::string delimited(std::string_view text) {
  return str(text.size(), ":", text, "\n");
}

std::string describe(const TextFormat& format) {
  return str("text ", static_cast<int>(format.split), " ", format.check_utf8 ? 1 : 0, " ",
             delimited(format.separator));
}

std::string describe_fields(std::string_view kind, const auto& format) {
  std::string out = str(kind, " ", format.fields.size(), "\n");
  for (const std::string& field : format.fields)
    out += delimited(field);
  return out + delimited(format.messages) + delimited(format.role_field) +
         delimited(format.content_field);
}

std::string describe(const JsonlFormat& format) {
  return describe_fields("jsonl", format);
}
std::string describe(const ParquetFormat& format) {
  return describe_fields("parquet", format);
}

std::string describe(const RecordFilter& filter) {
  std::string out = str(filter.min_bytes, " ", filter.max_bytes, " ", filter.equal.size(), "\n");
  for (const FieldEquals& equal : filter.equal)
    out += delimited(equal.path) + delimited(equal.value);
  return out;
}

}  // namespace

std::string settings_digest(const RecordSettings& records, const RecordEncoder& encoder) {
  const std::string format =
      std::visit([](const auto& chosen) { return describe(chosen); }, records.format);
  return digest_hex(str(kTokenCacheFormat, "\n", format, describe(records.filter),
                        records.max_record_bytes, " ", records.max_zstd_window_log, "\n",
                        encoder.digest()));
}

std::string cache_key(const std::vector<DataFile>& files, const std::string& settings_digest) {
  return digest_hex(str(fingerprint(files), "\n", settings_digest));
}

}  // namespace meshwright::data
