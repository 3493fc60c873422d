// SPDX-License-Identifier: Apache-2.0
// The table [data] with type "mixture": several sources, mixed row by row.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/core/skip_steps_config.h"
#include "meshwright/data/generated/arithmetic_config.h"
#include "meshwright/data/generated/sequences_config.h"
#include "meshwright/data/generated/shapes_config.h"
#include "meshwright/data/generated/synthetic_config.h"
#include "meshwright/data/mixture/schedule.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/data/text/tokens_config.h"

namespace meshwright::data {

inline config::Choices<WhenFinished> config_choices(WhenFinished) {
  using enum WhenFinished;
  return {{"repeat", repeat}, {"stop", stop}, {"drop", drop}};
}

/// Passes on the fields of a source, except those that the mixture sets.
template <typename F>
class FieldsOfPart {
 public:
  explicit FieldsOfPart(F& fields) : fields_(fields) {}

  template <typename... Args>
  config::Field& required(std::string_view name, Args&&... args) {
    return is_of_mixture(name) ? ignored_ : fields_.required(name, std::forward<Args>(args)...);
  }
  template <typename... Args>
  config::Field& optional(std::string_view name, Args&&... args) {
    return is_of_mixture(name) ? ignored_ : fields_.optional(name, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void check(Args&&... args) {
    fields_.check(std::forward<Args>(args)...);
  }

 private:
  static bool is_of_mixture(std::string_view name) {
    return name == "batch_size" || name == "num_epochs" || name == "skip_steps";
  }

  F& fields_;
  config::Field ignored_;
};

/// How a part takes part in its mixture.
struct MixingConfig {
  config::OrAuto<double> weight = {};
  std::optional<std::int64_t> max_examples = {};
  std::optional<std::int64_t> num_epochs = {};

  void fields(auto& f) {
    f.optional("weight", weight, config::kNotNegative,
               "Share of the rows, relative to the weights of the other parts. 0: leave the part "
               "out. `auto`, for all parts or none: by the number of their rows.");
    f.optional("max_examples", max_examples, config::kPositive,
               "Count at most this many rows for weight = \"auto\".");
    f.optional("num_epochs", num_epochs, config::kPositive,
               "Number of passes over the part's rows, after which it has finished. `none`: 1, or "
               "endless with when_finished = \"repeat\".");
  }
  bool is_left_out() const { return weight.value_or(1) == 0; }
};

/// A source as a part of a mixture.
template <typename Source>
struct PartOf : Source {
  MixingConfig mixing = {};

  void fields(auto& f) {
    mixing.fields(f);
    FieldsOfPart of_source(f);
    Source::fields(of_source);
  }
  /// Returns the source's config with the settings that the mixture decides.
  Source source(std::int64_t rows_per_batch) const {
    Source out = static_cast<const Source&>(*this);
    out.batch_size = rows_per_batch;
    return out;
  }
};

using PartChoice = std::variant<PartOf<TextConfig>,
                                PartOf<TokensConfig>,
                                PartOf<ArithmeticConfig>,
                                PartOf<RandomTokensConfig>,
                                PartOf<SequencesConfig>,
                                PartOf<ShapesConfig>>;
struct PartConfig : PartChoice {
  using PartChoice::PartChoice;

  const MixingConfig& mixing() const {
    return std::visit([](const auto& part) -> const MixingConfig& { return part.mixing; },
                      static_cast<const PartChoice&>(*this));
  }
};

struct MixtureConfig {
  static constexpr char kType[] = "mixture";
  std::map<std::string, PartConfig> parts;
  std::int64_t batch_size = 16;
  WhenFinished when_finished = WhenFinished::repeat;
  double temperature = 1;
  SkipStepsConfig skip_steps = {};

  void fields(auto& f) {
    f.required("parts", parts, config::kNonEmpty,
               "Sources to mix, by name. Their batches must have the same arrays, and those of "
               "text the same tokenizer.");
    f.optional("batch_size", batch_size, config::kPositive, "Rows per batch.");
    f.optional("when_finished", when_finished,
               "Treatment of a part that has no more rows. `repeat`: it starts over, in a new "
               "order. `stop`: the data ends with it. `drop`: the other parts continue.");
    f.optional("temperature", temperature, config::kPositive,
               "For weight = \"auto\": the weight of a part is the number of its rows to the "
               "power of 1 / temperature. Higher values even out the parts.");
    skip_steps_field(f, skip_steps);
    f.check(
        "parts", [this] { return num_weighted() == 0 || num_weighted() == parts.size(); },
        "all have a weight, or none");
    f.check(
        "parts", [this] { return !every_weight_is_zero(); }, "not all have weight 0");
    f.check(
        "parts", [this] { return !limits_weighted(); },
        "have no max_examples where they have a weight");
    f.check(
        "parts", [this] { return when_finished != WhenFinished::repeat || !counts_epochs(); },
        "have no num_epochs with when_finished = \"repeat\"");
    f.check(
        "temperature", [this] { return temperature == 1 || num_weighted() == 0; },
        "be 1 if parts have a weight");
  }

  /// The parts that are not left out.
  std::map<std::string, PartConfig> used_parts() const;

 private:
  std::size_t num_weighted() const;
  bool every_weight_is_zero() const;
  bool limits_weighted() const;
  bool counts_epochs() const;
};

}  // namespace meshwright::data
