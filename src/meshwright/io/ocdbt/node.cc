// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/ocdbt/node.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/io/ocdbt/envelope.h"

namespace meshwright::io::ocdbt {
namespace {

// Keys of a node, and, for nodes above the leaves, how much of each all keys below it share.
struct Keys {
  std::vector<std::string> keys;
  std::vector<std::uint64_t> num_shared;
};

Keys take_keys(std::string_view& bytes, std::uint64_t count, bool is_leaf) {
  const std::vector<std::uint64_t> before = take_column(bytes, count - 1);
  const std::vector<std::uint64_t> rest = take_column(bytes, count);
  Keys out;
  if (!is_leaf) out.num_shared = take_column(bytes, count);
  std::string key;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t num_before = i == 0 ? 0 : before[i - 1];
    if (num_before > key.size()) fail(ErrorCode::data_loss, "has damaged keys");
    const std::string previous = key;
    key.resize(num_before);
    key += take(bytes, rest[i]);
    constexpr std::size_t kLongestKey = 4096;
    if (key.size() > kLongestKey) fail(ErrorCode::data_loss, "has a key that is too long");
    if (i > 0 && key <= previous) fail(ErrorCode::data_loss, "has keys that are not in order");
    if (!is_leaf && out.num_shared[i] > key.size()) fail(ErrorCode::data_loss, "has damaged keys");
    out.keys.push_back(key);
  }
  return out;
}

std::map<std::string, Value> take_values(std::string_view& bytes,
                                         const std::vector<std::string>& keys,
                                         const std::vector<DataFile>& files) {
  const std::vector<std::uint64_t> sizes = take_column(bytes, keys.size());
  const std::string_view kinds = take(bytes, keys.size());
  if (std::ranges::any_of(kinds, [](char kind) { return kind != 0 && kind != 1; }))
    fail(ErrorCode::data_loss, "has a value of unknown kind");
  std::vector<Value> values(keys.size());
  const auto for_each_outside = [&](const auto& f) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (kinds[i] == 1) f(i);
  };
  for_each_outside([&](std::size_t i) {
    values[i] = OutsideValue{take_file(bytes, files), {.offset = 0, .num_bytes = sizes[i]}};
  });
  for_each_outside(
      [&](std::size_t i) { std::get<OutsideValue>(values[i]).range.offset = take_varint(bytes); });
  std::map<std::string, Value> out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (kinds[i] == 0) values[i] = std::string(take(bytes, sizes[i]));
    out.emplace_hint(out.end(), keys[i], std::move(values[i]));
  }
  return out;
}

std::vector<Child> take_children(std::string_view& bytes,
                                 const Keys& keys,
                                 const std::vector<DataFile>& files,
                                 std::uint64_t height) {
  const std::size_t count = keys.keys.size();
  std::vector<Child> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i].prefix = keys.keys[i].substr(0, keys.num_shared[i]);
    out[i].place.file = take_file(bytes, files);
    out[i].place.height = height - 1;
  }
  for (Child& child : out)
    child.place.offset = take_varint(bytes);
  for (Child& child : out)
    child.place.num_bytes = take_varint(bytes);
  constexpr int kStatistics = 3;  // numbers of keys, bytes of nodes, bytes of values
  for (int i = 0; i < kStatistics; ++i)
    take_column(bytes, count);
  return out;
}

Node parsed(std::string_view bytes, const NodePlace& place) {
  if (const auto height = take_number<std::uint8_t>(bytes); height != place.height)
    fail(ErrorCode::data_loss, "has height ", int{height}, ", expected ", place.height);
  const std::vector<DataFile> files = take_files(bytes, place.file.base);
  const std::uint64_t count = take_varint(bytes);
  if (count == 0) fail(ErrorCode::data_loss, "has no keys");
  const Keys keys = take_keys(bytes, count, place.height == 0);
  Node out;
  if (place.height == 0) {
    out.values = take_values(bytes, keys.keys, files);
  } else {
    out.children = take_children(bytes, keys, files, place.height);
  }
  check_is_empty(bytes);
  return out;
}

std::map<std::string, std::uint64_t> numbered_files(const std::map<std::string, Value>& values) {
  std::map<std::string, std::uint64_t> out;
  for (const auto& [key, value] : values)
    if (const auto* outside = std::get_if<OutsideValue>(&value)) out[outside->file.path()] = 0;
  std::uint64_t number = 0;
  for (auto& [path, index] : out)
    index = number++;
  return out;
}

void append_files(std::string& out, const std::map<std::string, std::uint64_t>& files) {
  append_varint(out, files.size());
  for (std::size_t i = 1; i < files.size(); ++i)
    append_varint(out, 0);  // bytes shared with the previous path
  for (const auto& [path, index] : files)
    append_varint(out, path.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    append_varint(out, 0);  // bytes of the base
  for (const auto& [path, index] : files)
    out += path;
}

void append_keys(std::string& out, const std::map<std::string, Value>& values) {
  append_varint(out, values.size());
  for (std::size_t i = 1; i < values.size(); ++i)
    append_varint(out, 0);  // bytes shared with the previous key
  for (const auto& [key, value] : values)
    append_varint(out, key.size());
  for (const auto& [key, value] : values)
    out += key;
}

}  // namespace

Node parse_node(std::string_view bytes,
                const NodePlace& place,
                const std::string& prefix,
                std::uint64_t max_bytes,
                const std::string& name) {
  const std::string content = open_envelope(Block::node, bytes, max_bytes, name);
  try {
    Node out = parsed(content, place);
    if (prefix.empty()) return out;
    std::map<std::string, Value> values;
    for (auto& [key, value] : out.values)
      values.emplace_hint(values.end(), prefix + key, std::move(value));
    out.values = std::move(values);
    for (Child& child : out.children)
      child.prefix.insert(0, prefix);
    return out;
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

std::string leaf_bytes(const std::map<std::string, Value>& values) {
  std::string out(1, '\0');  // height
  const std::map<std::string, std::uint64_t> files = numbered_files(values);
  append_files(out, files);
  append_keys(out, values);
  const auto for_each_value = [&](const auto& inside, const auto& outside) {
    for (const auto& [key, value] : values) {
      if (const auto* text = std::get_if<std::string>(&value)) inside(*text);
      if (const auto* place = std::get_if<OutsideValue>(&value)) outside(*place);
    }
  };
  const auto nothing = [](const auto&) {};
  for_each_value([&](const std::string& text) { append_varint(out, text.size()); },
                 [&](const OutsideValue& value) { append_varint(out, value.range.num_bytes); });
  for_each_value([&](const std::string&) { out += '\0'; },
                 [&](const OutsideValue&) { out += '\1'; });
  for_each_value(
      nothing, [&](const OutsideValue& value) { append_varint(out, files.at(value.file.path())); });
  for_each_value(nothing,
                 [&](const OutsideValue& value) { append_varint(out, value.range.offset); });
  for_each_value([&](const std::string& text) { out += text; }, nothing);
  return close_envelope(Block::node, out);
}

}  // namespace meshwright::io::ocdbt
