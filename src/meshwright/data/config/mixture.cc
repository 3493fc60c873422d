// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/mixture.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/data/core/on_demand.h"
#include "meshwright/data/core/sequence.h"
#include "meshwright/data/mixture/mixture_source.h"
#include "meshwright/data/mixture/rates.h"
#include "meshwright/data/text/token_corpus.h"

namespace meshwright::data {
namespace {

constexpr char kName[] = "mixture";

std::string key_of(const std::string& part) {
  return str("data.parts.", part);
}

template <typename Function>
auto naming_part(const std::string& part, const Function& function) {
  try {
    return function();
  } catch (const Error& error) {
    throw error.with_context(key_of(part));
  }
}

// Opens the corpus of a part of text or tokens; null for other parts. `first` is that of the first
// such part, or null.
TextCorpusPtr open_corpus(const MixtureConfig& config,
                          const PartConfig& part,
                          const TextCorpusPtr& first,
                          const std::string& run_folder,
                          DataUse use,
                          std::int64_t seed) {
  if (const auto* text = std::get_if<PartOf<TextConfig>>(&part)) {
    TokenizerWithEnds shared;
    if (first && text->tokenizer == first->config().tokenizer) shared = first->opened_tokenizer();
    return std::make_shared<const TextCorpus>(text->source(config.batch_size), seed, run_folder,
                                              use, std::move(shared));
  }
  if (const auto* tokens = std::get_if<PartOf<TokensConfig>>(&part)) {
    MW_CHECK(!tokens->seqax, "seqax decides the order of whole batches, so it cannot be mixed");
    return open_token_corpus(tokens->source(config.batch_size), seed, run_folder, use);
  }
  return nullptr;
}

bool is_same(const tokenizers::Tokenizer& a, const tokenizers::Tokenizer& b) {
  return &a == &b || (a.description() == b.description() && a.saved() == b.saved());
}

SourcePtr make_part(const std::string& name,
                    const PartConfig& config,
                    std::int64_t batch_size,
                    const RunData& run) {
  const auto make = [&](const auto& part) -> SourcePtr {
    const auto source = part.source(batch_size);
    if constexpr (requires { source.make(run.seed); }) {
      return source.make(run.seed);
    } else {
      return run.parts.at(name)->training();
    }
  };
  return std::visit(make, static_cast<const PartChoice&>(config));
}

// Returns nullopt if the weight depends on the size and there is none.
std::optional<double> find_weight(const MixingConfig& mixing,
                                  double temperature,
                                  std::optional<std::int64_t> size) {
  if (mixing.weight) return mixing.weight;
  return size ? std::optional(mixing_rate(*size, mixing.max_examples, temperature)) : std::nullopt;
}

double weight_of(const MixingConfig& mixing, double temperature, const Source& source) {
  const std::optional<std::int64_t> size = mixing.weight ? std::nullopt : examples_per_pass(source);
  const std::optional<double> weight = find_weight(mixing, temperature, size);
  MW_CHECK(weight, "weight is auto, but '", source.name(), "' has no size");
  return *weight;
}

SourcePtr opened(const MixtureConfig& config,
                 std::int64_t seed,
                 std::map<std::string, SourcePtr> sources) {
  std::vector<MixturePart> parts;
  for (const auto& [name, part] : config.used_parts()) {
    const SourcePtr& source = sources.at(name);
    const MixingConfig& mixing = part.mixing();
    const double weight =
        naming_part(name, [&] { return weight_of(mixing, config.temperature, *source); });
    parts.push_back(
        {.name = name, .source = source, .weight = weight, .num_epochs = mixing.num_epochs});
  }
  return std::make_shared<MixtureSource>(
      std::move(parts),
      MixtureOptions{.seed = seed, .when_finished = config.when_finished, .name = kName});
}

// Calls `get` with the config of each part's source and returns its results, where it has any.
template <typename Function>
auto from_parts(const MixtureConfig& config, const Function& get) {
  std::vector<typename decltype(get(std::string(), TextConfig()))::value_type> out;
  for (const auto& [name, part] : config.used_parts()) {
    const auto found = std::visit([&, &name = name](const auto& one) { return get(name, one); },
                                  static_cast<const PartChoice&>(part));
    if (found) out.push_back(*found);
  }
  return out;
}

std::optional<std::int64_t> greatest(const std::vector<std::int64_t>& values) {
  return values.empty() ? std::nullopt : std::optional(std::ranges::max(values));
}

}  // namespace

void open_parts(const MixtureConfig& config,
                const std::string& run_folder,
                DataUse use,
                RunData& run) {
  const std::string* first = nullptr;
  const std::map<std::string, PartConfig> parts = config.used_parts();
  for (const auto& [name, part] : parts) {
    const TextCorpusPtr corpus = naming_part(name, [&, &part = part] {
      return open_corpus(config, part, run.text, run_folder, use, run.seed);
    });
    if (corpus == nullptr) continue;
    run.parts[name] = corpus;
    if (first == nullptr) first = &name, run.text = corpus;
    MW_CHECK(is_same(corpus->tokenizer(), run.text->tokenizer()), key_of(name),
             ".tokenizer: ", corpus->tokenizer().description(), " is not the tokenizer of ",
             key_of(*first), ": ", run.text->tokenizer().description());
    // Prompts are plain text if a part is.
    if (run.text->config().chat && !corpus->config().chat) run.text = corpus;
    // Parts without a tokenizer may have vocabularies of different sizes.
    if (corpus->tokenizer().vocab_size() > run.text->tokenizer().vocab_size()) run.text = corpus;
  }
}

SourcePtr make_mixture(const MixtureConfig& config, const RunData& run) {
  std::map<std::string, SourcePtr> sources;
  for (const auto& [name, part] : config.used_parts())
    sources[name] = make_part(name, part, config.batch_size, run);
  BatchSpec spec = sources.begin()->second->spec();
  if (run.use != DataUse::batches) return spec_only(kName, std::move(spec));
  return on_demand(kName, std::move(spec), [config, seed = run.seed, sources = std::move(sources)] {
    return opened(config, seed, sources);
  });
}

SourcePtr held_out_parts(const HeldOutTextConfig& config, const RunData& run) {
  if (config.part) {
    const auto found = run.parts.find(*config.part);
    MW_CHECK(found != run.parts.end(), "held_out_text.part: the training data has no text part '",
             *config.part, "'");
    return naming_part(*config.part, [&] { return found->second->evaluation(config); });
  }
  MW_CHECK(config.path.empty() || run.parts.size() == 1,
           "held_out_text.path: set part to the one whose settings read these files");
  std::vector<SourcePtr> out;
  for (const auto& [name, corpus] : run.parts)
    if (corpus->config().held_out > 0 || !config.path.empty())
      out.push_back(
          naming_part(name, [&, &corpus = corpus] { return corpus->evaluation(config); }));
  MW_CHECK(!out.empty(), "held_out_text: no part of the training data holds out text");
  return out.size() == 1 ? out.front() : in_sequence(std::move(out));
}

std::map<std::string, double> shares(const MixtureConfig& config,
                                     const std::map<std::string, std::int64_t>& num_rows) {
  std::map<std::string, double> out;
  double sum = 0;
  for (const auto& [name, part] : config.used_parts()) {
    const auto rows = num_rows.find(name);
    const std::optional<double> weight =
        find_weight(part.mixing(), config.temperature,
                    rows == num_rows.end() ? std::nullopt : std::optional(rows->second));
    if (!weight) return {};
    out[name] = *weight;
    sum += *weight;
  }
  for (auto& [name, share] : out)
    share /= sum;
  return out;
}

std::optional<std::int64_t> num_tokens(const MixtureConfig& config, const RunData& run) {
  return greatest(from_parts(config, [&](const std::string& name, const auto& part) {
    std::optional<std::int64_t> out;
    if (const auto text = run.parts.find(name); text != run.parts.end())
      if (const std::int64_t size = text->second->tokenizer().vocab_size(); size > 0) out = size;
    if constexpr (requires { part.num_tokens(); }) out = part.num_tokens();
    return out;
  }));
}

std::optional<std::int64_t> num_classes(const MixtureConfig& config) {
  return greatest(from_parts(config, [](const std::string&, const auto& part) {
    std::optional<std::int64_t> out;
    if constexpr (requires { part.num_classes(); }) out = part.num_classes();
    return out;
  }));
}

std::string contents(const MixtureConfig& config) {
  const auto found = from_parts(config, [](const std::string&, const auto& part) {
    std::optional<std::string> out = "";
    if constexpr (requires { part.contents(); }) out = part.contents();
    return out;
  });
  return std::ranges::count(found, found.front()) == std::ssize(found) ? found.front() : "";
}

}  // namespace meshwright::data
