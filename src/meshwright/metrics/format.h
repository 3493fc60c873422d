// SPDX-License-Identifier: Apache-2.0
// Numbers for people.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// "1,234,567".
std::string with_separators(std::int64_t number);
/// The same of the nearest whole number; from 1e18 on "1.2e+20", and "inf", "nan".
std::string whole_number(double number);
/// With this many significant digits, "0.4321", "1.2e-05", "nan".
std::string significant(double number, int digits = 4);
/// "12.3%".
std::string percent(double fraction);
/// "0.5s", "42s", "3m 05s", "2h 07m", "3d 04h"; "n/a" if it is negative or not finite.
std::string duration(double seconds);
/// "15.2 GB", in powers of 1024 as AXLearn counts.
std::string byte_count(double num_bytes);
/// A time since 1970 as strftime writes it.
std::string utc_text(double seconds, const char* format);
/// "0.9731" for scalars, else what it is: "histogram of 100 values".
std::string value_text(const Value& value);
/// One "name: value" per line.
std::string lines_of(const std::vector<Entry>& entries);

}  // namespace meshwright::metrics
