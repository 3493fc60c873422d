// SPDX-License-Identifier: Apache-2.0
#include "inputs.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <vector>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/str.h"

namespace meshwright::hostile {
namespace {

namespace fs = std::filesystem;

std::uint64_t below(Random& random, std::uint64_t limit) {
  return random() % limit;
}

bool chance(Random& random, int one_in) {
  return below(random, static_cast<std::uint64_t>(one_in)) == 0;
}

template <typename T>
T one_of(Random& random, std::initializer_list<T> choices) {
  return choices.begin()[below(random, choices.size())];
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i)
    out += text;
  return out;
}

// Returns a size: mostly valid ones, sometimes an impossible one.
std::string size_text(Random& random) {
  if (!chance(random, 3)) return one_of<const char*>(random, {"1", "2", "3", "8", "100", "1024"});
  return one_of<const char*>(
      random, {"0", "-1", "1000000", "1048577", "4194305", "2147483648", "4294967297",
               "1099511627776", "9007199254740993", "4611686018427387904", "9223372036854775807",
               "18446744073709551615", "1e300", "1.5", "null", "\"8\"", "[]", "true"});
}

std::string dims_text(Random& random, std::size_t rank) {
  std::string out = "[";
  for (std::size_t i = 0; i < rank; ++i)
    out += str(i == 0 ? "" : ",", size_text(random));
  return out + "]";
}

std::size_t rank_of(Random& random) {
  return chance(random, 8) ? one_of<std::size_t>(random, {31, 32, 33, 1000, 100'000})
                           : below(random, 4);
}

std::string name_text(Random& random) {
  switch (below(random, 12)) {
    case 0:
      return repeated("a/", one_of<std::size_t>(random, {100, 129, 2048, 200'000})) + "a";
    case 1:
      return repeated("n", one_of<std::size_t>(random, {255, 256, 4097, 1'000'000}));
    case 2:
      return one_of<const char*>(random, {"", "/", "..", "a/../b", "a//b", "\\u0000", ".zarray"});
    default:
      return str(one_of<const char*>(random, {"model/", "", "learner/mu/"}), "w",
                 below(random, 50));
  }
}

// Returns a JSON value of any kind; sometimes very deep, long or broad.
std::string json_text(Random& random, int depth = 0) {
  const std::uint64_t kind = below(random, depth > 4 ? 4 : 12);
  const std::size_t many = one_of<std::size_t>(random, {3, 20, 1000, 300'000});
  switch (kind) {
    case 0:
      return size_text(random);
    case 1:
      return str("\"", name_text(random), "\"");
    case 2:
      return one_of<const char*>(random, {"null", "true", "{}", "[]", "-", "\"\\ud800\"", "1e999"});
    case 3:
      return str("\"", repeated("x", many), "\"");
    case 4:
      return repeated("[", 1'000'000);
    case 5:
      return repeated("{\"a\":", one_of<std::size_t>(random, {63, 100, 500'000}));
    case 6:
      return str("[", repeated("0,", depth == 0 ? 10 * many : 10), "0]");
    case 7: {
      std::string out = "{";
      for (std::size_t i = 0; i < (depth == 0 ? many : 5); ++i)
        out += str(i == 0 ? "" : ",", "\"", i % 100'001, "\":", below(random, 10));
      return out + "}";
    }
    default: {
      std::string out = "{";
      for (int i = 0; i < 4; ++i)
        out += str(i == 0 ? "" : ",", "\"k", i, "\":", json_text(random, depth + 1));
      return out + "}";
    }
  }
}

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::uint64_t file_size(Random& random) {
  return one_of<std::uint64_t>(
      random, {0, 1, 4, 16, 100, 1024, 4096, 65536, 1 << 20, 64 << 20, std::uint64_t{1} << 30});
}

// Writes a sparse file of this size that contains only `begin`.
void write_sparse(const fs::path& file, std::string_view begin, std::uint64_t num_bytes) {
  write(file, begin);
  fs::resize_file(file, num_bytes);
}

// Returns bytes that a codec accepts as its header.
std::string chunk_begin(Random& random) {
  using namespace std::string_view_literals;
  return std::string(one_of<std::string_view>(
      random, {""sv, "\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f"sv,
               "\x28\xb5\x2f\xfd\xa4\x00\x00\x00\x40\x02\x00\x00"sv, "\x1f\x8b\x08\x00\x00\x00"sv,
               "\x78\x9c\x00"sv, "BZh91AY&SY"sv,
               "\x02\x01\x21\x04\xff\xff\xff\x7f\x00\x00\x10\x00\x40\x00\x00\x00"sv,
               "\x02\x01\x33\x01\x00\x00\x00\x40\x00\x00\x00\x40\x10\x00\x00\x00"sv,
               "\xff\xff\xff\xff\xff\xff\xff\xff"sv}));
}

std::string compressor_text(Random& random) {
  return one_of<const char*>(
      random, {"null", "null", R"({"id":"zstd","level":1})", R"({"id":"gzip","level":1})",
               R"({"id":"zlib","level":1})", R"({"id":"bz2","level":1})", R"({"id":"crc32c"})",
               R"({"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0})",
               R"({"id":"blosc","cname":"zstd","clevel":99,"shuffle":7,"blocksize":-1})"});
}

std::string zarray_text(Random& random) {
  const std::size_t rank = rank_of(random);
  std::string out =
      str("{\"zarr_format\":2,\"shape\":", dims_text(random, rank),
          ",\"chunks\":", dims_text(random, chance(random, 10) ? rank_of(random) : rank));
  out += str(",\"dtype\":\"", one_of<const char*>(random, {"<f4", "|u1", "<i8", "bfloat16", ">f8"}),
             "\",\"fill_value\":", chance(random, 4) ? json_text(random, 5) : "0");
  out += str(",\"order\":\"", one_of<const char*>(random, {"C", "C", "F"}), "\",\"filters\":",
             one_of<const char*>(random, {"null", "[]", R"([{"id":"delta","dtype":"<i8"}])"}));
  out += str(",\"compressor\":", compressor_text(random));
  if (chance(random, 4)) out += str(",\"more\":", json_text(random, 1));
  return out + "}";
}

std::string codecs_text(Random& random, std::size_t rank, int depth) {
  const std::string after =
      one_of<const char*>(random, {"", R"(,{"name":"zstd","configuration":{"level":1}})",
                                   R"(,{"name":"crc32c"})", R"(,{"name":"blosc"})"});
  if (depth > 5 || chance(random, 2)) return str(R"([{"name":"bytes"})", after, "]");
  return str(R"([{"name":"sharding_indexed","configuration":{"chunk_shape":)",
             dims_text(random, rank), ",\"codecs\":", codecs_text(random, rank, depth + 1),
             R"(,"index_codecs":[{"name":"bytes"})",
             one_of<const char*>(random, {"", R"(,{"name":"crc32c"})"}), R"(],"index_location":")",
             one_of<const char*>(random, {"start", "end"}), "\"}}", after, "]");
}

std::string zarr_json_text(Random& random) {
  const std::size_t rank = rank_of(random);
  return str(R"({"zarr_format":3,"node_type":")",
             one_of<const char*>(random, {"array", "array", "array", "group"}),
             R"(","data_type":")", one_of<const char*>(random, {"float32", "uint8", "int64"}),
             "\",\"shape\":", dims_text(random, rank),
             R"(,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":)",
             dims_text(random, rank), R"(}},"chunk_key_encoding":{"name":"v2"},"fill_value":0,)",
             "\"codecs\":", codecs_text(random, rank, 0),
             ",\"attributes\":", chance(random, 4) ? json_text(random, 1) : "{}", "}");
}

// Writes the files of a few chunks.
void write_chunks(Random& random, const fs::path& folder) {
  for (const char* name : {"0", "0.0", "0.0.0", "1", "0.1"})
    if (!chance(random, 3)) write_sparse(folder / name, chunk_begin(random), file_size(random));
}

void write_array(Random& random, const fs::path& folder, bool is_v2) {
  write(folder / (is_v2 ? ".zarray" : "zarr.json"),
        is_v2 ? zarray_text(random) : zarr_json_text(random));
  write_chunks(random, folder);
}

std::string hex(std::uint32_t number) {
  std::string out(8, '0');
  for (std::size_t i = 8; i-- > 0; number >>= 4)
    out[i] = "0123456789abcdef"[number & 15];
  return out;
}

std::string shape_text(Random& random) {
  return dims_text(random, rank_of(random));
}

// Returns a manifest with a valid checksum that lists `files`.
std::string manifest_text(Random& random, std::string_view format, const std::string& files) {
  std::string out =
      str("{\"meshwright_checkpoint\":1,\"format\":\"", format,
          "\",\"step\":", chance(random, 8) ? size_text(random) : "7", ",\"arrays\":{");
  const std::uint64_t num_arrays = below(random, 6);
  for (std::uint64_t i = 0; i < num_arrays; ++i) {
    out +=
        str(i == 0 ? "" : ",", "\"", name_text(random), i, "\":{\"folder\":\"w", below(random, 3),
            "\",\"dtype\":\"", one_of<const char*>(random, {"float32", "uint8", "int64"}),
            "\",\"shape\":", shape_text(random), "}");
  }
  out += "},\"values\":{";
  const std::uint64_t num_values = chance(random, 5) ? 300'000 : below(random, 5);
  for (std::uint64_t i = 0; i < num_values; ++i)
    out += str(i == 0 ? "" : ",", "\"", i < 5 ? name_text(random) : "v", i, "\":", i);
  out += str("},\"files\":{", files, "}");
  if (chance(random, 6)) out += str(",\"more\":", json_text(random, 1));
  return str(out, ",\"crc32c\":\"", hex(crc32c(out)), "\"}\n");
}

// Returns the valid checksum of a small file.
std::uint32_t checksum_of(const fs::directory_entry& file) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 20;
  if (file.file_size() > kMaxBytes) return 0;
  std::ifstream in(file.path(), std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return crc32c(text.str());
}

// Writes arrays below a step's folder; returns the manifest's records of their files.
std::string write_arrays(Random& random, const fs::path& step) {
  std::string out;
  for (int i = 0; i < 3; ++i) {
    const std::string folder = str("w", i);
    write_array(random, step / folder, /*is_v2=*/!chance(random, 6));
    for (const auto& entry : fs::directory_iterator(step / folder)) {
      out += str(out.empty() ? "" : ",", "\"", folder, "/", entry.path().filename().string(),
                 "\":[", chance(random, 10) ? size_text(random) : str(entry.file_size()), ",\"",
                 hex(checksum_of(entry)), "\"]");
    }
  }
  return out;
}

void write_deep_folders(const fs::path& folder, int depth) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  for (int i = 0; i < depth; ++i) {
    fs::create_directory("d");
    fs::current_path("d");
  }
  fs::current_path(before);
}

void write_native(Random& random, const fs::path& run) {
  for (const char* name : {"step_00000007", "step_00000009"}) {
    const fs::path step = run / name;
    const std::string files = write_arrays(random, step);
    write(step / "_METADATA", "{}");
    write(step / "meshwright.json", manifest_text(random, "native", files));
    if (chance(random, 4)) write_deep_folders(step, 3000);
  }
}

std::string tuple_text(Random& random) {
  std::string out = "(";
  const std::size_t rank = rank_of(random);
  for (std::size_t i = 0; i < rank; ++i)
    out += str(size_text(random), i + 1 < rank ? ", " : rank == 1 ? "," : "");
  return out + ")";
}

void write_axlearn(Random& random, const fs::path& run) {
  const fs::path step = run / "step_00000007";
  std::string index = "[[\"step\", 7]";
  const std::uint64_t count = chance(random, 5) ? 100'000 : below(random, 6);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string path = i < 5 ? name_text(random) : str("v", i);
    std::string value = str("{\"dtype\": \"float32\", \"shape\": \"", tuple_text(random), "\"}");
    if (i >= 5) value = "3";
    if (chance(random, 6)) value = json_text(random, 4);
    index += str(", [\"", path, "\", ", value, "]");
    if (i < 3 && path.size() < 100 && path.find("..") == path.npos && path.find('\\') == path.npos)
      write_array(random, step / "gda" / fs::path("./" + path), true);
  }
  write(step / "index", index + "]");
  fs::create_directories(step / "gda");
  if (chance(random, 4)) write_deep_folders(step / "gda", 3000);
}

void write_seqax(Random& random, const fs::path& run) {
  const fs::path step = run / "0000000007";
  write(step / ".zgroup", chance(random, 4) ? json_text(random) : "{\"zarr_format\":2}");
  write(step / ".zattrs", chance(random, 2) ? json_text(random) : "{\"write_completed\":true}");
  for (int i = 0; i < 3; ++i)
    write_array(random, step / str("weightsw", i), true);
  for (int i = 0; i < 200; ++i)
    if (chance(random, 50)) write_array(random, step / str(repeated(".a", 120), i), true);
}

std::string toml_text(Random& random) {
  const std::size_t many = one_of<std::size_t>(random, {10, 300, 20'000});
  std::string out;
  switch (below(random, 9)) {
    case 0:
      return "a = " + repeated("[", many);
    case 1:
      return "a = " + repeated("{a=", many);
    case 2:
      return repeated("a.", many) + "a = 1";
    case 3:
      return "[" + repeated("a.", many) + "a]\nb = 1";
    case 4:
      return str("a = \"", repeated("x", 100 * many), "\"");
    case 5:
      return str("a = [", repeated("0,", 10 * many), "]");
    case 6:
      return str("[", repeated("n", 10 * many), "]\n", repeated("n", 10 * many), " = 1");
    case 7:
      return repeated("[[a]]\n", many);
    default:
      for (std::size_t i = 0; i < many; ++i)
        out += str("key", i, " = ", size_text(random) == "null" ? "1" : "2", "\n");
      return out;
  }
}

std::string bytes_text(Random& random) {
  std::string out = chunk_begin(random);
  const std::size_t count = one_of<std::size_t>(random, {0, 10, 1000, 2'000'000});
  const bool is_uniform = chance(random, 2);
  const auto same = static_cast<char>(random());
  for (std::size_t i = 0; i < count; ++i)
    out += is_uniform ? same : static_cast<char>(random());
  return out;
}

// Nested messages; some lengths are too large.
std::string proto_text(Random& random) {
  using namespace std::string_view_literals;
  switch (below(random, 4)) {
    case 0:
      return std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv) + bytes_text(random);
    case 1:
      return repeated("\x0a\x02"sv, 1'000'000);
    case 2:
      return repeated("\x08\x01"sv, 1'000'000);
    default:
      return bytes_text(random);
  }
}

std::string metrics_text(Random& random) {
  std::string out;
  for (int i = 0; i < 5; ++i)
    out += json_text(random) + (chance(random, 4) ? "" : "\n");
  return out;
}

}  // namespace

std::string to_string(Kind kind) {
  constexpr std::array<const char*, kNumKinds> kNames = {"json",    "toml",    "proto", "codec",
                                                         "metrics", "cache",   "zarr2", "zarr3",
                                                         "native",  "axlearn", "seqax"};
  return kNames.at(static_cast<std::size_t>(kind));
}

void make_input(Kind kind, std::uint64_t seed, const fs::path& folder) {
  Random random(seed);
  const fs::path input = folder / "input";
  switch (kind) {
    case Kind::json:
      return write(input, json_text(random));
    case Kind::toml:
      return write(input, toml_text(random));
    case Kind::proto:
      return write(input, proto_text(random));
    case Kind::codec:
    case Kind::cache:
      return write(input, bytes_text(random));
    case Kind::metrics:
      return write(input, metrics_text(random));
    case Kind::zarr2:
      return write_array(random, folder, true);
    case Kind::zarr3:
      return write_array(random, folder, false);
    case Kind::native:
      return write_native(random, folder);
    case Kind::axlearn:
      return write_axlearn(random, folder);
    case Kind::seqax:
      return write_seqax(random, folder);
  }
}

}  // namespace meshwright::hostile
