// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/seqax_source.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/data/core/lm_batch.h"

namespace meshwright::data {
namespace {

constexpr LmBatchLayout kLayout = {.has_segments = true};

std::int64_t num_sequences(const FlatTokens& tokens, const SeqaxSourceOptions& options) {
  MW_CHECK(options.length > 0, "seqax's order: length is ", options.length,
           ", expected at least 1");
  return options.packs_sequences ? tokens.num_tokens() / options.length
                                 : std::ssize(tokens.sequences()) - 1;
}

class SeqaxSource : public Source {
 public:
  SeqaxSource(std::shared_ptr<const FlatTokens> tokens, SeqaxSourceOptions options)
      : tokens_(std::move(tokens)),
        options_(std::move(options)),
        order_(num_sequences(*tokens_, options_), options_.order),
        spec_(lm_batch_spec(options_.order.batch_size, options_.length, kLayout)) {}

  std::string name() const override { return options_.name; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return order_.num_batches(); }

  Tree<Scalar> identity() const override {
    const SeqaxOrderOptions& order = options_.order;
    Tree<Scalar> out;
    out["documents"] = Scalar(tokens_->fingerprint());
    out["length"] = Scalar(options_.length);
    out["packs_sequences"] = Scalar(options_.packs_sequences);
    out["seed"] = Scalar(order.seed);
    out["batch_size"] = Scalar(order.batch_size);
    out["streams"] = Scalar(order.streams);
    out["read_blocks_per_shuffle_buffer"] = Scalar(order.read_blocks_per_shuffle_buffer);
    out["sequences_per_read_block"] = Scalar(order.sequences_per_read_block);
    return out;
  }

  Batch batch(std::int64_t step, Rows rows) const override {
    MW_CHECK(step < order_.num_batches(), "data: ", name(), ": there is no batch ", step,
             ": a pass has ", order_.num_batches());
    Batch out = empty_lm_batch(rows.size(), options_.length, kLayout);
    std::vector<std::uint32_t> encoded(static_cast<std::size_t>(options_.length));
    for (std::int64_t row = rows.start; row < rows.stop; ++row) {
      const std::size_t size = read(order_.sequence(step, row), encoded);
      write(std::span(encoded).first(size), row - rows.start, out);
    }
    return out;
  }

 private:
  // Returns the number of tokens; the rest of the row is padding.
  std::size_t read(std::int64_t sequence, std::span<std::uint32_t> out) const {
    std::int64_t begin = sequence * options_.length, end = begin + options_.length;
    if (!options_.packs_sequences) {
      const auto number = static_cast<std::size_t>(sequence);
      begin = tokens_->sequences()[number];
      end = std::min(tokens_->sequences()[number + 1], begin + options_.length);
    }
    out = out.first(static_cast<std::size_t>(end - begin));
    tokens_->read(begin, out);
    const auto is_outside = [&](std::uint32_t value) { return value >> 1 >= options_.vocab_size; };
    const auto wrong = std::ranges::find_if(out, is_outside);
    if (wrong != out.end()) {
      fail(ErrorCode::data_loss, tokens_->name(), ": token ", *wrong >> 1, " at position ",
           begin + (wrong - out.begin()), " is not below the size of the vocabulary, ",
           options_.vocab_size);
    }
    return out.size();
  }

  void write(std::span<const std::uint32_t> encoded, std::int64_t row, Batch& out) const {
    const auto length = static_cast<std::size_t>(options_.length);
    auto part = [&]<typename T>(std::string_view array) {
      return out[array].value().template mutable_values<T>().subspan(
          static_cast<std::size_t>(row) * length, length);
    };
    const std::span<std::int32_t> inputs = part.operator()<std::int32_t>(kInputs);
    const std::span<std::int32_t> targets = part.operator()<std::int32_t>(kTargets);
    const std::span<std::int32_t> segments = part.operator()<std::int32_t>(kSegments);
    std::ranges::fill(part.operator()<float>(kWeights).first(encoded.size()), 1.0f);
    std::int32_t segment = 0;
    for (std::size_t i = 0; i < encoded.size(); ++i) {
      const bool is_start = (encoded[i] & 1) != 0;
      if (is_start || i == 0) ++segment;
      segments[i] = segment;
      targets[i] = static_cast<std::int32_t>(encoded[i] >> 1);
      inputs[i] = is_start || i == 0 ? 0 : targets[i - 1];
    }
    const std::span<std::int32_t> positions = part.operator()<std::int32_t>(kPositions);
    std::iota(positions.begin(), positions.begin() + std::ssize(encoded), 0);
  }

  std::shared_ptr<const FlatTokens> tokens_;
  SeqaxSourceOptions options_;
  SeqaxOrder order_;
  BatchSpec spec_;
};

}  // namespace

SourcePtr seqax_source(std::shared_ptr<const FlatTokens> tokens, SeqaxSourceOptions options) {
  return std::make_shared<SeqaxSource>(std::move(tokens), std::move(options));
}

}  // namespace meshwright::data
