// SPDX-License-Identifier: Apache-2.0
// Human-readable formatting of numbers.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// Rounds to a whole number and adds separators. Returns text like "1.2e+20" from 1e18 on, and
/// "inf" or "nan" for non-finite numbers.
std::string whole_number(double number);
/// Formats a number with this many significant digits: "0.4321", "1.2e-05", "nan".
std::string significant(double number, int digits = 4);
/// Returns text such as "12.3%".
std::string percent(double fraction);
/// Returns text such as "0.5s", "42s", "3m 05s", "2h 07m" or "3d 04h"; "n/a" for a negative or
/// non-finite number.
std::string duration(double seconds);
/// Returns text such as "15.2 GB". Like AXLearn, uses powers of 1024.
std::string byte_count(double num_bytes);
/// Formats a time since 1970 with strftime, in UTC.
std::string utc_text(double seconds, const char* format);
/// Returns text such as "0.9731" for a scalar, and a description such as "histogram of 100 values"
/// for other values.
std::string value_text(const Value& value);
/// Returns one "name: value" per line.
std::string lines_of(const std::vector<Entry>& entries);

}  // namespace meshwright::metrics
