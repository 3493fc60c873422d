// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/convert/array_rules.h"
#include "meshwright/checkpoint/convert/average.h"
#include "meshwright/checkpoint/convert/pending_copy.h"
#include "meshwright/checkpoint/convert/spill.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::_;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Stored stored_contents(const Contents& contents) {
  Stored out{.step = contents.step, .meta = contents.meta};
  out.arrays =
      map(contents.arrays, [](const ArrayParts& array) { return stored_value(assemble(array)); });
  return out;
}

Contents several_dtypes() {
  Contents out = sample_contents(3);
  const auto add = [&](const std::string& path, const ArrayType& type) {
    HostTensor value(type);
    for (std::size_t i = 0; i < value.num_bytes(); ++i)
      value.mutable_data()[i] = static_cast<std::byte>(i % 2);
    out.arrays[path] = ArrayParts{type, {{whole_ranges(type.dims), value}}};
  };
  add("state/key", {u32, {2}});
  add("state/flag", {pred, {}});
  add("state/large", {f32, {7, 300}});
  add("state/half", {f16, {3, 1, 5}});
  add("state/wide", {f64, {2}});
  add("state/empty", {f16, {0, 4}});
  return out;
}

const Structure kStructure = {
    .empty = {{"opt/0", EmptyNode::none},
              {"opt/1", EmptyNode::tuple},
              {"opt/2/x", EmptyNode::map},
              {"rest", EmptyNode::list}},
    .texts = {{"opt/2/mlp/linear", "text"}, {"name", "a \"text\""}},
    .lists = {"opt"},
    .slashes = {"opt/2/mlp"},
};

// Where a container puts its checkpoint, and where it is opened.
struct Place {
  std::string begin, open;
};
Place place_of(const std::string& container, std::int64_t step) {
  if (const Format* format = find_format(container)) return {"", format->step_name(step)};
  if (container == "safetensors") return {"x.safetensors", "x.safetensors"};
  if (container == "npz") return {"x.npz", "x.npz"};
  if (container == "big_vision") return {"x", str("x-00000000", step)};
  return {"x", "x"};
}

class EveryPair : public testing::TestWithParam<std::string> {};

// From each container to each other and back, with a budget that forces small parts.
TEST_P(EveryPair, KeepsEveryByte) {
  const Container& first = *find_container(GetParam());
  Contents contents = several_dtypes();
  contents.meta = {};
  auto files = std::make_shared<io::MemoryFileSystem>();
  const auto copied = [&](const Stored& from, const Container& to) {
    auto written = std::make_shared<io::MemoryFileSystem>();
    const Place place = place_of(std::string(to.name()), from.step);
    write_checkpoint(to, written, place.begin,
                     pending_copy(from, {.budget_bytes = 1500, .threads = 2}), {}, 2);
    EXPECT_TRUE(to.is_here(written, place.open)) << to.name();
    EXPECT_TRUE(to.verify(written, place.open).empty()) << to.name();
    return to.inspect(written, place.open);
  };
  const auto digest_of = [](Stored stored) {
    stored.meta = {};
    stored.step = 0;  // an .npz file has none
    return digest(read_contents(stored));
  };
  Stored origin = stored_contents(contents);
  origin.structure = kStructure;
  const Stored a = copied(origin, first);
  EXPECT_EQ(a.structure == kStructure, first.keeps_structure());
  EXPECT_EQ(digest_of(a), digest_of(stored_contents(contents)));
  for (const std::string& name : written_containers()) {
    const Stored b = copied(a, *find_container(name));
    EXPECT_EQ(digest_of(b), digest_of(a)) << name;
    const Stored back = copied(b, first);
    EXPECT_EQ(digest_of(back), digest_of(a)) << name << " and back";
    const bool has_kept = find_container(name)->keeps_structure();
    EXPECT_EQ(back.structure == a.structure, has_kept || a.structure.is_plain()) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Containers,
                         EveryPair,
                         testing::ValuesIn(written_containers()),
                         [](const auto& test) { return test.param; });

// T5X stores the tree in a file of its own, in which lists and tuples are maps.
TEST(Structure, StaysInT5xsOwnTree) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  Stored stored = stored_contents(sample_contents(3));
  stored.structure = kStructure;
  write_checkpoint(format_named("t5x"), files, "", pending_copy(stored, {}));
  for (const char* ours : {"meshwright.json", "meshwright.txt"})
    files->remove(str("checkpoint_3/", ours));
  const Structure found = format_named("t5x").open(files, "checkpoint_3").structure;
  EXPECT_EQ(found.texts, kStructure.texts);
  EXPECT_THAT(found.empty,
              ElementsAre(Pair("opt/0", EmptyNode::none), Pair("opt/1", EmptyNode::map),
                          Pair("opt/2/x", EmptyNode::map), Pair("rest", EmptyNode::map)));
}

