// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <set>

#include "meshwright/base/check.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/cli/config_words.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/config/path.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::cli {
namespace {

using config::Node;

class Diff {
 public:
  /// Prints where two trees differ, by path.
  void print(const std::string& path, const Node* left, const Node* right) {
    const config::Table* left_table = left == nullptr ? nullptr : left->table();
    const config::Table* right_table = right == nullptr ? nullptr : right->table();
    const bool are_tables = left_table != nullptr && right_table != nullptr;
    if (left != nullptr && right != nullptr && *left == *right) return;
    if (!are_tables) return print_values(path, left, right);
    for (const config::Entry& entry : left_table->entries())
      print(config::join_path(path, entry.key), &entry.node, right_table->find(entry.key));
    for (const config::Entry& entry : right_table->entries())
      if (left_table->find(entry.key) == nullptr)
        print(config::join_path(path, entry.key), nullptr, &entry.node);
  }

  bool found_any() const { return found_any_; }

 private:
  void print_values(const std::string& path, const Node* left, const Node* right) {
    found_any_ = true;
    std::cout << path << "\n";
    if (left != nullptr) std::cout << "  - " << toml_value(*left) << "\n";
    if (right != nullptr) std::cout << "  + " << toml_value(*right) << "\n";
  }

  bool found_any_ = false;
};

}  // namespace

int diff_configs(const config::Type& type, const Words& words) {
  ArgumentParser parser("config diff",
                        "Prints the keys in which two configs differ, after base files and "
                        "defaults. With one config: what the overrides change in it.");
  Words settings;
  parser.positionals(settings, "A [B] [key.path=value...]", "TOML files or names; overrides of B");
  if (!parser.parse(words)) return 0;
  const ConfigWords split = split_config_words(settings);
  const bool is_enough =
      split.names.size() == 2 || (split.names.size() == 1 && !split.overrides.empty());
  MW_CHECK(is_enough, "config diff: takes two configs, or one and overrides, not ",
           split.names.size(), " and ", split.overrides.size(),
           "\nsee: meshwright config diff --help");
  const ResolvedConfig left = resolve_config(type, split.names.front(), {});
  const ResolvedConfig right = resolve_config(type, split.names.back(), split.overrides);
  Diff diff;
  diff.print("", &left.values, &right.values);
  return static_cast<int>(diff.found_any() ? ExitCode::no : ExitCode::done);
}

}  // namespace meshwright::cli
