// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/completion_script.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "meshwright/base/check.h"
#include "meshwright/cli/complete.h"

namespace meshwright::cli {
namespace {

// In all scripts @PROGRAM@ is the command, @FUNCTION@ the same as part of a function's name.

constexpr std::string_view kBash = R"SH(# bash completion for @PROGRAM@

_@FUNCTION@_complete() {
  # Bash splits words at the = and : of COMP_WORDBREAKS: join what the user typed as one word.
  local line=${COMP_LINE:0:COMP_POINT} words=() rest word i
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    rest=${line#"${line%%[![:space:]]*}"}
    word=${COMP_WORDS[i]:0:${#rest}}
    if ((i > 0)) && [[ $rest == "$line" ]]; then words[-1]+=$word; else words+=("$word"); fi
    line=${rest:${#word}}
  done
  local typed=${words[-1]} program=${words[0]/#\~/$HOME} reply candidate paths=
  mapfile -t reply < <("$program" @COMPLETE@ "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  for candidate in "${reply[@]}"; do
    case $candidate in
      :*) paths=$candidate ;;
      *) COMPREPLY+=("${candidate%%$'\t'*}") ;;
    esac
  done
  # Readline replaces only what follows the last word break.
  local breaks=${COMP_WORDBREAKS//[^=:]/} start=
  if [[ -n $breaks && $typed == *["$breaks"]* ]]; then start=${typed%"${typed##*["$breaks"]}"}; fi
  COMPREPLY=("${COMPREPLY[@]#"$start"}")
  if [[ -n $paths ]]; then _@FUNCTION@_paths "$paths" "${typed#"$start"}"; fi
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=./] ]]; then compopt -o nospace; fi
}

_@FUNCTION@_paths() {
  local paths=$1 typed=$2 path actions=(-f)
  if [[ $paths == :folders ]]; then actions=(-d); fi
  while IFS= read -r path; do
    if [[ -d ${path/#\~/$HOME} ]]; then
      path+=/
    elif [[ $paths == :toml_files && $path != *.toml ]]; then
      continue
    fi
    if [[ $path == \~* ]]; then printf -v path '~%q' "${path:1}"; else printf -v path %q "$path"; fi
    COMPREPLY+=("$path")
  done < <(compgen "${actions[@]}" -- "$typed")
}

complete -F _@FUNCTION@_complete @PROGRAM@
)SH";

constexpr std::string_view kZsh = R"SH(#compdef @PROGRAM@

_@FUNCTION@() {
  local tab=$'\t' line text paths
  local -a texts helps open_texts open_helps
  for line in "${(@f)$("${(e)~words[1]}" @COMPLETE@ "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    if [[ $line == :* ]]; then
      paths=$line
      continue
    fi
    text=${line%%$tab*}
    if [[ $line == *$tab* ]]; then line="$text -- ${line#*$tab}"; fi
    # A key or folder that ends in one of these goes on: no space after it.
    if [[ $text == *[=./] ]]; then
      open_texts+=("$text") open_helps+=("$line")
    else
      texts+=("$text") helps+=("$line")
    fi
  done
  local found=1
  if (( $#texts )) && compadd -l -d helps -a texts; then found=0; fi
  if (( $#open_texts )) && compadd -S '' -l -d open_helps -a open_texts; then found=0; fi
  case $paths in
    :folders) _files -/ && found=0 ;;
    :toml_files) _files -g '*.toml' && found=0 ;;
    :files) _files && found=0 ;;
  esac
  return found
}

if [[ $funcstack[1] == _@FUNCTION@ ]]; then
  _@FUNCTION@ "$@"
else
  compdef _@FUNCTION@ @PROGRAM@
fi
)SH";

constexpr std::string_view kFish = R"SH(# fish completion for @PROGRAM@

function __@FUNCTION@_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l program (string replace -r '^~' $HOME -- $words[1])
  for line in ($program @COMPLETE@ $words[2..-1] "$typed" 2>/dev/null)
    switch $line
      case ':folders'
        __fish_complete_directories "$typed" ''
      case ':toml_files'
        __fish_complete_suffix "$typed" .toml | string match -er '(\.toml|/)(\t|$)'
      case ':files'
        __fish_complete_path "$typed"
      case '*'
        echo $line
    end
  end
end

complete -c @PROGRAM@ -f -a '(__@FUNCTION@_complete)'
)SH";

struct Shell {
  std::string_view name;
  std::string_view script;
};

constexpr std::array kShells = {Shell{"bash", kBash}, Shell{"fish", kFish}, Shell{"zsh", kZsh}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
    text.replace(at, from.size(), to);
}

bool is_name_character(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

std::vector<std::string> completion_shells() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells)
    names.emplace_back(shell.name);
  return names;
}

std::string completion_script(const std::string& shell, const std::string& program) {
  const bool is_name =
      !program.empty() && program.front() != '-' && std::ranges::all_of(program, is_name_character);
  MW_CHECK(is_name, "completion: '", program, "' is not the name of a command");
  const auto* found = std::ranges::find(kShells, shell, &Shell::name);
  MW_CHECK(found != kShells.end(), "completion: unknown shell '", shell, "'\nuse ",
           join(completion_shells(), ", "));
  std::string function = program;
  std::ranges::replace_if(
      function, [](char c) { return c == '-' || c == '.'; }, '_');
  std::string script(found->script);
  replace_all(script, "@COMPLETE@", kCompleteCommand);
  replace_all(script, "@PROGRAM@", program);
  replace_all(script, "@FUNCTION@", function);
  return script;
}

}  // namespace meshwright::cli
