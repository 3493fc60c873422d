// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/format.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "meshwright/base/counted.h"

namespace meshwright::metrics {
namespace {

// Returns a number and the next smaller unit with two digits: "3m 05s".
std::string two_units(
    std::int64_t seconds, std::int64_t unit, char name, std::int64_t part, char part_name) {
  std::int64_t rest = seconds % unit / part;
  return str(seconds / unit, name, rest < 10 ? " 0" : " ", rest, part_name);
}

struct ValueText {
  std::string operator()(double number) const { return significant(number); }
  std::string operator()(const WeightedScalar& scalar) const { return significant(scalar.mean); }
  std::string operator()(const Histogram& h) const {
    return str("histogram of ", with_separators(static_cast<std::int64_t>(h.num)), " values");
  }
  std::string operator()(const Distribution& d) const { return str("values of ", d.values.type()); }
  std::string operator()(const Text& text) const { return text.text; }
  std::string operator()(const Image& image) const { return str("image ", image.pixels.type()); }
  std::string operator()(const Settings& s) const { return str(s.values.size(), " settings"); }
};

}  // namespace

std::string whole_number(double number) {
  constexpr double kMax = 1e18;
  return std::abs(number) < kMax ? with_separators(std::llround(number)) : significant(number);
}

std::string significant(double number, int digits) {
  if (std::isnan(number)) return "nan";  // its sign is meaningless
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, number);
  return text;
}

std::string percent(double fraction) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f%%", 100 * fraction);
  return text;
}

std::string duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e10) return "n/a";
  if (seconds < 9.95) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1fs", seconds);
    return text;
  }
  const std::int64_t whole = std::llround(seconds);
  if (whole < 60) return str(whole, "s");
  if (whole < 3600) return two_units(whole, 60, 'm', 1, 's');
  if (whole < 86400) return two_units(whole, 3600, 'h', 60, 'm');
  return two_units(whole, 86400, 'd', 3600, 'h');
}

std::string byte_count(double num_bytes) {
  constexpr std::array kUnits = {"bytes", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; num_bytes >= 1024 && unit + 1 < kUnits.size(); ++unit)
    num_bytes /= 1024;
  char text[64];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", num_bytes, kUnits[unit]);
  return text;
}

std::string utc_text(double seconds, const char* format) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  char text[64];
  std::strftime(text, sizeof(text), format, &parts);
  return text;
}

std::string value_text(const Value& value) {
  return std::visit(ValueText(), value);
}

std::string lines_of(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries)
    out += str(entry.name, ": ", value_text(entry.value), "\n");
  return out;
}

}  // namespace meshwright::metrics
