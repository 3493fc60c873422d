// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "meshwright/base/str.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

std::vector<std::string> rule(const std::string& type,
                              const std::string& settings,
                              const char* pattern = ".*/w_up") {
  return {str("initial_values=[{ pattern = '", pattern, "', init = { type = \"", type, "\"",
              settings, " } }]")};
}

// Returns the section for arrays with the axes embed, kv, q and dim.
SectionCases init_of_queries(const std::string& type, std::vector<KeyCase> keys) {
  return {str("initial_values.0.init[", type, "]"), kLm, rule(type, "", ".*/w_q"), init_program,
          std::move(keys)};
}

SectionCases init(const std::string& type, const std::string& settings, std::vector<KeyCase> keys) {
  return {str("initial_values.0.init[", type, "]"), kLm, rule(type, settings), init_program,
          std::move(keys)};
}

}  // namespace

Cases initial_values_cases() {
  return {
      {"initial_values.0",
       kLm,
       rule("constant", ", value = 0.5"),
       init_program,
       {{"pattern", ".*/w_down"}}},
      init("constant", ", value = 0.5", {{"value", "0.25"}}),
      init("normal", ", stddev = 0.5", {{"stddev", "0.25"}}),
      init("truncated_normal", ", stddev = 0.5",
           {{"stddev", "0.25"}, {"low", "-1.0"}, {"high", "1.0"}}),
      init("uniform", ", scale = 0.5", {{"scale", "0.25"}}),
      init_of_queries(
          "variance_scaling",
          {{"scale", "0.5"},
           {"fan", "out", {"initial_values.0.init.in=dim"}},
           {"distribution", "uniform"},
           {"in", "dim"},
           // `out` and `batch` apply only with `in`.
           {"out", "dim", {"initial_values.0.init.in=embed"}},
           {"batch", "dim", {"initial_values.0.init.in=embed", "initial_values.0.init.fan=out"}}}),
      init_of_queries("orthogonal", {{"scale", "0.5"}, {"column", "embed"}}),
  };
}

}  // namespace meshwright::config_keys
