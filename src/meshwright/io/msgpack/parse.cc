// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/printable.h"
#include "meshwright/io/declared_bytes.h"
#include "meshwright/io/msgpack/file_cursor.h"
#include "meshwright/io/msgpack/msgpack.h"

namespace meshwright::io {
namespace {

constexpr int kDeepest = 64;
constexpr int kMostValues = 1 << 22;
// Extension types of flax.
constexpr std::uint8_t kArray = 1, kComplex = 2, kScalar = 3;
constexpr std::string_view kChunked = "__msgpack_chunked_array__";

std::int64_t integer_of(const Msgpack& value, const FileCursor& at) {
  if (const auto* out = value.find_as<std::int64_t>()) return *out;
  at.fail_here("expected an integer");
}

class MsgpackParser {
 public:
  MsgpackParser(const ReadableFile& file, const std::string& name) : at_(file, name) {}

  Msgpack parse() {
    Msgpack out = value(0);
    if (at_.num_left() > 0) at_.fail_here(str(at_.num_left(), " bytes follow the value"));
    return out;
  }

 private:
  Msgpack value(int depth) {
    if (depth > kDeepest) at_.fail_here("values are nested too deeply");
    if (++num_values_ > kMostValues) at_.fail_here("there are too many values");
    const std::uint8_t tag = at_.byte();
    if (tag < 0x80) return integer(tag);
    if (tag < 0x90) return map(tag & 0xfU, depth);
    if (tag < 0xa0) return list(tag & 0xfU, depth);
    if (tag < 0xc0) return text(tag & 0x1fU);
    if (tag >= 0xe0) return integer(static_cast<std::int8_t>(tag));
    return tagged(tag, depth);
  }