TEST(Structure, FollowsTheRulesOfArrays) {
  Stored stored = stored_contents(sample_contents(3));
  stored.structure = kStructure;
  const ArrayRules rules{.drop = {Regex("learner/.*|opt/0|name")},
                         .rename = {{Regex("(?:opt|model)(.*)"), "slots\\1"}}};
  const Structure found = apply_rules(stored, rules).stored.structure;
  EXPECT_THAT(found.empty, ElementsAre(Pair("rest", EmptyNode::list), Pair("slots/1", _),
                                       Pair("slots/2/x", EmptyNode::map)));
  EXPECT_THAT(found.texts, ElementsAre(Pair("slots/2/mlp/linear", "text")));
  EXPECT_THAT(member_names(found, "slots/2/mlp/linear"), ElementsAre("slots", "2", "mlp/linear"));
}

TEST(PendingCopy, ReadsNoMoreThanTheBudget) {
  HostTensor value(ArrayType{f32, {4096, 64}});
  Stored stored;
  stored.arrays["w"] = stored_value(value);
  std::uint64_t num_read = 0, num_parts = 0;
  std::mutex mutex;
  CopyOptions options{.budget_bytes = 1 << 20, .threads = 2};
  options.on_read = [&](std::uint64_t num_bytes) {
    const std::lock_guard lock(mutex);
    num_read += num_bytes;
    ++num_parts;
    EXPECT_LE(3 * num_bytes, options.budget_bytes);
  };
  // A value in memory is one chunk, so that it cannot be split.
  EXPECT_EQ(largest_part(stored, options), 3 * value.num_bytes());
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format_named("native"), files, "", pending_copy(stored, {}),
                   {.max_chunk_bytes = 1 << 14});
  const Stored on_disk = format_named("native").open(files, "step_00000000");
  EXPECT_LE(largest_part(on_disk, options), options.budget_bytes);
  write_checkpoint(*find_container("npz"), files, "x.npz", pending_copy(on_disk, options));
  EXPECT_EQ(num_read, value.num_bytes());
  EXPECT_GT(num_parts, 1);
}

// An array in one chunk of three times the budget.
class LargeChunk : public testing::TestWithParam<io::zarr::Compressor> {
 protected:
  LargeChunk() {
    const std::span<float> values = value.mutable_values<float>();
    std::iota(values.begin(), values.end(), 0.0F);
    Contents contents;
    contents.arrays["w"] = ArrayParts{value.type(), {{whole_ranges(value.dims()), value}}};
    write_checkpoint(seqax, files, "", contents, {.compressor = GetParam()});
  }
  Stored stored() const { return seqax.open(files, seqax.step_name(0)); }
  Spilled spilled() const { return spill_large_chunks(stored(), options, temporary); }

  HostTensor value{ArrayType{f32, {3, 64, 1024}}};
  const Format& seqax = format_named("seqax");
  const CopyOptions options{.budget_bytes = 1 << 18, .threads = 2};
  Files files = std::make_shared<io::MemoryFileSystem>();
  io::TemporaryFolder folder;
  Files temporary = io::open_file_system(folder.path().string());
};

TEST_P(LargeChunk, IsCopiedWithinTheBudget) {
  const bool is_plain = GetParam() == io::zarr::Compressor::none;
  {
    const Spilled found = spilled();
    EXPECT_EQ(found.largest_file, is_plain ? 0 : value.num_bytes());
    EXPECT_LE(largest_part(found.stored, options), options.budget_bytes);
    auto out = std::make_shared<io::MemoryFileSystem>();
    write_checkpoint(*find_container("npz"), out, "x.npz", pending_copy(found.stored, options));
    const HostTensor again =
        find_container("npz")->open(out, "x.npz").arrays.at("w").value().read();
    EXPECT_TRUE(std::ranges::equal(again.bytes(), value.bytes()));
  }
  EXPECT_THAT(temporary->list(""), testing::IsEmpty());
}

// Another layout asks for columns, which are spread over the chunk.
TEST_P(LargeChunk, GivesAnyPart) {
  const StoredArray array = spilled().stored.arrays.at("w").value();
  const Ranges part = {{1, 3}, {5, 9}, {100, 103}};
  const HostTensor found = array.read(part);
  const HostTensor expected = stored().arrays.at("w").value().read(part);
  EXPECT_TRUE(std::ranges::equal(found.bytes(), expected.bytes()));
}

