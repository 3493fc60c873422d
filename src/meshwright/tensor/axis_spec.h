// SPDX-License-Identifier: Apache-2.0
// Axis names as text such as "batch len embed". The compiler checks string literals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright {

namespace axis_spec {

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// Removes and returns the text before `separator`, or all of the text if it has none.
constexpr std::string_view cut(std::string_view& text, std::string_view separator) {
  std::size_t end = text.find(separator);
  std::string_view head = trimmed(text.substr(0, end));
  text = end == text.npos ? std::string_view() : trimmed(text.substr(end + separator.size()));
  return head;
}

constexpr bool is_name(std::string_view word) {
  for (char c : word) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool digit = c >= '0' && c <= '9';
    if (!letter && !digit) return false;
  }
  return !word.empty() && (word[0] < '0' || word[0] > '9');
}

constexpr bool contains(std::string_view array, std::string_view name) {
  while (!array.empty()) {
    if (cut(array, " ") == name) return true;
  }
  return false;
}

// The rules of the grammar, one per line. For a literal, the compiler prints the line that is
// violated; parse() turns it into an Error.
constexpr void check_array(std::string_view array) {
  while (!array.empty()) {
    std::string_view name = cut(array, " ");
    if (!is_name(name)) throw "an axis name must consist of letters, digits and '_'";
    if (contains(array, name)) throw "an axis appears twice in one array";
  }
}

// Returns the number of inputs, separated by commas, that have this axis.
constexpr int num_inputs_with(std::string_view inputs, std::string_view name) {
  int count = 0;
  while (!inputs.empty())
    count += contains(cut(inputs, ","), name) ? 1 : 0;
  return count;
}

// Rejects an axis that occurs in only one of several operands and is missing from the output: it is
// most likely misspelt. With a single operand, such axes are summed.
constexpr void check_summed_axes(std::string_view inputs, std::string_view output) {
  if (inputs.find(',') == inputs.npos) return;
  for (std::string_view rest = inputs; !rest.empty();) {
    for (std::string_view array = cut(rest, ","); !array.empty();) {
      std::string_view name = cut(array, " ");
      if (num_inputs_with(inputs, name) == 1 && !contains(output, name))
        throw "einsum: an axis occurs in only one of several inputs and not in the output";
    }
  }
}

constexpr void check_einsum(std::string_view text) {
  if (text.find("->") == text.npos) throw "einsum: missing '->' before the output axes";
  std::string_view inputs = cut(text, "->");
  std::string_view output = text;
  check_array(output);
  bool more = true;
  for (std::string_view rest = inputs; more;) {
    more = rest.find(',') != rest.npos;
    check_array(cut(rest, ","));
  }
  for (std::string_view rest = output; !rest.empty();) {
    if (num_inputs_with(inputs, cut(rest, " ")) == 0)
      throw "einsum: an output axis does not occur in any input";
  }
  check_summed_axes(inputs, output);
}

}  // namespace axis_spec

/// The axis names of an array, separated by spaces and unique; "" for a scalar. An invalid string
/// literal does not compile. This is a view: the text must outlive it.
class AxisSpec {
 public:
  consteval AxisSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(axis_spec::trimmed(text)) {
    axis_spec::check_array(text_);
  }
  /// Checks the text at run time. Throws invalid_argument if it is malformed.
  static AxisSpec parse(std::string_view text);

  std::vector<std::string_view> names() const;
  std::string_view text() const { return text_; }

 private:
  friend class EinsumSpec;
  struct Checked {
    std::string_view text;
  };
  explicit AxisSpec(Checked checked) : text_(checked.text) {}

  std::string_view text_;
};

/// The axes of the inputs, separated by commas, and of the output:
///   "batch len embed, embed mlp -> batch len mlp"
/// Axes that are missing from the output are summed over. With several inputs, such an axis must
/// occur in at least two of them; sum any other axis beforehand, as in einsum("a b c -> a b", x).
/// Like AxisSpec, it is checked at compile time and is a view.
class EinsumSpec {
 public:
  consteval EinsumSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(text) {
    axis_spec::check_einsum(text_);
  }
  /// Checks the text at run time. Throws invalid_argument if it is malformed.
  static EinsumSpec parse(std::string_view text);

  std::vector<AxisSpec> inputs() const;
  AxisSpec output() const;
  std::string_view text() const { return text_; }

 private:
  explicit EinsumSpec(AxisSpec::Checked checked) : text_(checked.text) {}

  std::string_view text_;
};

inline std::string to_string(const AxisSpec& spec) {
  return std::string(spec.text());
}
inline std::string to_string(const EinsumSpec& spec) {
  return std::string(spec.text());
}

}  // namespace meshwright
