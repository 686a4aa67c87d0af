#include "online/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/fault.hpp"
#include "base/json.hpp"
#include "features/encode.hpp"
#include "features/program_file.hpp"
#include "kernels/kernels.hpp"
#include "model/encode_blocks.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kBlock = 32;        // sentences per batch
constexpr size_t kShareWords = 10000;  // tokens from which on threads share the values of words

}  // namespace

OnlineModel::OnlineModel(OnlineTrained trained) : OnlineModel(make_tensors(std::move(trained))) {}

OnlineModel::OnlineModel(Tensors tensors) : tensors_(std::move(tensors)), labels_(read_labels(tensors_)), weights_(tensors_, labels_.size()) {
    view_.labels = static_cast<uint32_t>(labels_.size());
    view_.stride = stride_of(labels_.size());
    view_.chain = false;
    view_.blocks = weights_.blocks();
    view_.weights = weights_.weights();
    view_.cell_labels = weights_.cell_labels();
    features_ = FrozenIndex(tensors_, "features");
    conjunctions_ = FrozenIndex(tensors_, "pairs");
    joined_places_ = tensors_.array<uint32_t>("joined.places");
    joined_hashes_ = tensors_.array<uint32_t>("joined.hashes");
    bits_ = tensors_.array<uint64_t>("pairs.bits");
    const Json online = Json::parse(tensors_.text("online"));
    conjunction_slots_ = static_cast<uint32_t>(online.at("slots").as_integer(0, UINT32_MAX));
    for (const Json& offsets : online.at("backs").as_array()) {
        look_back_.backs.emplace_back();
        for (const Json& back : offsets.as_array()) look_back_.backs.back().push_back(static_cast<uint8_t>(back.as_integer(0, UINT8_MAX)));
    }
    if (!look_back_.backs.empty()) {
        const auto templates = tensors_.array<uint16_t>("history.templates");
        look_back_.templates.assign(templates.begin(), templates.end());
        labelled_ = FrozenIndex(tensors_, "labelled");
        history_by_name_ = tensors_.find("history.places") != nullptr;
        if (history_by_name_) {
            histories_ = FrozenIndex(tensors_, "history");
            history_program_ = read_program(tensors_, "history");
        }
    }
    if (tensors_.find_text("program")) program_ = read_program(tensors_, "program");
    if (const std::vector<uint8_t> forbidden = this->forbidden(); !forbidden.empty())
        penalties_ = penalised(forbidden, {}, labels_.size(), labels_.size());
    check();
    may_repeat_ = may_repeat();
    conjunction_bits_ = conjunction_bits();
}

ConjunctionBits OnlineModel::conjunction_bits() const {
    std::vector<uint32_t> in_f;
    in_f.reserve(conjunction_count());  // `check` compares it with the bits
    for (size_t i = 0; i < bits_.size(); ++i)
        for (uint64_t word = bits_[i]; word; word &= word - 1)
            in_f.push_back(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(word))));
    ConjunctionBits bits(conjunction_slots_);
    bits.make(in_f);
    return bits;
}

// The file may be hostile: checks every offset, and that memory is in proportion to the file.
void OnlineModel::check() const {
    look_back_.check();
    if (conjunction_slots_ == 0 || joined_places_.size() != joined_hashes_.size() || bits_.size() != (size_t{conjunction_slots_} + 63) / 64)
        throw InputFault("damaged model: the arrays of conjunctions have wrong sizes");
    size_t count = 0;
    for (const uint64_t word : bits_) count += static_cast<size_t>(std::popcount(word));
    if (count != conjunction_count() || (conjunction_slots_ % 64 && bits_.back() >> conjunction_slots_ % 64))
        throw InputFault("damaged model: 'pairs.bits' and index 'pairs' have different conjunctions");
    if (joined_places_.size() > UINT32_MAX - view_.blocks.size()) throw InputFault("damaged model: 'joined.places' is too long");
    const auto joined = static_cast<uint32_t>(joined_places_.size());
    weights_.check_places(joined_places_, 0, "joined");
    weights_.check_places(features_.places(), joined, "features");
    weights_.check_places(labelled_.places(), joined, "labelled");
    weights_.check_places(conjunctions_.places(), 0, "pairs");
    histories_.for_each_place([&](uint32_t feature) {
        if (feature >= look_back_.templates.size()) throw InputFault("damaged model: index 'history' has an unknown feature");
    });
    if (program_.has_value() && history_by_name_ == look_back_.backs.empty())
        throw InputFault("damaged model: the templates with previous labels are missing");
    if (history_program_ && history_program_->templates.size() != look_back_.backs.size())
        throw InputFault("damaged model: the templates with previous labels do not match");
}