TEST_P(LargeChunk, DamageIsFoundAndLeavesNothing) {
  if (GetParam() == io::zarr::Compressor::none) return;
  const std::string chunk = seqax.step_name(0) + "/w/0.0.0";
  std::string bytes = io::read_text(*files, chunk, 1 << 24);
  bytes[bytes.size() / 2] ^= 1;
  io::write_text(*files, chunk, bytes);
  EXPECT_THAT(coded_message_of([&] {
                spilled().stored.arrays.at("w").value().read({{0, 1}, {0, 1}, {0, 1}});
              }),
              AllOf(HasSubstr("data loss"), HasSubstr(chunk)));
  EXPECT_THAT(temporary->list(""), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(,
                         LargeChunk,
                         testing::Values(io::zarr::Compressor::none,
                                         io::zarr::Compressor::zstd,
                                         io::zarr::Compressor::gzip,
                                         io::zarr::Compressor::blosc));

TEST(ArrayRules, SelectRenameAndCast) {
  const Stored stored = stored_contents(sample_contents(1));
  ArrayRules rules;
  rules.only.emplace("model/.*");
  rules.drop.emplace_back("model/bias");
  rules.rename.push_back({Regex("model/decoder/(.*)"), "params/\\1/kernel"});
  rules.cast.push_back({Regex("model/decoder/q"), bf16});
  const RuledArrays out = apply_rules(stored, rules);
  std::vector<std::string> found;
  for_each(out.stored.arrays, [&](const std::string& path, const StoredArray& array) {
    found.push_back(str(path, " ", array.type()));
  });
  EXPECT_THAT(found, ElementsAre("params/q/kernel bf16[6,4]", "params/w/kernel f32[4,6]"));
  EXPECT_THAT(out.dropped, ElementsAre("learner/count", "learner/mu/decoder/w", "model/bias"));
}

TEST(ArrayRules, MistakesAreErrors) {
  const Stored stored = stored_contents(sample_contents(1));
  const auto refusal = [&](const auto& change) {
    ArrayRules rules;
    change(rules);
    return message_of([&] { apply_rules(stored, rules); });
  };
  EXPECT_THAT(refusal([](ArrayRules& r) { r.drop.emplace_back("mdoel/.*"); }),
              HasSubstr("no array's path matches 'mdoel/.*'"));
  EXPECT_THAT(refusal([](ArrayRules& r) { r.only.emplace("x"); }), HasSubstr("no array is left"));
  EXPECT_THAT(refusal([](ArrayRules& r) {
                r.rename.push_back({Regex("model/.*"), "same"});
              }),
              HasSubstr("would both be 'same'"));
  EXPECT_THAT(refusal([](ArrayRules& r) {
                r.cast.push_back({Regex("learner/count"), bf16});
              }),
              HasSubstr("cannot be cast to bf16"));
  EXPECT_THAT(refusal([](ArrayRules& r) {
                r.reinterpret.push_back({Regex("model/bias"), f32});
              }),
              HasSubstr("another size"));
}

TEST(ArrayRules, BitsAreTakenForAnotherDtype) {
  Stored stored;
  stored.arrays["w"] = stored_value(HostTensor::from<std::uint16_t>({0x3f80, 0x4000}, {2}));
  ArrayRules rules;
  rules.reinterpret.push_back({Regex("w"), bf16});
  const HostTensor found = apply_rules(stored, rules).stored.arrays.at("w").value().read();
  EXPECT_EQ(found.dtype(), bf16);
  EXPECT_THAT(found.to_doubles(), ElementsAre(1.0, 2.0));
}

TEST(Average, IsThatOfFloatsAndTheRestIsTheLast) {
  const auto with = [](float value, std::int32_t count) {
    Stored out{.step = count};
    out.arrays["w"] = stored_value(HostTensor::from<float>({value, 1}, {2}));
    out.arrays["count"] = stored_value(HostTensor::scalar(count));
    return out;
  };
  const Stored mean = average_of({with(1, 10), with(2, 20), with(6, 30)});
  EXPECT_EQ(mean.step, 30);
  EXPECT_THAT(mean.arrays.at("w").value().read().to_doubles(), ElementsAre(3.0, 1.0));
  EXPECT_THAT(mean.arrays.at("count").value().read().to_doubles(), ElementsAre(30.0));
  Stored other = with(1, 1);
  other.arrays["v"] = stored_value(HostTensor::scalar(1.0F));
  EXPECT_THAT(message_of([&] { average_of({other, with(1, 1)}); }), HasSubstr("v"));
}

}  // namespace
}  // namespace meshwright::checkpoint
