// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: the Thrift compact protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace meshwright::data::parquet {

enum class ThriftType : std::uint8_t {
  stop = 0,
  boolean_true = 1,
  boolean_false = 2,
  int8 = 3,
  int16 = 4,
  int32 = 5,
  int64 = 6,
  floating = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  structure = 12,
  uuid = 13,
};

struct ThriftField {
  int id = 0;
  ThriftType type = ThriftType::stop;
  bool is_element = false;  // of a list
};

/// Reads untrusted bytes. All functions throw data_loss if the bytes are truncated, malformed,
/// nested too deeply, or of another type than the caller expects.
class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  /// Calls `on_field(field)` for every field. It reads the value and returns true, or returns false
  /// to skip it.
  template <typename OnField>
  void read_struct(OnField on_field) {
    enter();
    int id = 0;
    while (const std::optional<ThriftField> field = next_field(id)) {
      id = field->id;
      if (!on_field(*field)) skip(*field);
    }
    --depth_;
  }
  template <typename OnField>
  void read_struct(const ThriftField& field, OnField on_field) {
    expect(field.type == ThriftType::structure);
    read_struct(on_field);
  }
  /// Calls `on_element(field)` for every element, like read_struct().
  template <typename OnElement>
  void read_list(const ThriftField& field, OnElement on_element) {
    expect(field.type == ThriftType::list || field.type == ThriftType::set);
    enter();
    ListHeader header = list_header();
    for (; header.size > 0; --header.size) {
      if (!on_element(header.element)) skip(header.element);
    }
    --depth_;
  }
  std::int64_t integer(const ThriftField& field);
  /// Throws data_loss for a negative value or one above INT32_MAX.
  int size(const ThriftField& field);
  bool boolean(const ThriftField& field);
  /// Returns a view of the bytes that were passed to the constructor.
  std::string_view text(const ThriftField& field);

  std::size_t num_read() const { return num_read_; }

 private:
  struct ListHeader {
    std::uint64_t size = 0;
    ThriftField element;
  };

  void enter();
  static void expect(bool is_expected);
  std::optional<ThriftField> next_field(int last_id);
  ListHeader list_header();
  std::uint8_t byte();
  std::uint64_t varint();
  std::int64_t zigzag();
  std::string_view take(std::uint64_t num_bytes);
  void skip(const ThriftField& field);
  void skip_map();

  std::string_view bytes_;
  std::size_t num_read_ = 0;
  int depth_ = 0;
};

}  // namespace meshwright::data::parquet
