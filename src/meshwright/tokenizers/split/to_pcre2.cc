// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/to_pcre2.h"

#include <array>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/split/class_ranges.h"

namespace meshwright::tokenizers {
namespace {

class Translation {
 public:
  explicit Translation(std::string_view pattern) : pattern_(pattern), rest_(pattern) {}

  std::string run() {
    while (!rest_.empty())
      step();
    return std::move(out_);
  }

 private:
  void step() {
    switch (rest_.front()) {
      case '\\':
        return escape(false);
      case '[':
        return character_class();
      case '(':
        return open_group();
      case ')':
        if (!ignores_case_.empty()) ignores_case_.pop_back();
        return copy(1);
      case '{':
        return repetition();
      case '^':
      case '$':
        return refuse(rest_.substr(0, 1));
      default:
        break;
    }
    // Oniguruma matches these pairs with a single character when it ignores case.
    for (const std::string_view pair : {"ss", "ff", "fi", "fl", "st"})
      if (ignores_case() && rest_.size() > 1 && (rest_[0] | 0x20) == pair[0] &&
          (rest_[1] | 0x20) == pair[1])
        refuse("'" + std::string(pair) + "' that ignores case");
    copy(1);
  }

  void open_group() {
    if (!rest_.starts_with("(?")) {
      ignores_case_.push_back(ignores_case());
      return copy(1);
    }
    for (const std::string_view opening : {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"}) {
      if (!rest_.starts_with(opening)) continue;
      ignores_case_.push_back(ignores_case() || opening == "(?i:");
      return copy(opening.size());
    }
    refuse(rest_.substr(0, 4));
  }

  // {n}, {n,} or {n,m}
  void repetition() {
    const std::size_t close = rest_.find('}');
    const std::string_view whole = rest_.substr(0, close == rest_.npos ? 1 : close + 1);
    const std::string_view inner = whole.substr(1, whole.size() < 2 ? 0 : whole.size() - 2);
    const std::size_t comma = inner.find(',');
    const bool digits = inner.find_first_not_of("0123456789,") == inner.npos &&
                        comma == inner.rfind(',') && !inner.empty() && comma != 0;
    if (!digits) refuse(whole);
    const std::string_view after = rest_.substr(whole.size());
    if (after.starts_with('+') || (after.starts_with('?') && comma == inner.npos))
      refuse(rest_.substr(0, whole.size() + 1));
    copy(whole.size());
  }

  void character_class() {
    copy(1);
    if (rest_.starts_with('^')) copy(1);
    if (rest_.starts_with(']')) refuse("']' at the start of a class");
    while (!rest_.empty() && rest_.front() != ']') {
      if (rest_.front() == '[') refuse("a class within a class");
      if (rest_.starts_with("&&")) refuse("&&");
      if (rest_.front() == '\\')
        escape(true);
      else
        copy(1);
    }
    copy(1);
  }

  void escape(bool in_class) {
    if (rest_.size() < 2) refuse("\\");
    const char c = rest_[1];
    if (c == 'p' || c == 'P') return property(in_class);
    if (std::string_view("sdw").find(c) != std::string_view::npos)
      return named(rest_.substr(1, 1), false, 2, in_class);
    if (std::string_view("SDW").find(c) != std::string_view::npos) {
      const char lower = static_cast<char>(c | 0x20);
      return named(std::string_view(&lower, 1), true, 2, in_class);
    }
    if (c == 'u') return unicode_escape();
    const bool letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    const std::string_view allowed = in_class ? "rntfvx" : "rntfvxAz";
    if (letter && allowed.find(c) == allowed.npos) refuse(rest_.substr(0, 2));
    copy(2);
  }

  // \uHHHH
  void unicode_escape() {
    const std::string_view digits = rest_.substr(2, 4);
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos)
      refuse(rest_.substr(0, 6));
    out_ += "\\x{";
    out_ += digits;
    out_ += '}';
    rest_.remove_prefix(6);
  }

  // \p{name}, \p{^name} or \P{name}
  void property(bool in_class) {
    const std::size_t close = rest_.find('}');
    if (!rest_.substr(2).starts_with('{') || close == rest_.npos) refuse(rest_.substr(0, 2));
    std::string_view name = rest_.substr(3, close - 3);
    bool negated = rest_[1] == 'P';
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    if (name == "s" || name == "d" || name == "w") refuse(rest_.substr(0, close + 1));
    named(name, negated, close + 1, in_class);
  }

  void named(std::string_view name, bool negated, std::size_t size, bool in_class) {
    const auto ranges = class_ranges(name, negated, in_class);
    if (!ranges.has_value()) refuse(rest_.substr(0, size));
    if (ignores_case()) refuse(str(rest_.substr(0, size), " that ignores case"));
    out_ += in_class ? *ranges : "[" + *ranges + "]";
    rest_.remove_prefix(size);
  }

  bool ignores_case() const { return !ignores_case_.empty() && ignores_case_.back(); }

  void copy(std::size_t size) {
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(std::min(size, rest_.size()));
  }

  [[noreturn]] void refuse(std::string_view syntax) const {
    fail(ErrorCode::unimplemented, "regular expression '", pattern_, "': ", syntax,
         " is not supported");
  }

  std::string_view pattern_, rest_;
  std::string out_;
  std::vector<bool> ignores_case_;  // of each open group
};

}  // namespace

std::string to_pcre2(std::string_view pattern) {
  return Translation(pattern).run();
}

}  // namespace meshwright::tokenizers
