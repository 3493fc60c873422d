// SPDX-License-Identifier: Apache-2.0
// Axis names in text, "batch len embed", checked by the compiler where the text is a literal.
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

/// Cuts off and returns what stands before `separator`, or all of the text if there is none.
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

// The rules of the grammar, one line each. In a literal the compiler prints the line that is
// broken; parse() turns it into an Error.
constexpr void check_array(std::string_view array) {
  while (!array.empty()) {
    std::string_view name = cut(array, " ");
    if (!is_name(name)) throw "axis names are words of letters, digits and '_'";
    if (contains(array, name)) throw "an axis appears twice in one array";
  }
}

// How many of the inputs, which are separated by commas, have this axis.
constexpr int num_inputs_with(std::string_view inputs, std::string_view name) {
  int count = 0;
  while (!inputs.empty())
    count += contains(cut(inputs, ","), name) ? 1 : 0;
  return count;
}

// An axis of one operand alone may be summed away, but not where there are others: there it is
// most likely a name that was misspelt.
constexpr void check_summed_axes(std::string_view inputs, std::string_view output) {
  if (inputs.find(',') == inputs.npos) return;
  for (std::string_view rest = inputs; !rest.empty();) {
    for (std::string_view array = cut(rest, ","); !array.empty();) {
      std::string_view name = cut(array, " ");
      if (num_inputs_with(inputs, name) == 1 && !contains(output, name))
        throw "einsum: an axis stands in one of several inputs and not in the output";
    }
  }
}

constexpr void check_einsum(std::string_view text) {
  if (text.find("->") == text.npos) throw "einsum: there is no '->' before the output axes";
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
      throw "einsum: output axis does not appear in an input";
  }
  check_summed_axes(inputs, output);
}

}  // namespace axis_spec

/// The axis names of one array, separated by spaces, each at most once; "" for a scalar. A string
/// literal that breaks a rule does not compile. A view: the text must outlive it.
class AxisSpec {
 public:
  consteval AxisSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(axis_spec::trimmed(text)) {
    axis_spec::check_array(text_);
  }
  /// The same for text that is known only at run time. Throws invalid_argument.
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

/// The axes of the inputs, separated by commas, and those of the output:
///   "batch len embed, embed mlp -> batch len mlp"
/// Axes that the output lacks are summed over. Among several inputs such an axis stands in at least
/// two; what one of them has alone is summed beforehand: einsum("a b c -> a b", x). As AxisSpec,
/// checked while compiling, and a view.
class EinsumSpec {
 public:
  consteval EinsumSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : text_(text) {
    axis_spec::check_einsum(text_);
  }
  /// The same for text that is known only at run time. Throws invalid_argument.
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
