// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/str.h"
#include "meshwright/base/threefry.h"
#include "meshwright/data/documents/views.h"

namespace meshwright::data {
namespace {

// Blocks that a small corpus is cut into, and the fewest tokens of a block.
constexpr std::int64_t kNumBlocks = 400;
constexpr std::int64_t kMinBlock = 64;

// Spreads the bits of a hash of any quality. Never changes between versions.
std::uint64_t spread(std::uint64_t hash) {
  constexpr threefry::KeyWords kKey = {0x68656c64, 0x6f757421};
  return threefry::bits64(kKey, hash);
}

// Returns a number in [0, 1).
double unit(std::uint64_t bits) {
  return std::ldexp(static_cast<double>(bits >> 11), -53);
}

Split split_documents(const DocumentsPtr& documents, double fraction, const NumberStore& store) {
  const std::string key =
      str("held out ", std::bit_cast<std::uint64_t>(fraction), " of ", documents->fingerprint());
  // The number of tokens that are held out, and the numbers of the documents.
  const Numbers found = store.get(key, [&](const AppendNumber& append) {
    std::vector<std::int64_t> numbers;
    std::int64_t num_tokens = 0;
    for (std::int64_t i = 0; i < documents->num_documents(); ++i) {
      if (unit(spread(documents->content_hash(i))) >= fraction) continue;
      numbers.push_back(i);
      num_tokens += documents->length(i);
    }
    append(num_tokens);
    std::ranges::for_each(numbers, append);
  });
  const Numbers held_out = found.without_first();
  return {without(documents, held_out, found[0]), selected(documents, held_out, found[0])};
}

// True for one block of every 1 / fraction in a row, at a drawn place, so that even a small corpus
// has the fraction that was asked for.
bool is_held_out_block(std::int64_t number, double fraction) {
  const double period = 1 / fraction;
  const double group = std::floor(static_cast<double>(number) / period);
  const double first = std::ceil(group * period), end = std::ceil((group + 1) * period);
  const double place = unit(spread(static_cast<std::uint64_t>(group)));
  return number == static_cast<std::int64_t>(first + std::floor(place * (end - first)));
}

// Splits off the documents with the smallest hashes, so that even a few documents have the fraction
// that was asked for.
Split split_few_documents(const DocumentsPtr& documents,
                          double fraction,
                          const NumberStore& /*store*/) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> order;
  for (std::int64_t i = 0; i < documents->num_documents(); ++i)
    order.emplace_back(spread(documents->content_hash(i)), i);
  std::ranges::sort(order);
  const double wanted = std::round(fraction * static_cast<double>(order.size()));
  const auto count = static_cast<std::size_t>(std::max(1.0, wanted));
  std::vector<std::int64_t> held_out;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i < count || order[i].first == order[count - 1].first) held_out.push_back(order[i].second);
  std::ranges::sort(held_out);
  return {without(documents, held_out), selected(documents, held_out)};
}

Split split_blocks(const DocumentsPtr& documents, double fraction, const NumberStore& /*store*/) {
  const std::int64_t block = std::max(kMinBlock, num_tokens(*documents) / kNumBlocks);
  std::vector<Slice> training, held_out;
  std::int64_t number = 0;
  for (std::int64_t d = 0; d < documents->num_documents(); ++d) {
    const std::int64_t length = documents->length(d);
    bool continues = false;
    for (std::int64_t begin = 0; begin < length; begin += block, ++number) {
      const Slice slice{d, begin, std::min(block, length - begin)};
      const bool is_held_out = is_held_out_block(number, fraction);
      if (!is_held_out && continues) {
        training.back().length += slice.length;
      } else {
        (is_held_out ? held_out : training).push_back(slice);
      }
      continues = !is_held_out;
    }
  }
  return {sliced(documents, std::move(training)), sliced(documents, std::move(held_out))};
}

}  // namespace

Split hold_out(const DocumentsPtr& documents, double fraction, const NumberStore& store) {
  MW_CHECK(fraction > 0 && fraction < 1,
           "data: the fraction to hold out must be between 0 and 1, got ", fraction);
  const bool has_many = documents->num_documents() >= kMinDocuments;
  // Instruction data is never cut: the prompt and its response belong together.
  auto split = has_many                   ? split_documents
               : documents->has_weights() ? split_few_documents
                                          : split_blocks;
  Split out = split(documents, fraction, store);
  MW_CHECK(out.training->num_documents() > 0 && out.held_out->num_documents() > 0,
           "data: ", counted(num_tokens(*documents), "token"), " in ",
           counted(documents->num_documents(), "document"), " are too few to hold out ", fraction,
           " of them\nto train on all of them, without evaluation on held-out text: "
           "data.held_out = 0");
  return out;
}

}  // namespace meshwright::data