// A feature can repeat at a token only if two templates have the same key, or a gazetteer matches twice.
bool OnlineModel::may_repeat() const {
    if (!program_) return true;
    std::vector<std::string_view> keys;
    for (const Template& conjunction : program_->templates) {
        keys.push_back(conjunction.key);
        for (const Term& term : conjunction.terms)
            if (program_->atoms[term.atom].kind == AtomKind::gazetteer) return true;
    }
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

size_t OnlineModel::weight_count() const {
    size_t count = 0;
    const auto add = [&](uint32_t place) { count += place == FrozenIndex::kNone ? 0 : view_.blocks.length(place); };
    for (const FrozenIndex* index : {&features_, &labelled_}) index->for_each_place([&](uint32_t number) { add(place_of(number)); });
    conjunctions_.for_each_place(add);
    return count;
}

uint64_t OnlineModel::key_of(std::string_view name) const { return program_ ? Encoder::key_of(*program_, name) : hash_bytes(name); }

uint32_t OnlineModel::history_feature(std::string_view name) const {
    return history_by_name_ ? histories_.find(Encoder::key_of(*history_program_, name)) : FrozenIndex::kNone;
}

uint32_t OnlineModel::find_labelled(uint32_t feature, const std::vector<uint16_t>& labels) const {
    if (feature >= look_back_.templates.size() || labels.size() != look_back_.backs_of(feature).size())
        throw InputFault("a feature with previous labels is out of range");
    size_t next = 0;
    return labelled_.find(look_back_.key(feature, [&](size_t) { return labels[next++]; }));
}

void OnlineModel::add_block(uint32_t place, float* scores) const {
    const float* const weights = view_.weights + place;
    if (view_.blocks.is_row(place)) {
        for (uint32_t label = 0; label < view_.labels; ++label) scores[label] += weights[label];
        return;
    }
    const uint16_t* const labels = view_.cell_labels + (place - view_.blocks.rows_end());
    const uint32_t count = view_.blocks.length(place);
    for (uint32_t k = 0; k < count; ++k) scores[labels[k]] += weights[k];
}

void OnlineModel::add_weights(uint32_t number, float* scores) const {
    if (number == FrozenIndex::kNone) return;
    if (const uint32_t place = place_of(number); place != FrozenIndex::kNone) add_block(place, scores);
}

bool OnlineModel::add_conjunction_weights(uint32_t first, uint32_t second, float* scores) const {
    if (first >= joined_hashes_.size() || second >= joined_hashes_.size()) return false;
    const uint32_t slot = conjunction_set().slot(joined_hashes_[first], joined_hashes_[second]);
    if (!(bits_[slot / 64] >> (slot % 64) & 1)) return false;
    if (const uint32_t place = conjunctions_.find(conjunction_key(slot)); place != FrozenIndex::kNone) add_block(place, scores);
    return true;
}

void OnlineModel::tag(const Columns& columns, unsigned threads, size_t beam, int32_t* out) const {
    if (!program_) throw InputFault("the model was trained on given features; pass features, not words");
    const auto sentences = static_cast<uint32_t>(columns.sentence_count());
    std::optional<WordTables> words;
    if (threads > 1 && sentences > 1 && columns.token_count() > kShareWords) words.emplace(*program_, columns, threads);
    encode_blocks(columns, 0, sentences, threads, {&*program_, &features_}, {history_program_ ? &*history_program_ : nullptr, &histories_},
                  words ? &*words : nullptr, [&](const Encoding& encoding, const Encoding* history, uint32_t first, uint32_t last) {
                      thread_local Scratch scratch;
                      tag_sentences(encoding, history, 0, last - first, beam, out + columns.sentences[first], scratch);
                  });
}

void OnlineModel::tag(const Encoding& encoding, const Encoding* history, unsigned threads, size_t beam, int32_t* out) const {
    if (!look_back_.backs.empty() && (!history || history->sentences != encoding.sentences))
        throw InputFault("the model needs the features with previous labels of the same sentences");
    if (history)
        for (const uint32_t id : history->ids)
            if (id >= look_back_.templates.size()) throw InputFault("the encoding has features that the model does not know");
    const size_t sentences = encoding.sentences.size() - 1;
    parallel_for((sentences + kBlock - 1) / kBlock, threads, [&](size_t task, unsigned) {
        thread_local Scratch scratch;
        tag_sentences(encoding, look_back_.backs.empty() ? nullptr : history, task * kBlock, std::min(sentences, (task + 1) * kBlock), beam, out,
                      scratch);
    });
}

void OnlineModel::tag_sentences(const Encoding& encoding, const Encoding* history, size_t first, size_t last, size_t beam, int32_t* out,
                                Scratch& scratch) const {
    encode_tokens(encoding, encoding.sentences[first], encoding.sentences[last], scratch);
    scratch.scores.resize(scratch.placed.token_count() * view_.stride);
    kernels().tagging.score(view_, scratch.placed, AddedRows(), 0, scratch.placed.token_count(), scratch.scores.data());
    for (size_t sentence = first; sentence < last; ++sentence) {
        const size_t begin = encoding.sentences[sentence], length = encoding.sentences[sentence + 1] - begin;
        if (beam > 1 && (history || !penalties_.empty())) search(history, begin, length, beam, out + begin, scratch);
        else greedy(history, begin, length, out + begin, scratch);
    }
}

// Finds the weights of features and conjunctions that do not depend on labels. Conjunctions are looked up one token later than they are
// prefetched.
void OnlineModel::encode_tokens(const Encoding& encoding, size_t first, size_t last, Scratch& scratch) const {
    scratch.placed.clear();
    scratch.first = first;
    scratch.hashes.clear();
    scratch.hash_ends.assign(1, 0);
    for (size_t token = first; token < last; ++token) {
        const size_t from = scratch.hashes.size();
        append_hashes(encoding, token, scratch.hashes);
        scratch.hash_ends.push_back(scratch.hashes.size());
        scratch.next_slots.clear();
        conjunction_set().join_all(scratch.hashes.data() + from, scratch.hashes.size() - from, scratch.next_slots);
        for (const uint32_t slot : scratch.next_slots) conjunctions_.prefetch_all(conjunction_key(slot));
        if (token > first) place(encoding, token - 1, scratch.slots, scratch.placed);
        std::swap(scratch.slots, scratch.next_slots);
    }
    if (last > first) place(encoding, last - 1, scratch.slots, scratch.placed);
}

// Appends the hashes of a token's features that are part of conjunctions, each once.
void OnlineModel::append_hashes(const Encoding& encoding, size_t token, std::vector<uint32_t>& hashes) const {
    const auto from = static_cast<std::ptrdiff_t>(hashes.size());
    for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
        if (encoding.ids[i] >= joined_hashes_.size()) continue;
        const uint32_t hash = joined_hashes_[encoding.ids[i]];
        if (!may_repeat_ || std::find(hashes.begin() + from, hashes.end(), hash) == hashes.end()) hashes.push_back(hash);
    }
}

