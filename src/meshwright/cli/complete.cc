// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/complete.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>
#include <utility>

#include "meshwright/cli/complete_config.h"

namespace meshwright::cli {
namespace {

using Paths = Completion::Paths;

void add(const std::string& text,
         std::string_view help,
         const std::string& typed,
         Completion& out) {
  if (text.starts_with(typed)) out.candidates.push_back({text, std::string(help)});
}

Completion complete_command(const CommandGroup& group, bool is_program, const std::string& typed) {
  Completion out;
  for (const Command& command : group.commands)
    add(std::string(command.name), command.summary, typed, out);
  if (!typed.starts_with('-')) return out;
  add(help_option().name, help_option().help, typed, out);
  if (is_program) add(version_option().name, version_option().help, typed, out);
  return out;
}

const Option* find_option(const ArgumentTable& table, const std::string& name) {
  for (const Option& option : table.options)
    if (option.name == name) return &option;
  return nullptr;
}

/// The arguments before the completed one, as the parser would read them.
struct Before {
  Args positionals;
  const Option* pending = nullptr;  // an option whose value is completed
  bool only_positionals = false;
};

Before read_before(const ArgumentTable& table, const Args& args) {
  Before out;
  for (const std::string& arg : args) {
    if (out.pending != nullptr) {
      out.pending = nullptr;
    } else if (!out.only_positionals && arg == "--") {
      out.only_positionals = true;
    } else if (!out.only_positionals && arg.size() > 1 && arg.front() == '-') {
      const Option* option = find_option(table, arg);  // null for "--name=value"
      if (option != nullptr && option->value) out.pending = option;
    } else {
      out.positionals.push_back(arg);
    }
  }
  return out;
}

/// Returns the group that the words lead to; null if a word names no group.
const CommandGroup* find_group(const CommandGroup& program, const Args& words) {
  const CommandGroup* group = &program;
  for (const std::string& word : words) {
    const auto found = std::ranges::find(group->commands, word, &Command::name);
    if (found == group->commands.end() || found->group == nullptr) return nullptr;
    group = &found->group();
  }
  return group;
}

Completion complete_command_name(const CommandGroup& program,
                                 const Args& before,
                                 const std::string& typed) {
  const CommandGroup* group = find_group(program, before);
  return group == nullptr ? Completion() : complete_command(*group, /*is_program=*/false, typed);
}

Completion complete_value(const Placeholder& value,
                          const CommandGroup& program,
                          const Args& before,
                          const std::string& typed) {
  Completion out;
  switch (value.offer) {
    case Offer::nothing:
      return out;
    case Offer::choices:
      for (const std::string& choice : value.choices)
        add(choice, "", typed, out);
      return out;
    case Offer::files:
      return {.candidates = {}, .paths = Paths::files};
    case Offer::folders:
      return {.candidates = {}, .paths = Paths::folders};
    case Offer::commands:
      return complete_command_name(program, before, typed);
    case Offer::config:
      return complete_config(before, typed, /*max_configs=*/1);
    case Offer::two_configs:
      return complete_config(before, typed, /*max_configs=*/2);
    case Offer::key_and_config:
      if (before.empty()) return complete_key(typed);
      return complete_config({before.begin() + 1, before.end()}, typed, /*max_configs=*/1);
  }
  return out;
}

/// Completes the value in "--name=val"; each candidate includes the name.
Completion complete_joined_value(const ArgumentTable& table,
                                 const CommandGroup& program,
                                 const std::string& typed) {
  const std::size_t equals = typed.find('=');
  const Option* option = find_option(table, typed.substr(0, equals));
  if (option == nullptr || !option->value) return {};
  const std::string start = typed.substr(0, equals + 1);
  Completion out = complete_value(*option->value, program, {}, typed.substr(equals + 1));
  for (Completion::Candidate& candidate : out.candidates)
    candidate.text = start + candidate.text;
  return out;
}

Completion complete_arguments(const ArgumentTable& table,
                              const CommandGroup& program,
                              const Args& args,
                              const std::string& typed) {
  const Before before = read_before(table, args);
  if (before.pending != nullptr) return complete_value(*before.pending->value, program, {}, typed);
  if (typed.starts_with('-') && !before.only_positionals) {
    if (typed.find('=') != std::string::npos) return complete_joined_value(table, program, typed);
    Completion out;
    for (const Option& option : table.options)
      add(option.name, option.help, typed, out);
    add(help_option().name, help_option().help, typed, out);
    return out;
  }
  if (!table.positionals) return {};
  return complete_value(table.positionals->value, program, before.positionals, typed);
}

}  // namespace

Completion complete(const CommandGroup& program, const Args& words) {
  if (words.empty()) return {};
  const std::string& typed = words.back();
  const CommandGroup* group = &program;
  std::string name;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "help") continue;
    const auto command = std::ranges::find(group->commands, words[i], &Command::name);
    if (command == group->commands.end()) return {};
    name = full_name(name, command->name);
    if (command->group == nullptr) {
      const CommandBody body = command->body(name);
      const Args args(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end() - 1);
      return complete_arguments(body.arguments(), program, args, typed);
    }
    group = &command->group();
  }
  return complete_command(*group, group == &program, typed);
}

int print_completion(const CommandGroup& program, const Args& words) {
  Completion found;
  try {
    found = complete(program, words);
  } catch (const std::exception&) {
    return 0;  // a message would appear in the middle of what the user types
  }
  for (const auto& [text, help] : found.candidates)
    std::cout << text << (help.empty() ? "" : "\t") << help << "\n";
  if (found.paths == Paths::folders) std::cout << ":folders\n";
  if (found.paths == Paths::toml_files) std::cout << ":toml_files\n";
  if (found.paths == Paths::files) std::cout << ":files\n";
  return 0;
}

}  // namespace meshwright::cli
