// SPDX-License-Identifier: Apache-2.0
// Source locations of config values.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace meshwright::config {

/// Text that was read: a file or an override.
struct Source {
  std::string name;  // the path as given by the user, or where the override was given
  std::string text;
  bool is_override = false;
};

/// A position in a source. No source: the user did not write the value.
struct Origin {
  std::shared_ptr<const Source> source;
  std::size_t line = 0;    // from 1; 0: the source as a whole
  std::size_t column = 0;  // from 1, in characters
};

/// Returns text such as "configs/a.toml:12:7", or the name alone if the source is an override.
std::string to_string(const Origin& origin);

/// Returns the line and a second line that marks the column, each ending in a newline; empty if
/// there is nothing to show. Replaces unprintable characters and omits text far from the column.
std::string excerpt(const Origin& origin);

/// Returns the text with '?' in place of invalid UTF-8 and control characters, and spaces in place
/// of tabs.
std::string printable(std::string_view text);

}  // namespace meshwright::config
