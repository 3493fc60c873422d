// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/wandb_log.h"

#include <algorithm>

#include <libdeflate.h>

#include "meshwright/metrics/little_endian.h"

namespace meshwright::metrics {
namespace {

constexpr std::size_t kBlockBytes = 32 << 10;
constexpr std::size_t kPieceHeaderBytes = 7;

constexpr char kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4;

char kind_of_piece(bool is_first, bool is_last) {
  if (is_first) return is_last ? kWhole : kFirst;
  return is_last ? kLast : kMiddle;
}

void append_piece(std::string& out, char kind, std::string_view data) {
  const std::uint32_t of_kind = ::libdeflate_crc32(0, &kind, 1);
  append_little_endian(out, std::uint32_t{::libdeflate_crc32(of_kind, data.data(), data.size())});
  append_little_endian(out, static_cast<std::uint16_t>(data.size()));
  out += kind;
  out += data;
}

}  // namespace

std::string wandb_log_header() {
  std::string out = ":W&B";
  append_little_endian(out, std::uint16_t{0xbee1});
  out += '\0';  // version
  return out;
}

std::string wandb_log_record(std::string_view record, std::int64_t file_bytes) {
  std::string out;
  for (bool is_first = true, is_last = false; !is_last; is_first = false) {
    std::size_t room =
        kBlockBytes - (static_cast<std::size_t>(file_bytes) + out.size()) % kBlockBytes;
    if (room < kPieceHeaderBytes) {
      out.append(room, '\0');
      room = kBlockBytes;
    }
    const std::string_view data = record.substr(0, room - kPieceHeaderBytes);
    is_last = data.size() == record.size();
    append_piece(out, kind_of_piece(is_first, is_last), data);
    record.remove_prefix(data.size());
  }
  return out;
}

}  // namespace meshwright::metrics