  // Values whose first byte is their type.
  Msgpack tagged(std::uint8_t tag, int depth) {
    switch (tag) {
      case 0xc0:
        return Msgpack();
      case 0xc2:
      case 0xc3:
        return Msgpack(Msgpack::Value(tag == 0xc3));
      case 0xca:
        return number(std::bit_cast<float>(static_cast<std::uint32_t>(at_.number(4))));
      case 0xcb:
        return number(std::bit_cast<double>(at_.number(8)));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return integer(static_cast<std::int64_t>(at_.number(1 << (tag - 0xcc))));
      case 0xcf:
        return large_integer(at_.number(8));
      case 0xd0:
        return integer(static_cast<std::int8_t>(at_.number(1)));
      case 0xd1:
        return integer(static_cast<std::int16_t>(at_.number(2)));
      case 0xd2:
        return integer(static_cast<std::int32_t>(at_.number(4)));
      case 0xd3:
        return integer(static_cast<std::int64_t>(at_.number(8)));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return extension(std::uint64_t{1} << (tag - 0xd4));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return extension(at_.number(1 << (tag - 0xc7)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return text(at_.number(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return list(at_.number(2 << (tag - 0xdc)), depth);
      case 0xde:
      case 0xdf:
        return map(at_.number(2 << (tag - 0xde)), depth);
      default:
        at_.fail_here(str("a value of type ", int{tag}, " is not one that flax writes"));
    }
  }

  static Msgpack integer(std::int64_t value) { return Msgpack(Msgpack::Value(value)); }
  static Msgpack number(double value) { return Msgpack(Msgpack::Value(value)); }
  Msgpack text(std::uint64_t size) { return Msgpack(Msgpack::Value(at_.text(size))); }

  Msgpack large_integer(std::uint64_t value) {
    if (value > INT64_MAX) at_.fail_here("an integer exceeds 63 bits");
    return integer(static_cast<std::int64_t>(value));
  }

  Msgpack list(std::uint64_t size, int depth) {
    check_count(size);
    Msgpack::List out;
    for (std::uint64_t i = 0; i < size; ++i)
      out.push_back(value(depth + 1));
    return Msgpack(Msgpack::Value(std::move(out)));
  }

  Msgpack map(std::uint64_t size, int depth) {
    check_count(size);
    Msgpack::Map out;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < size; ++i) {
      std::string name = member_name(depth);
      if (!names.insert(name).second)
        at_.fail_here(str("the member '", printable_name(name), "' occurs twice"));
      Msgpack member = value(depth + 1);
      out.emplace_back(std::move(name), std::move(member));
    }
    Msgpack whole{Msgpack::Value(std::move(out))};
    return whole.find(kChunked) == nullptr ? whole : joined(whole);
  }

  std::string member_name(int depth) {
    const Msgpack name = value(depth + 1);
    if (const auto* text = name.find_as<std::string>()) return *text;
    if (const auto* number = name.find_as<std::int64_t>()) return str(*number);
    at_.fail_here("the name of a member is neither a text nor an integer");
  }

  // Each value takes at least one byte.
  void check_count(std::uint64_t count) const {
    if (count > at_.num_left()) at_.fail_here(str(count, " values do not fit into the file"));
  }

  Msgpack extension(std::uint64_t size) {
    const auto type = at_.byte();
    const std::uint64_t begin = at_.offset();
    if (size > at_.num_left()) at_.fail_here("an array is cut off");
    if (type == kComplex) return value(kDeepest - 1);  // real and imaginary part
    if (type != kArray && type != kScalar)
      fail(ErrorCode::unimplemented, at_.name(), ": at byte ", begin,
           ": is of the unknown extension type ", int{type});
    MsgpackArray out = array();
    if (at_.offset() != begin + size) at_.fail_here("an array has another length than it says");
    return Msgpack(Msgpack::Value(std::move(out)));
  }

  // Shape, name of the dtype, elements.
  MsgpackArray array() {
    constexpr std::uint8_t kListOfThree = 0x93;
    if (at_.byte() != kListOfThree) at_.fail_here("an array does not consist of three values");
    MsgpackArray out;
    const Msgpack dims = value(kDeepest - 1);
    const auto* list = dims.find_as<Msgpack::List>();
    if (list == nullptr) at_.fail_here("the shape of an array is no list");
    for (const Msgpack& size : *list)
      out.type.dims.push_back(integer_of(size, at_));
    const Msgpack dtype = value(kDeepest - 1);
    const auto* name = dtype.find_as<std::string>();
    if (name == nullptr) at_.fail_here("the dtype of an array is no text");
    const std::optional<DType> known = find_dtype(*name);
    if (!known)
      fail(ErrorCode::unimplemented, at_.name(), ": dtype '", printable_name(*name),
           "' is not supported");
    out.type.dtype = *known;
    out.pieces = {bytes()};
    check_size(out);
    return out;
  }

  FileRange bytes() {
    const std::uint8_t tag = at_.byte();
    if (tag < 0xc4 || tag > 0xc6) at_.fail_here("the elements of an array are no bytes");
    const std::uint64_t size = at_.number(1 << (tag - 0xc4));
    return at_.skip(size);
  }

  std::uint64_t num_bytes_of(const ArrayType& type) const {
    try {
      return declared_bytes(type);
    } catch (const Error& error) {
      at_.fail_here(error.what());
    }
  }

  void check_size(const MsgpackArray& array) const {
    std::uint64_t found = 0;
    for (const FileRange& piece : array.pieces)
      found += piece.num_bytes;
    if (num_bytes_of(array.type) != found)
      at_.fail_here(str("has ", found, " bytes of elements for ", array.type));
  }

  // An array of more than 2^30 bytes: its shape, and chunks of its elements in order.
  Msgpack joined(const Msgpack& parts) const {
    const Msgpack *shape = parts.find("shape"), *chunks = parts.find("chunks");
    if (shape == nullptr || chunks == nullptr) at_.fail_here("an array in chunks has no chunks");
    MsgpackArray out;
    for (const Msgpack& size : in_order(*shape))
      out.type.dims.push_back(integer_of(size, at_));
    for (const Msgpack& chunk : in_order(*chunks)) {
      const auto* array = chunk.find_as<MsgpackArray>();
      if (array == nullptr) at_.fail_here("a chunk of an array is no array");
      if (!out.pieces.empty() && array->type.dtype != out.type.dtype)
        at_.fail_here("chunks of an array have different dtypes");
      out.type.dtype = array->type.dtype;
      out.pieces.insert(out.pieces.end(), array->pieces.begin(), array->pieces.end());
    }
    check_size(out);
    return Msgpack(Msgpack::Value(std::move(out)));
  }

  // Returns the members "0", "1", ... of a map that stands for a list.
  Msgpack::List in_order(const Msgpack& map) const {
    if (map.find_as<Msgpack::Map>() == nullptr)
      at_.fail_here("the shape or the chunks of an array are not a map");
    std::map<std::string_view, const Msgpack*> parts;
    for (const auto& [name, part] : map.as_map())
      parts.emplace(name, &part);
    Msgpack::List out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto found = parts.find(str(i));
      if (found == parts.end()) at_.fail_here(str("an array in chunks lacks its part ", i));
      out.push_back(*found->second);
    }
    return out;
  }

  FileCursor at_;
  int num_values_ = 0;
};

}  // namespace

const Msgpack::Map& Msgpack::as_map() const {
  if (const auto* out = find_as<Map>()) return *out;
  fail(ErrorCode::data_loss, "is no map");
}

const Msgpack* Msgpack::find(std::string_view name) const {
  const auto* map = find_as<Map>();
  if (map == nullptr) return nullptr;
  for (const Member& member : *map)
    if (member.first == name) return &member.second;
  return nullptr;
}

bool is_msgpack_map(const FileSystem& files, const std::string& path) {
  if (!is_file(files, path)) return false;
  const std::unique_ptr<ReadableFile> file = files.open(path);
  std::array<std::byte, 1> first{};
  if (file->num_bytes() > 0) file->read(0, first);
  const auto tag = std::to_integer<unsigned>(first[0]);
  return (tag & 0xf0U) == 0x80U || tag == 0xdeU || tag == 0xdfU;
}

Msgpack parse_msgpack(const ReadableFile& file, const std::string& name) {
  return MsgpackParser(file, name).parse();
}

}  // namespace meshwright::io
