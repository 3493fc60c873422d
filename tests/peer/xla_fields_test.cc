// SPDX-License-Identifier: Apache-2.0
// Compares the field numbers in pjrt/xla_fields.h with XLA's own .proto files, whose compiled
// descriptors (google.protobuf.FileDescriptorProto) are in the plugin of the Python package index.
#include "meshwright/pjrt/xla_fields.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "meshwright/base/check.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/runtime/plugin_choice.h"

namespace meshwright::pjrt {
namespace {

using Numbers = std::map<std::string, std::int64_t, std::less<>>;

// Field numbers of descriptor.proto.
constexpr int kFileMessage = 4, kFileEnum = 5, kLastFileField = 14;
constexpr int kName = 1, kField = 2, kNestedMessage = 3, kNestedEnum = 4, kEnumValue = 2;
constexpr int kFieldNumber = 3, kEnumValueNumber = 2;

std::string name_of(std::string_view descriptor) {
  for (const ProtoField& field : read_proto(descriptor))
    if (field.number == kName) return std::string(field.bytes);
  fail(ErrorCode::data_loss, "a descriptor without a name");
}

void add_member(std::string_view descriptor,
                int number_field,
                const std::string& owner,
                Numbers& out) {
  std::int64_t number = 0;
  for (const ProtoField& field : read_proto(descriptor))
    if (field.number == number_field) number = field.int64();
  out[str(owner, ".", name_of(descriptor))] = number;
}

void add_enum(std::string_view descriptor, const std::string& scope, Numbers& out) {
  const std::string name = scope + name_of(descriptor);
  for (const ProtoField& field : read_proto(descriptor))
    if (field.number == kEnumValue) add_member(field.bytes, kEnumValueNumber, name, out);
}

void add_message(std::string_view descriptor, const std::string& scope, Numbers& out) {
  const std::string name = scope + name_of(descriptor);
  for (const ProtoField& field : read_proto(descriptor)) {
    if (field.number == kField) add_member(field.bytes, kFieldNumber, name, out);
    if (field.number == kNestedMessage) add_message(field.bytes, name + ".", out);
    if (field.number == kNestedEnum) add_enum(field.bytes, name + ".", out);
  }
}

std::size_t varint(std::string_view& rest) {
  std::size_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.at(0));
    rest.remove_prefix(1);
    value |= std::size_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

// Returns the FileDescriptorProto at the start of `rest`, which ends before the first byte that
// cannot be one of its fields: all fields that occur have a one-byte tag and are length-delimited.
std::string_view file_descriptor(std::string_view rest) {
  constexpr int kLengthDelimited = 2;
  const std::string_view begin = rest;
  for (;;) {
    const auto tag = static_cast<unsigned char>(rest.at(0));
    if ((tag & 7) != kLengthDelimited || tag >> 3 > kLastFileField) break;
    rest.remove_prefix(1);
    rest.remove_prefix(varint(rest));
  }
  return begin.substr(0, begin.size() - rest.size());
}

void add_file(std::string_view plugin, std::string_view file, Numbers& out) {
  const std::string begin = str("\n", static_cast<char>(file.size()), file, "\x12\x03xla");
  const std::size_t at = plugin.find(begin);
  if (at == std::string_view::npos) fail(ErrorCode::not_found, "the plugin has no ", file);
  for (const ProtoField& field : read_proto(file_descriptor(plugin.substr(at)))) {
    if (field.number == kFileMessage) add_message(field.bytes, "", out);
    if (field.number == kFileEnum) add_enum(field.bytes, "", out);
  }
}

Numbers numbers_in_plugin() {
  const std::string path = runtime::plugin_path("cpu", "");
  std::string plugin(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(plugin.data(), std::ssize(plugin));
  Numbers out;
  for (std::string_view file : {"xla/xla.proto", "xla/xla_data.proto", "xla/service/hlo.proto",
                                "xla/pjrt/proto/compile_options.proto"})
    add_file(plugin, file, out);
  return out;
}

TEST(XlaFields, HaveTheNumbersOfThePluginsDescriptors) {
  const Numbers numbers = numbers_in_plugin();
  for (const XlaField& field : kXlaFields) {
    const auto found = numbers.find(field.name);
    ASSERT_NE(found, numbers.end()) << field.name;
    EXPECT_EQ(field.number, found->second) << field.name;
  }
}

}  // namespace
}  // namespace meshwright::pjrt