// Appends a token: the offsets of the weights of its features, and of the conjunctions with these slots.
void OnlineModel::place(const Encoding& encoding, size_t token, const Buffer<uint32_t>& slots, Encoding& placed) const {
    const bool valued = !encoding.values.empty();
    const auto push = [&](uint32_t place, float value) {
        if (place == FrozenIndex::kNone) return;
        placed.ids.push_back(place);
        if (valued) placed.values.push_back(value);
    };
    for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) push(place_of(encoding.ids[i]), encoding.value(i));
    for (const uint32_t slot : slots) push(conjunctions_.find(conjunction_key(slot)), 1.0f);
    placed.end_token();
}

// Adds the weights of features with previous labels at token t of a sentence. Finds all offsets before it reads weights, so that cache misses overlap.
void OnlineModel::add_history(const Encoding& history, size_t token, size_t t, const int32_t* labels, float* scores, Scratch& scratch) const {
    scratch.history_hashes.clear();
    scratch.joined.clear();
    scratch.places.clear();
    const auto push = [&](uint32_t place) {
        if (place == FrozenIndex::kNone) return;
        prefetch_block(place);
        scratch.places.push_back(place);
    };
    for (uint64_t i = history.starts[token]; i < history.starts[token + 1]; ++i) {
        const uint32_t number =
            labelled_.find(look_back_.key(history.ids[i], [&](size_t back) { return label_before(labels, t, back, view_.labels); }));
        if (number == FrozenIndex::kNone) continue;
        if (number < joined_places_.size()) scratch.history_hashes.push_back(joined_hashes_[number]);
        push(place_of(number));
    }
    const size_t from = scratch.hash_ends[token - scratch.first], count = scratch.hash_ends[token - scratch.first + 1] - from;
    for (size_t i = 0; i < scratch.history_hashes.size(); ++i) {
        conjunction_set().join(scratch.history_hashes[i], scratch.hashes.data() + from, count, scratch.joined);
        conjunction_set().join(scratch.history_hashes[i], scratch.history_hashes.data() + i + 1, scratch.history_hashes.size() - i - 1,
                               scratch.joined);
    }
    for (const uint32_t slot : scratch.joined) conjunctions_.prefetch_all(conjunction_key(slot));
    for (const uint32_t slot : scratch.joined) push(conjunctions_.find(conjunction_key(slot)));
    for (const uint32_t place : scratch.places) add_block(place, scores);
}

