// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/outputs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "meshwright/metrics/format.h"

namespace meshwright::metrics {
namespace {

// Returns repr() of a Python float: positional from 1e-4 to below 1e16, otherwise with an exponent.
std::string python_repr(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  const double size = std::abs(number);
  const bool is_positional = size == 0 || (size >= 1e-4 && size < 1e16);
  char digits[64];
  auto format = is_positional ? std::chars_format::fixed : std::chars_format::scientific;
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number, format);
  std::string out(digits, end);
  if (is_positional && out.find('.') == out.npos) out += ".0";
  return out;
}

// Returns a name such as "metrics/loss" in the form in which jax.tree_util.keystr prints
// attributes, such as ".metrics.loss".
std::string key_path(std::string name) {
  std::ranges::replace(name, '/', '.');
  return "." + name;
}

}  // namespace

std::vector<Entry> entries_of(const Tree<HostTensor>& outputs) {
  std::vector<Entry> out;
  for_each(outputs, [&](const std::string& path, const HostTensor& tensor) {
    MW_CHECK(tensor.dtype() == f32, "metrics: output '", path, "' has unsupported type ",
             tensor.type(), "; only f32 is logged");
    if (tensor.dims().empty()) {
      out.push_back({path, double{tensor.values<float>()[0]}});
    } else {
      out.push_back({path, Distribution{tensor}});
    }
  });
  return out;
}

std::string seqax_line(const Record& record) {
  std::vector<std::string> parts;
  for (const Entry& entry : record.entries) {
    if (const auto* number = std::get_if<double>(&entry.value))
      parts.push_back(str("'", key_path(entry.name), "': ", python_repr(*number)));
  }
  return str("[", utc_text(record.wall_seconds, "%Y-%m-%d %H:%M:%S"), "] Step ", record.step, ": {",
             join(parts, ", "), "}");
}

}  // namespace meshwright::metrics
