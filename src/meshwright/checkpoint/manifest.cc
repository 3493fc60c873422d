// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/manifest.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "meshwright/base/crc32c.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::string_view kFirstLine = "meshwright checkpoint\t1";
constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

// --- writing ----------------------------------------------------------------------------------

// Tabs, line ends and '%' as %09, so that a field is never more than one.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != '%') {
      out += c;
      continue;
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += '%';
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string scalar_fields(const Scalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) return str("bool\t", *flag);
  if (const auto* number = std::get_if<std::int64_t>(&scalar)) return str("int\t", *number);
  if (const auto* number = std::get_if<double>(&scalar)) return str("float\t", *number);
  return str("text\t", escaped(std::get<std::string>(scalar)));
}

std::string ranges_field(const std::vector<mesh::Range>& ranges) {
  return join(ranges, ",");
}

// --- reading ----------------------------------------------------------------------------------

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    std::size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Manifest parse() {
    check_crc();
    require(next_line() == kFirstLine, "this is no manifest of a checkpoint that can be read");
    Manifest out;
    while (!text_.empty()) {
      fields_ = split(next_line(), '\t');
      read_entry(out);
    }
    for_each(out.arrays,
             [&](const std::string& path, const ArrayEntry& entry) { check_parts(path, entry); });
    return out;
  }

 private:
  void require(bool holds, std::string_view otherwise) const {
    if (!holds) fail(ErrorCode::data_loss, name_, ", line ", line_number_, ": ", otherwise);
  }

  // The last line is about the bytes before it.
  void check_crc() {
    constexpr std::string_view kEnd = "end\t";
    std::size_t at = text_.rfind(kEnd);
    require(at != std::string_view::npos && (at == 0 || text_[at - 1] == '\n'), "it is cut off");
    std::string expected = str("end\t", crc32c(text_.substr(0, at)), '\n');
    require(text_.substr(at) == expected, "its checksum does not fit: it is damaged");
    text_ = text_.substr(0, at);
  }

  std::string_view next_line() {
    ++line_number_;
    std::size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    return line;
  }

  void read_entry(Manifest& out) {
    std::string_view kind = fields_[0];
    if (kind == "step") {
      require(fields_.size() == 2, "a step with too many fields");
      out.step = number<std::int64_t>(fields_[1]);
    } else if (kind == "meta") {
      require(fields_.size() == 4, "a value with other than 4 fields");
      out.meta[fields_[1]] = scalar(fields_[2], fields_[3]);
    } else if (kind == "array") {
      require(fields_.size() == 4, "an array with other than 4 fields");
      Tree<ArrayEntry>& entry = out.arrays[fields_[1]];
      require(!entry.is_leaf() && entry.children().empty(), "this array was there before");
      entry = ArrayEntry{array_type(fields_[2], fields_[3]), {}};
      array_ = &entry.value();
    } else if (kind == "part") {
      require(fields_.size() == 4 && array_ != nullptr, "a part with other than 4 fields");
      array_->parts.push_back(part(array_->type));
    } else {
      require(false, "an entry of an unknown kind");
    }
  }

  template <typename Number>
  Number number(std::string_view text) const {
    Number out{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    require(error == std::errc() && end == text.data() + text.size(), "a number was expected");
    return out;
  }

  Scalar scalar(std::string_view kind, std::string_view text) const {
    if (kind == "bool") return text == "true";
    if (kind == "int") return number<std::int64_t>(text);
    if (kind == "float") return number<double>(text);
    require(kind == "text", "a value of an unknown kind");
    return unescaped(text);
  }

  std::string unescaped(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        out += text[i];
        continue;
      }
      require(i + 2 < text.size(), "an escape is cut off");
      int code = 0;
      std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16);
      out += static_cast<char>(code);
      i += 2;
    }
    return out;
  }

  ArrayType array_type(std::string_view dtype_text, std::string_view dims_text) const {
    std::optional<DType> dtype = find_dtype(dtype_text);
    require(dtype.has_value(), "an unknown dtype");
    ArrayType out{*dtype, {}};
    if (dims_text.empty()) return out;
    std::int64_t count = 1;
    for (std::string_view size : split(dims_text, ',')) {
      out.dims.push_back(number<std::int64_t>(size));
      bool is_sane =
          out.dims.back() >= 0 && (out.dims.back() == 0 || count <= kMaxElements / out.dims.back());
      require(is_sane, "a size that no array has");
      count *= out.dims.back();
    }
    return out;
  }

  PartEntry part(const ArrayType& type) const {
    PartEntry out{std::string(fields_[1]), {}, number<std::uint32_t>(fields_[3])};
    bool is_plain = !out.file.empty() && out.file.find('/') == std::string::npos &&
                    out.file.front() != '.' && out.file.size() < 256;
    require(is_plain, "a file must be a plain name");
    if (type.dims.empty()) return out;
    for (std::string_view text : split(fields_[2], ',')) {
      std::vector<std::string_view> ends = split(text, ':');
      require(ends.size() == 2 && out.ranges.size() < type.dims.size(), "a part lies nowhere");
      mesh::Range range{number<std::int64_t>(ends[0]), number<std::int64_t>(ends[1])};
      bool is_inside = range.start >= 0 && range.start <= range.stop &&
                       range.stop <= type.dims[out.ranges.size()];
      require(is_inside, "a part lies outside of its array");
      out.ranges.push_back(range);
    }
    require(out.ranges.size() == type.dims.size(), "a part lies nowhere");
    return out;
  }

  void check_parts(const std::string& path, const ArrayEntry& entry) const {
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < entry.parts.size(); ++i) {
      std::int64_t count = 1;
      for (const mesh::Range& range : entry.parts[i].ranges)
        count *= range.size();
      covered += count;
      for (std::size_t j = 0; j < i; ++j)
        require(!overlap(entry.parts[i], entry.parts[j]), str("parts of '", path, "' overlap"));
    }
    require(!entry.parts.empty() && covered == num_elements(entry.type.dims),
            str("parts of '", path, "' are missing"));
  }

  static bool overlap(const PartEntry& a, const PartEntry& b) {
    for (std::size_t i = 0; i < a.ranges.size(); ++i) {
      if (a.ranges[i].stop <= b.ranges[i].start || b.ranges[i].stop <= a.ranges[i].start)
        return false;
    }
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  int line_number_ = 0;
  std::vector<std::string_view> fields_;
  ArrayEntry* array_ = nullptr;
};

}  // namespace

std::string write_manifest(const Manifest& manifest) {
  std::string out = str(kFirstLine, "\nstep\t", manifest.step, '\n');
  for_each(manifest.meta, [&](const std::string& path, const Scalar& scalar) {
    out += str("meta\t", path, '\t', scalar_fields(scalar), '\n');
  });
  for_each(manifest.arrays, [&](const std::string& path, const ArrayEntry& entry) {
    out += str("array\t", path, '\t', entry.type.dtype, '\t', join(entry.type.dims, ","), '\n');
    for (const PartEntry& part : entry.parts)
      out += str("part\t", part.file, '\t', ranges_field(part.ranges), '\t', part.crc, '\n');
  });
  return str(out, "end\t", crc32c(out), '\n');
}

Manifest parse_manifest(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

}  // namespace meshwright::checkpoint
