// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/views.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

// Passes everything on to the document of another object that lookup() names.
class View : public Documents {
 public:
  std::int64_t length(std::int64_t document) const override {
    const auto [inner, number] = lookup(document);
    return inner->length(number);
  }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    const auto [inner, number] = lookup(document);
    inner->read(number, begin, out);
  }
  void read_weights(std::int64_t document,
                    std::int64_t begin,
                    std::span<float> out) const override {
    const auto [inner, number] = lookup(document);
    inner->read_weights(number, begin, out);
  }
  Origin origin(std::int64_t document) const override {
    const auto [inner, number] = lookup(document);
    return inner->origin(number);
  }
  std::uint64_t content_hash(std::int64_t document) const override {
    const auto [inner, number] = lookup(document);
    return inner->content_hash(number);
  }

 protected:
  struct Found {
    const Documents* documents;
    std::int64_t number;
  };
  virtual Found lookup(std::int64_t document) const = 0;
};

class Joined : public View {
 public:
  explicit Joined(std::vector<DocumentsPtr> all) : all_(std::move(all)) {
    Digest digest;
    for (const DocumentsPtr& documents : all_) {
      begins_.push_back(num_documents_);
      num_documents_ += documents->num_documents();
      has_weights_ = has_weights_ || documents->has_weights();
      digest.update(documents->fingerprint());
    }
    fingerprint_ = digest.hex();
  }
  std::int64_t num_documents() const override { return num_documents_; }
  std::int64_t num_tokens() const override {
    std::int64_t out = 0;
    for (const DocumentsPtr& documents : all_)
      out += documents->num_tokens();
    return out;
  }
  bool has_weights() const override { return has_weights_; }
  std::string fingerprint() const override { return fingerprint_; }
  std::vector<FileDigest> files() const override {
    std::vector<FileDigest> out;
    for (const DocumentsPtr& documents : all_)
      std::ranges::move(documents->files(), std::back_inserter(out));
    return out;
  }

 private:
  Found lookup(std::int64_t document) const override {
    const auto next = std::ranges::upper_bound(begins_, document);
    const auto at = static_cast<std::size_t>(next - begins_.begin()) - 1;
    return {all_[at].get(), document - begins_[at]};
  }

  std::vector<DocumentsPtr> all_;
  std::vector<std::int64_t> begins_;  // number of the first document of each
  std::int64_t num_documents_ = 0;
  bool has_weights_ = false;
  std::string fingerprint_;
};

std::string digest_of(const Numbers& numbers) {
  const auto bytes = std::as_bytes(numbers.values());
  return digest_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

class Selected : public View {
 public:
  Selected(DocumentsPtr documents, Numbers numbers, std::optional<std::int64_t> num_tokens)
      : documents_(std::move(documents)), numbers_(std::move(numbers)), num_tokens_(num_tokens) {}
  std::int64_t num_documents() const override { return numbers_.size(); }
  std::int64_t num_tokens() const override {
    return num_tokens_ ? *num_tokens_ : View::num_tokens();
  }
  bool has_weights() const override { return documents_->has_weights(); }
  std::string fingerprint() const override {
    return digest_hex(str(documents_->fingerprint(), " selected ", digest_of(numbers_)));
  }
  std::vector<FileDigest> files() const override { return documents_->files(); }

 private:
  Found lookup(std::int64_t document) const override {
    return {documents_.get(), numbers_[document]};
  }

  DocumentsPtr documents_;
  Numbers numbers_;
  std::optional<std::int64_t> num_tokens_;
};

class Without : public View {
 public:
  Without(DocumentsPtr documents, Numbers numbers, std::optional<std::int64_t> num_tokens)
      : documents_(std::move(documents)), left_out_(std::move(numbers)), num_tokens_(num_tokens) {}
  std::int64_t num_documents() const override {
    return documents_->num_documents() - left_out_.size();
  }
  std::int64_t num_tokens() const override {
    if (num_tokens_) return documents_->num_tokens() - *num_tokens_;
    return View::num_tokens();
  }
  bool has_weights() const override { return documents_->has_weights(); }
  std::string fingerprint() const override {
    return digest_hex(str(documents_->fingerprint(), " without ", digest_of(left_out_)));
  }
  std::vector<FileDigest> files() const override { return documents_->files(); }

 private:
  Found lookup(std::int64_t document) const override {
    // Number i of those left out has `left_out_[i] - i` documents before it that stay.
    std::int64_t begin = 0, end = left_out_.size();
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (left_out_[middle] - middle <= document)
        begin = middle + 1;
      else
        end = middle;
    }
    return {documents_.get(), document + begin};
  }

  DocumentsPtr documents_;
  Numbers left_out_;
  std::optional<std::int64_t> num_tokens_;
};

class Sliced : public Documents {
 public:
  Sliced(DocumentsPtr documents, std::vector<Slice> slices)
      : documents_(std::move(documents)), slices_(std::move(slices)) {}

  std::int64_t num_documents() const override { return std::ssize(slices_); }
  std::int64_t length(std::int64_t document) const override { return at(document).length; }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    documents_->read(at(document).document, at(document).begin + begin, out);
  }
  bool has_weights() const override { return documents_->has_weights(); }
  void read_weights(std::int64_t document,
                    std::int64_t begin,
                    std::span<float> out) const override {
    documents_->read_weights(at(document).document, at(document).begin + begin, out);
  }
  Origin origin(std::int64_t document) const override {
    Origin out = documents_->origin(at(document).document);
    out.token += at(document).begin;
    return out;
  }
  std::uint64_t content_hash(std::int64_t document) const override {
    const Slice& slice = at(document);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(slice.length));
    documents_->read(slice.document, slice.begin, tokens);
    return hash_of_tokens(tokens);
  }
  std::string fingerprint() const override {
    Digest digest;
    digest.update(documents_->fingerprint());
    for (const Slice& slice : slices_)
      digest.update(str(" ", slice.document, ":", slice.begin, "+", slice.length));
    return digest.hex();
  }
  std::vector<FileDigest> files() const override { return documents_->files(); }

 private:
  const Slice& at(std::int64_t document) const {
    return slices_[static_cast<std::size_t>(document)];
  }

  DocumentsPtr documents_;
  std::vector<Slice> slices_;
};

}  // namespace

DocumentsPtr joined(std::vector<DocumentsPtr> all) {
  return all.size() == 1 ? all.front() : std::make_shared<Joined>(std::move(all));
}

DocumentsPtr selected(DocumentsPtr documents,
                      Numbers numbers,
                      std::optional<std::int64_t> num_tokens) {
  for (std::int64_t number : numbers.values())
    MW_CHECK(number >= 0 && number < documents->num_documents(), "data: there is no document ",
             number, ": there are ", documents->num_documents());
  return std::make_shared<Selected>(std::move(documents), std::move(numbers), num_tokens);
}

DocumentsPtr without(DocumentsPtr documents,
                     Numbers numbers,
                     std::optional<std::int64_t> num_tokens) {
  MW_CHECK(std::ranges::is_sorted(numbers.values()), "data: numbers of documents must ascend");
  return std::make_shared<Without>(std::move(documents), std::move(numbers), num_tokens);
}

DocumentsPtr sliced(DocumentsPtr documents, std::vector<Slice> slices) {
  return std::make_shared<Sliced>(std::move(documents), std::move(slices));
}

}  // namespace meshwright::data