void OnlineModel::forbid(size_t t, size_t length, int32_t before, float* scores) const {
    if (penalties_.empty()) return;
    const size_t labels = view_.labels, start = labels, end = labels + 1;
    const float* const row = penalties_.data() + (t ? static_cast<size_t>(before) : start) * labels;
    for (size_t y = 0; y < labels; ++y) scores[y] += row[y];
    if (t + 1 == length)
        for (size_t y = 0; y < labels; ++y) scores[y] += penalties_[end * labels + y];
}

void OnlineModel::greedy(const Encoding* history, size_t begin, size_t length, int32_t* out, Scratch& scratch) const {
    for (size_t t = 0; t < length; ++t) {
        float* const scores = scratch.scores.data() + (begin + t - scratch.first) * view_.stride;
        if (history) add_history(*history, begin + t, t, out, scores, scratch);
        forbid(t, length, t ? out[t - 1] : 0, scores);
        out[t] = static_cast<int32_t>(std::max_element(scores, scores + view_.labels) - scores);
    }
}

// Beam search. Scores of a token are normalised to log-probabilities (log-softmax), since raw scores of different histories are not comparable.
// Forbidden labels keep their share of the probability: a path that leaves only unlikely labels must not win because the others are forbidden.
void OnlineModel::search(const Encoding* history, size_t begin, size_t length, size_t beam, int32_t* out, Scratch& scratch) const {
    struct Extension {
        double score;
        uint32_t path;
        int32_t label;
    };
    std::vector<Path> paths(1, Path{0, std::vector<int32_t>(length)}), next;
    std::vector<Extension> extensions;
    std::vector<float> scores(view_.stride);
    for (size_t t = 0; t < length; ++t) {
        extensions.clear();
        for (uint32_t path = 0; path < paths.size(); ++path) {
            std::copy_n(scratch.scores.data() + (begin + t - scratch.first) * view_.stride, view_.stride, scores.data());
            if (history) add_history(*history, begin + t, t, paths[path].labels.data(), scores.data(), scratch);
            const double most = static_cast<double>(*std::max_element(scores.begin(), scores.begin() + view_.labels));
            double sum = 0;
            for (uint32_t y = 0; y < view_.labels; ++y) sum += std::exp(static_cast<double>(scores[y]) - most);
            forbid(t, length, t ? paths[path].labels[t - 1] : 0, scores.data());
            for (uint32_t y = 0; y < view_.labels; ++y)
                extensions.push_back({paths[path].score + static_cast<double>(scores[y]) - most - std::log(sum), path, static_cast<int32_t>(y)});
        }
        const size_t count = std::min(beam, extensions.size());
        // Ties go to the path that was better before, then to the smaller label.
        std::partial_sort(
            extensions.begin(), extensions.begin() + static_cast<std::ptrdiff_t>(count), extensions.end(),
            [](const Extension& a, const Extension& b) { return std::tuple(-a.score, a.path, a.label) < std::tuple(-b.score, b.path, b.label); });
        next.clear();
        for (size_t i = 0; i < count; ++i) {
            next.push_back({extensions[i].score, paths[extensions[i].path].labels});
            next.back().labels[t] = extensions[i].label;
        }
        paths.swap(next);
    }
    std::copy(paths[0].labels.begin(), paths[0].labels.end(), out);
}

}  // namespace tagpool
