// Attributes: copies of the attributes of one sentence's tokens, texts with values.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "crfsuite/jenkins.hpp"

namespace tagpool {

class Attributes {
public:
    void append(std::string_view text, double value) {
        texts_.reserve_more(text.size() + kJenkinsPadding);
        char* const end = texts_.data() + texts_.size();
        if (!text.empty()) std::memcpy(end, text.data(), text.size());
        std::memset(end + text.size(), 0, kJenkinsPadding);  // for the hash functions
        texts_.extend_written(text.size() + kJenkinsPadding);
        ends_.push_back(texts_.size());
        values_.push_back(value);
    }
    void end_token() { tokens_.push_back(static_cast<uint32_t>(values_.size())); }
    void clear() {
        texts_.clear();
        ends_.assign(1, 0);
        values_.clear();
        tokens_.assign(1, 0);
    }

    size_t token_count() const { return tokens_.size() - 1; }
    size_t size() const { return values_.size(); }
    // The attributes of token t are [begin(t), begin(t + 1)).
    uint32_t begin(size_t token) const { return tokens_[token]; }
    std::string_view text(size_t i) const { return {texts_.data() + ends_[i], ends_[i + 1] - ends_[i] - kJenkinsPadding}; }
    uint32_t hash(size_t i) const { return jenkins_hash(texts_.data() + ends_[i], ends_[i + 1] - ends_[i] - kJenkinsPadding); }
    double value(size_t i) const { return values_[i]; }

private:
    Buffer<char> texts_;
    std::vector<size_t> ends_ = {0};
    std::vector<double> values_;
    std::vector<uint32_t> tokens_ = {0};
};

}  // namespace tagpool
