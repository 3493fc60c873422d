// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/metrics_testutil.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

#include <libdeflate.h>
#include <sys/resource.h>

#include "meshwright/base/check.h"
#include "meshwright/base/proto_reader.h"

namespace meshwright::metrics {

FileSizeLimit::FileSizeLimit(std::int64_t num_bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  before_ = limit.rlim_cur;
  limit.rlim_cur = static_cast<rlim_t>(num_bytes);
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

FileSizeLimit::~FileSizeLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = before_;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

// The checksum of a piece covers its kind and bytes.
std::vector<std::string> wandb_records(std::string_view file) {
  constexpr std::size_t kBlock = 32768, kHeader = 7;
  constexpr std::string_view kStart("\x3aW&B\xe1\xbe\0", kHeader);
  MW_CHECK(file.starts_with(kStart), "no file of W&B");
  std::vector<std::string> out;
  std::string record;
  for (std::size_t at = kHeader; at + kHeader <= file.size();) {
    if (const std::size_t room = kBlock - at % kBlock; room < kHeader) {
      MW_CHECK(file.substr(at, room) == std::string(room, '\0'), "no zeros at ", at);
      at += room;
      continue;
    }
    std::uint32_t crc = 0;
    std::uint16_t size = 0;
    std::memcpy(&crc, file.data() + at, sizeof(crc));
    std::memcpy(&size, file.data() + at + 4, sizeof(size));
    if (at + kHeader + size > file.size()) break;
    MW_CHECK(at % kBlock + kHeader + size <= kBlock, "a piece over a border at ", at);
    MW_CHECK(crc == ::libdeflate_crc32(0, file.data() + at + 6, size + 1u), "checksum at ", at);
    const int kind = static_cast<unsigned char>(file[at + 6]);
    MW_CHECK(record.empty() || kind == 3 || kind == 4, "kind ", kind, " at ", at);
    record += file.substr(at + kHeader, size);
    if (kind == 1 || kind == 4) out.push_back(std::exchange(record, {}));
    at += kHeader + size;
  }
  return out;
}

std::string proto_field(std::string_view message, int number) {
  for (const ProtoField& field : read_proto(message)) {
    if (field.number == number) return field.bytes.empty() ? str(field.value) : str(field.bytes);
  }
  return "";
}

std::map<std::string, std::string> wandb_items(std::string_view message, int field) {
  constexpr int kKey = 1, kNestedKey = 2, kJson = 16;
  std::map<std::string, std::string> out;
  for (const ProtoField& item : read_proto(message)) {
    if (item.number != field) continue;
    out[proto_field(item.bytes, kKey) + proto_field(item.bytes, kNestedKey)] =
        proto_field(item.bytes, kJson);
  }
  return out;
}

std::vector<std::string> file_names(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    out.push_back(entry.path().filename());
  std::ranges::sort(out);
  return out;
}

}  // namespace meshwright::metrics
