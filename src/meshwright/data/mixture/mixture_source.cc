// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/mixture_source.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/threefry.h"
#include "meshwright/data/core/permutation.h"

namespace meshwright::data {
namespace {

// Distinguishes the order within batches from the orders that parts draw from the same seed.
constexpr std::uint32_t kOrderTag = 0x6d69780a;

void check_names(const std::vector<MixturePart>& parts) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  for (const MixturePart& part : parts) {
    MW_CHECK(!part.name.empty() && part.name.find_first_not_of(kAllowed) == std::string::npos,
             "mixture: part '", part.name, "': names consist of letters, digits, '_', '-' and '.'");
    MW_CHECK(std::ranges::count(parts, part.name, &MixturePart::name) == 1,
             "mixture: two parts are ", "named '", part.name, "'");
  }
}

void check_same_spec(const MixturePart& first, const MixturePart& other) {
  const auto compare = [](const ArraySpec& a, const ArraySpec& b) {
    return a == b ? std::string() : str(a.type, " and ", b.type);
  };
  const auto found = differences(first.source->spec(), other.source->spec(), compare,
                                 str("part '", first.name, "'"), str("part '", other.name, "'"));
  MW_CHECK(found.empty(), "mixture: the batches of parts '", first.name, "' and '", other.name,
           "' must have the same arrays\n", join(found, "\n"));
}

std::int64_t checked_batch_size(const std::vector<MixturePart>& parts) {
  MW_CHECK(!parts.empty(), "mixture: there are no parts");
  check_names(parts);
  for (const MixturePart& part : parts)
    check_same_spec(parts.front(), part);
  return batch_size(*parts.front().source);
}

std::optional<std::int64_t> num_rows(const MixturePart& part, WhenFinished when_finished) {
  const Source& source = *part.source;
  const std::optional<std::int64_t> pass = examples_per_pass(source);
  MW_CHECK(!part.num_epochs || pass, "mixture: part '", part.name, "' has no epochs to count");
  MW_CHECK(part.num_epochs.value_or(1) > 0, "mixture: part '", part.name, "' has ",
           part.num_epochs.value_or(1), " epochs, expected at least 1");
  const std::optional<std::int64_t> batches = source.num_batches();
  if (when_finished == WhenFinished::repeat) {
    MW_CHECK(!part.num_epochs && !batches, "mixture: part '", part.name,
             "' ends, but the parts of this mixture repeat");
    return std::nullopt;
  }
  if (!pass) return std::nullopt;
  constexpr std::int64_t kEndless = std::int64_t{1} << 60;  // nobody will see the end
  if (part.num_epochs.value_or(1) > kEndless / *pass) return std::nullopt;
  const std::int64_t wanted = *pass * part.num_epochs.value_or(1);
  return batches ? std::min(wanted, *batches * batch_size(source)) : wanted;
}

MixtureSchedule make_schedule(const std::vector<MixturePart>& parts, WhenFinished when_finished) {
  std::vector<ScheduledPart> out;
  for (const MixturePart& part : parts)
    out.push_back({.weight = part.weight, .num_rows = num_rows(part, when_finished)});
  return {std::move(out), when_finished};
}

std::string digest_of(const Source& source) {
  std::string text = source.name();
  for_each(source.identity(), [&](const std::string& path, const Scalar& value) {
    text += str("\n", path, " ", scalar_text(value));
  });
  return digest_hex(text).substr(0, 16);
}

// A row of a part and its place in the result.
struct Placed {
  PartRow from;
  std::int64_t to;
};

// True if both rows are in one batch of one part, `b` right after `a`.
bool is_next(const PartRow& a, const PartRow& b, std::int64_t batch_size) {
  return a.part == b.part && a.row + 1 == b.row && b.row % batch_size != 0;
}

// Copies row i of `from` to row placed[i].to of `to`.
void copy_rows(const Batch& from, std::span<const Placed> placed, Batch& to) {
  for_each(from, [&](const std::string& path, const HostTensor& rows) {
    HostTensor& out = to.at(path).value();
    const std::size_t size = rows.num_bytes() / placed.size();
    for (std::size_t i = 0; i < placed.size(); ++i)
      std::memcpy(out.mutable_data() + static_cast<std::size_t>(placed[i].to) * size,
                  rows.data() + i * size, size);
  });
}

Batch empty_batch(const BatchSpec& spec, std::int64_t num_rows) {
  return map(spec, [&](const ArraySpec& array) {
    ArrayType type = array.type;
    type.dims[0] = num_rows;
    return HostTensor(std::move(type));
  });
}

}  // namespace

