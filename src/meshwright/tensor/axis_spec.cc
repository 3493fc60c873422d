// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/axis_spec.h"

#include "meshwright/base/error.h"

namespace meshwright {

AxisSpec AxisSpec::parse(std::string_view text) {
  Checked checked{axis_spec::trimmed(text)};
  try {
    axis_spec::check_array(checked.text);
  } catch (const char* rule) {
    fail(ErrorCode::invalid_argument, rule, ": '", text, "'");
  }
  return AxisSpec(checked);
}

std::vector<std::string_view> AxisSpec::names() const {
  std::vector<std::string_view> out;
  for (std::string_view rest = text_; !rest.empty();)
    out.push_back(axis_spec::cut(rest, " "));
  return out;
}

EinsumSpec EinsumSpec::parse(std::string_view text) {
  try {
    axis_spec::check_einsum(text);
  } catch (const char* rule) {
    fail(ErrorCode::invalid_argument, rule, ": '", text, "'");
  }
  return EinsumSpec(AxisSpec::Checked{text});
}

std::vector<AxisSpec> EinsumSpec::inputs() const {
  std::vector<AxisSpec> out;
  std::string_view rest = text_;
  rest = axis_spec::cut(rest, "->");
  for (bool more = true; more;) {
    more = rest.find(',') != rest.npos;
    out.push_back(AxisSpec(AxisSpec::Checked{axis_spec::cut(rest, ",")}));
  }
  return out;
}

AxisSpec EinsumSpec::output() const {
  std::string_view rest = text_;
  axis_spec::cut(rest, "->");
  return AxisSpec(AxisSpec::Checked{rest});
}

}  // namespace meshwright
