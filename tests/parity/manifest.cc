// SPDX-License-Identifier: Apache-2.0
#include "manifest.h"

#include <fstream>

#include "npy/npy.h"

namespace meshwright::parity {
namespace {

std::string json_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20) {
      out += str("\\u00", kDigits[byte >> 4], kDigits[byte & 15]);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

Record::Record(std::filesystem::path folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)), json_("{\"name\": " + json_text(name_)) {}

void Record::key(std::string_view key) {
  json_ += str(", ", json_text(key), ": ");
}

void Record::text(std::string_view name, std::string_view value) {
  key(name);
  json_ += json_text(value);
}

void Record::number(std::string_view name, double value) {
  key(name);
  json_ += str(value);
}

void Record::arrays(std::string_view name, const std::vector<HostTensor>& tensors) {
  key(name);
  std::string list;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    std::string file = str(name_, ".", name, i, ".npy");
    test_npy::write_npy(folder_ / file, tensors[i]);
    list += str(i > 0 ? ", " : "", "{\"file\": ", json_text(file),
                ", \"dtype\": ", json_text(dtype_name(tensors[i].dtype())), "}");
  }
  json_ += str("[", list, "]");
}

void write_manifest(const std::filesystem::path& folder, const std::vector<Record>& records) {
  std::ofstream file(folder / "manifest.json");
  for (std::size_t i = 0; i < records.size(); ++i)
    file << (i == 0 ? "[\n" : ",\n") << records[i].json();
  file << "\n]\n";
  file.close();
  if (!file) fail(ErrorCode::unavailable, "cannot write the manifest in ", folder.string());
}

}  // namespace meshwright::parity
