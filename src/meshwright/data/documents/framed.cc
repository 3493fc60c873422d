// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"
#include "meshwright/data/documents/views.h"

namespace meshwright::data {
namespace {

class Framed : public Documents {
 public:
  Framed(DocumentsPtr documents,
         std::optional<std::int32_t> before,
         std::optional<std::int32_t> after)
      : documents_(std::move(documents)), before_(before), after_(after) {}

  std::int64_t num_documents() const override { return documents_->num_documents(); }
  std::int64_t num_tokens() const override {
    return documents_->num_tokens() + num_documents() * (before_.has_value() + after_.has_value());
  }
  std::int64_t length(std::int64_t document) const override {
    return documents_->length(document) + before_.has_value() + after_.has_value();
  }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    const std::span<std::int32_t> inside = inside_of(document, begin, out);
    if (inside.size() != out.size()) {
      if (before_ && begin == 0) out.front() = *before_;
      if (after_ && begin + std::ssize(out) == length(document)) out.back() = *after_;
    }
    if (!inside.empty()) documents_->read(document, inside_begin(begin), inside);
  }
  bool has_weights() const override { return documents_->has_weights(); }
  // The end is learnt, the beginning is given.
  void read_weights(std::int64_t document,
                    std::int64_t begin,
                    std::span<float> out) const override {
    for (float& weight : out)
      weight = 1;
    const std::span<float> inside = inside_of(document, begin, out);
    if (!inside.empty()) documents_->read_weights(document, inside_begin(begin), inside);
  }
  Origin origin(std::int64_t document) const override { return documents_->origin(document); }
  std::uint64_t content_hash(std::int64_t document) const override {
    return documents_->content_hash(document);
  }
  std::string fingerprint() const override {
    return digest_hex(
        str(documents_->fingerprint(), " framed ", before_.value_or(-1), " ", after_.value_or(-1)));
  }
  std::vector<FileDigest> files() const override { return documents_->files(); }

 private:
  std::int64_t inside_begin(std::int64_t begin) const {
    return before_ && begin > 0 ? begin - 1 : begin;
  }

  // Returns the elements of `out` that are neither the token before nor the one after.
  template <typename T>
  std::span<T> inside_of(std::int64_t document, std::int64_t begin, std::span<T> out) const {
    if (out.empty()) return out;
    const bool ends = after_ && begin + std::ssize(out) == length(document);
    if (before_ && begin == 0) out = out.subspan(1);
    return ends && !out.empty() ? out.first(out.size() - 1) : out;
  }

  DocumentsPtr documents_;
  std::optional<std::int32_t> before_, after_;
};

}  // namespace

DocumentsPtr framed(DocumentsPtr documents,
                    std::optional<std::int32_t> before,
                    std::optional<std::int32_t> after) {
  if (!before && !after) return documents;
  return std::make_shared<Framed>(std::move(documents), before, after);
}

}  // namespace meshwright::data
