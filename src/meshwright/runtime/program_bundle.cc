// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/program_bundle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/io/buffer.h"
#include "meshwright/io/user_file.h"
#include "meshwright/io/user_file_writer.h"

namespace meshwright::runtime {
namespace {

// The file: a FileStart, the header as JSON, then the executables in the header's order.
constexpr std::array<char, 8> kMagic = {'M', 'W', 'B', 'U', 'N', 'D', 'L', 'E'};
constexpr std::int64_t kFormat = 1;

// Numbers are little-endian, as on every machine that Meshwright runs on.
struct FileStart {
  std::array<char, 8> magic = kMagic;
  std::uint64_t header_bytes = 0;
  std::uint32_t header_checksum = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FileStart) == 24);

std::string header_of(const ProgramBundle& bundle) {
  JsonWriter json;
  json.begin_object().field("format", kFormat).field("topology", bundle.topology);
  const BuildTarget& target = bundle.target;
  json.field("platform", target.platform).field("device_kind", target.device_kind);
  json.field("num_devices", target.num_devices);
  json.field("plugin_version", target.plugin_version);
  json.field("plugin_digest", target.plugin_digest);
  json.field("compiler_flags", target.compiler_flags);
  json.field("cpu_features", target.cpu_features);
  json.field("config", bundle.config).key("programs").begin_array();
  for (const BundledProgram& program : bundle.programs) {
    json.begin_object().field("name", program.name).field("key", program.key);
    json.field("num_bytes", program.executable.size());
    json.field("crc32c", crc32c(program.executable)).end_object();
  }
  json.end_array().end_object();
  return json.str();
}

// Reads the parts of a bundle in order.
class BundleReader {
 public:
  BundleReader(std::string_view bytes, const std::string& path) : rest_(bytes), path_(path) {}

  ProgramBundle read() {
    const JsonValue header = parse_json(read_header(), path_);
    ProgramBundle out;
    try {
      if (const std::int64_t format = header.at("format").as_integer(); format != kFormat)
        fail_damaged("has format ", format, ", this program reads format ", kFormat);
      out = described_by(header);
      for (const JsonValue& entry : header.at("programs").as_array())
        out.programs.push_back(read_program(entry));
    } catch (const Error& error) {
      if (error.message().starts_with(path_)) throw;
      fail_damaged("the header ", error.message());
    }
    if (!rest_.empty()) fail_damaged("has ", rest_.size(), " bytes too many");
    return out;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail_damaged(const Args&... args) const {
    fail(ErrorCode::data_loss, path_, ": ", args..., "\ncompile its programs again");
  }

  std::string_view take(std::uint64_t num_bytes) {
    if (num_bytes > rest_.size())
      fail_damaged("is cut off: ", num_bytes, " bytes expected, ", rest_.size(), " left");
    const std::string_view out = rest_.substr(0, num_bytes);
    rest_.remove_prefix(num_bytes);
    return out;
  }

  std::string_view read_header() {
    FileStart start;
    if (rest_.size() < sizeof(start) ||
        std::memcmp(rest_.data(), kMagic.data(), kMagic.size()) != 0)
      fail_damaged("is not a bundle of compiled programs");
    std::memcpy(&start, take(sizeof(start)).data(), sizeof(start));
    const std::string_view header = take(start.header_bytes);
    if (crc32c(header) != start.header_checksum || start.reserved != 0)
      fail_damaged("the checksum of its header is wrong");
    return header;
  }

  static ProgramBundle described_by(const JsonValue& header) {
    auto text = [&](const char* name) { return header.at(name).as_text(); };
    return {.topology = text("topology"),
            .target = {.platform = text("platform"),
                       .device_kind = text("device_kind"),
                       .num_devices = header.at("num_devices").as_integer(),
                       .plugin_version = text("plugin_version"),
                       .plugin_digest = text("plugin_digest"),
                       .compiler_flags = text("compiler_flags"),
                       .cpu_features = text("cpu_features")},
            .config = text("config"),
            .programs = {}};
  }

  BundledProgram read_program(const JsonValue& entry) {
    BundledProgram out{.name = entry.at("name").as_text(), .key = entry.at("key").as_text()};
    const std::int64_t num_bytes = entry.at("num_bytes").as_integer();
    if (num_bytes < 0) fail_damaged("program '", out.name, "' has ", num_bytes, " bytes");
    out.executable = take(static_cast<std::uint64_t>(num_bytes));
    if (crc32c(out.executable) != entry.at("crc32c").as_integer())
      fail_damaged("the checksum of program '", out.name, "' is wrong");
    return out;
  }

  std::string_view rest_;
  const std::string& path_;
};

}  // namespace

const BundledProgram* ProgramBundle::find(std::string_view key) const {
  const auto found = std::ranges::find(programs, key, &BundledProgram::key);
  return found == programs.end() ? nullptr : &*found;
}

void write_bundle(const std::string& path, const ProgramBundle& bundle) {
  const std::string header = header_of(bundle);
  const FileStart start{.header_bytes = header.size(), .header_checksum = crc32c(header)};
  io::UserFileWriter file(path);
  file.append(std::as_bytes(std::span(&start, 1)));
  file.append(io::as_bytes(header));
  for (const BundledProgram& program : bundle.programs)
    file.append(io::as_bytes(program.executable));
  file.publish();
}

ProgramBundle read_bundle(const std::string& path) {
  const auto file = io::open_user_file(path);
  std::string bytes(file->num_bytes(), '\0');
  file->read(0, std::as_writable_bytes(std::span(bytes)));
  return parse_bundle(bytes, path);
}

ProgramBundle parse_bundle(std::string_view bytes, const std::string& path) {
  return BundleReader(bytes, path).read();
}

}  // namespace meshwright::runtime