MixtureSource::MixtureSource(std::vector<MixturePart> parts, MixtureOptions options)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      batch_size_(checked_batch_size(parts_)),
      schedule_(make_schedule(parts_, options_.when_finished)) {
  MW_CHECK(num_batches().value_or(1) > 0, "mixture: ", *schedule_.num_rows(),
           " rows do not fill a batch of ", batch_size_, " before a part has finished");
}

std::optional<std::int64_t> MixtureSource::num_batches() const {
  const std::optional<std::int64_t> rows = schedule_.num_rows();
  return rows ? std::optional(*rows / batch_size_) : std::nullopt;
}

std::optional<double> MixtureSource::batches_per_epoch() const {
  double sum = 0;
  for (const MixturePart& part : parts_) {
    const std::optional<double> batches = batches_per_pass(*part.source);
    if (!batches) return std::nullopt;
    sum += *batches;
  }
  return sum;
}

Tree<Scalar> MixtureSource::identity() const {
  Tree<Scalar> out;
  out["batch_size"] = Scalar(batch_size_);
  out["seed"] = Scalar(options_.seed);
  out["when_finished"] = Scalar(static_cast<std::int64_t>(options_.when_finished));
  for (const MixturePart& part : parts_) {
    Tree<Scalar>& entry = out["parts"][part.name];
    entry["data"] = Scalar(digest_of(*part.source));
    entry["weight"] = Scalar(part.weight);
    if (part.num_epochs) entry["num_epochs"] = Scalar(*part.num_epochs);
  }
  return out;
}

std::vector<PartRow> MixtureSource::part_rows(std::int64_t step, Rows rows) const {
  const std::int64_t first = step * batch_size_;
  std::vector<std::int64_t> before = schedule_.of_first(first);
  const std::vector<std::int64_t> after = schedule_.of_first(first + batch_size_);
  const threefry::KeyWords key =
      threefry::fold_in(threefry::key(options_.seed, threefry::SeedWidth::bits64), kOrderTag);
  const Permutation order(threefry::block(key, static_cast<std::uint64_t>(step)), batch_size_);
  std::vector<PartRow> out;
  for (std::int64_t row = rows.start; row < rows.stop; ++row) {
    std::int64_t place = order(row);
    std::size_t part = 0;
    for (; place >= after[part] - before[part]; ++part)
      place -= after[part] - before[part];
    out.push_back({part, before[part] + place});
  }
  return out;
}

Batch MixtureSource::batch(std::int64_t step, Rows rows) const {
  std::vector<Placed> placed;
  for (const PartRow& from : part_rows(step, rows))
    placed.push_back({from, std::ssize(placed)});
  std::ranges::sort(placed, {},
                    [](const Placed& one) { return std::pair(one.from.part, one.from.row); });
  Batch out = empty_batch(spec(), rows.size());
  for (auto begin = placed.begin(); begin != placed.end();) {
    auto end = std::next(begin);
    while (end != placed.end() && is_next(std::prev(end)->from, end->from, batch_size_))
      ++end;
    const MixturePart& part = parts_[begin->from.part];
    const std::int64_t first = begin->from.row % batch_size_;
    try {
      copy_rows(part.source->batch(begin->from.row / batch_size_, {first, first + (end - begin)}),
                {begin, end}, out);
    } catch (const Error& error) {
      throw error.with_context(str("part '", part.name, "'"));
    }
    begin = end;
  }
  return out;
}

std::vector<RowPart> MixtureSource::row_parts(std::int64_t step, std::int64_t row) const {
  const PartRow from = part_rows(step, {row, row + 1}).front();
  return parts_[from.part].source->row_parts(from.row / batch_size_, from.row % batch_size_);
}

std::string MixtureSource::part_of_row(std::int64_t step, std::int64_t row) const {
  return parts_[part_rows(step, {row, row + 1}).front().part].name;
}

std::optional<std::int64_t> MixtureSource::num_skipped_records() const {
  std::optional<std::int64_t> out;
  for (const MixturePart& part : parts_)
    if (const auto num = part.source->num_skipped_records()) out = out.value_or(0) + *num;
  return out;
}

std::vector<PartUse> MixtureSource::uses(std::int64_t num_batches) const {
  const std::vector<std::int64_t> counts = schedule_.of_first(num_batches * batch_size_);
  std::vector<PartUse> out;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    out.push_back({parts_[i].name, counts[i], passes(*parts_[i].source, counts[i])});
  return out;
}

}  // namespace meshwright::data
