// SPDX-License-Identifier: Apache-2.0
#include "readers.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "child.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/cli/commands.h"
#include "meshwright/config/load_tree.h"
#include "meshwright/io/codecs/bzip2.h"
#include "meshwright/io/codecs/codec.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/zarr/array.h"
#include "meshwright/io/zarr/group.h"
#include "meshwright/runtime/cache_file.h"

namespace meshwright::hostile {
namespace {

namespace fs = std::filesystem;

std::string input_of(const fs::path& folder) {
  return io::read_text(*io::open_file_system(folder.string()), "input", UINT64_MAX);
}

void read_json(const fs::path& folder) {
  to_string(parse_json(input_of(folder), "input"));
}

void read_metrics(const fs::path& folder) {
  const std::string text = input_of(folder);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    try {
      parse_json(std::string_view(text).substr(at, end - at), "metrics.jsonl");
    } catch (const Error&) {
    }
    at = end + 1;
  }
}

void read_proto(const fs::path& folder) {
  const std::string text = input_of(folder);
  std::vector<ProtoField> fields = meshwright::read_proto(text);
  for (int depth = 0; depth < 5 && !fields.empty(); ++depth)
    fields = meshwright::read_proto(fields[0].bytes);
}

void read_codecs(const fs::path& folder) {
  const std::string text = input_of(folder);
  using io::DeflateFraming;
  for (const io::CodecPtr& codec : {io::zstd_codec(), io::deflate_codec(DeflateFraming::gzip),
                                    io::deflate_codec(DeflateFraming::zlib), io::blosc_codec({}),
                                    io::snappy_codec(), io::crc32c_codec(), io::bzip2_codec(1)}) {
    try {
      codec->decode(io::as_bytes(text), std::uint64_t{16} << 20);
    } catch (const Error&) {
    }
  }
}

// Reads the whole of an array up to a limit of bytes, otherwise its first element.
void read_array(const fs::path& folder) {
  constexpr std::int64_t kMaxBytes = std::int64_t{64} << 20;
  const auto array = io::zarr::Array::open(io::open_file_system(folder.string()), "");
  if (array.type().num_bytes() <= kMaxBytes && array.metadata().chunk_bytes() <= kMaxBytes) {
    array.read();
    return;
  }
  Ranges first;
  for (const std::int64_t size : array.type().dims)
    first.push_back({0, std::min<std::int64_t>(size, 1)});
  // Chunks of gigabytes are legitimate; those that their file cannot contain are rejected.
  if (array.metadata().chunk_bytes() <= kMaxBytes) {
    array.read(first);
  } else {
    array.check(first);
  }
}

void read_group(const fs::path& folder) {
  const auto files = io::open_file_system(folder.string());
  io::zarr::find_group(*files, "");
  io::zarr::read_attributes(*files, "");
}

Reader ckpt(const std::string& name, const std::vector<std::string>& words) {
  return {str("ckpt ", name), [words](const fs::path& folder) {
            std::vector<std::string> all = words;
            for (std::string& word : all)
              if (word == "RUN") word = folder.string();
            cli::run_group("ckpt", cli::ckpt_commands(), all);
          }};
}

}  // namespace

std::vector<Reader> readers_of(Kind kind) {
  switch (kind) {
    case Kind::json:
      return {{"parse_json", read_json}};
    case Kind::toml:
      return {{"load_file", [](const fs::path& folder) { config::load_file(folder / "input"); }}};
    case Kind::proto:
      return {{"read_proto", read_proto}};
    case Kind::codec:
      return {{"codecs", read_codecs}};
    case Kind::metrics:
      return {{"metrics", read_metrics}};
    case Kind::cache:
      return {{"read_cache_file",
               [](const fs::path& folder) { runtime::read_cache_file(folder / "input"); }}};
    case Kind::zarr2:
    case Kind::zarr3:
      return {{"array", read_array}, {"group", read_group}};
    case Kind::native:
    case Kind::axlearn:
    case Kind::seqax:
      return {ckpt("ls", {"ls", "RUN"}),
              ckpt("show", {"show", "RUN", "--stats"}),
              ckpt("show --json", {"show", "RUN", "--json"}),
              ckpt("verify", {"verify", "RUN", "--all"}),
              ckpt("diff", {"diff", "RUN", "RUN", "--meta"}),
              ckpt("gc", {"gc", "RUN", "--keep-last", "1", "--dry-run"})};
  }
  return {};
}

namespace {

// std::filesystem::remove_all opens all nested folders at the same time.
void remove_below(const fs::path& folder) {
  if (std::system(str("rm -rf '", folder.string(), "'/*").c_str()) != 0) std::abort();
}

}  // namespace

std::string try_input(Kind kind, std::uint64_t seed) {
  const io::TemporaryFolder folder;
  make_input(kind, seed, folder.path());
  std::string out;
  for (const Reader& reader : readers_of(kind)) {
    const std::string trouble = trouble_of([&] { reader.read(folder.path()); });
    if (!trouble.empty()) out += str(out.empty() ? "" : "; ", reader.name, ": ", trouble);
  }
  remove_below(folder.path());
  return out;
}

}  // namespace meshwright::hostile
