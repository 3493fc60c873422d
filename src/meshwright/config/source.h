// SPDX-License-Identifier: Apache-2.0
// Where a value was written.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace meshwright::config {

/// One text that was read: a file, or one override of the command line.
struct Source {
  std::string name;  // the path as the user would write it; "command line"
  std::string text;
  bool is_command_line = false;
};

/// A place in a source. Without a source: nobody wrote it.
struct Origin {
  std::shared_ptr<const Source> source;
  std::size_t line = 0;    // from 1; 0: the source as a whole
  std::size_t column = 0;  // from 1, in characters
};

/// "configs/a.toml:12:7", "command line: seed=x".
std::string to_string(const Origin& origin);

/// The line with a mark under the column, each line ending in a newline; empty if there is none to
/// show. What is not printable is replaced, and what is far from the column left out.
std::string excerpt(const Origin& origin);

/// The text with '?' for what is no UTF-8 or would do something to a terminal; tabs are blanks.
std::string printable(std::string_view text);

}  // namespace meshwright::config
