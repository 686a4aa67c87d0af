#include "model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fault.hpp"
#include "base/thread_pool.hpp"
#include "features/encode.hpp"
#include "features/program_file.hpp"
#include "kernels/kernels.hpp"
#include "model/encode_blocks.hpp"
#include "model/word_rows.hpp"

namespace tagpool {

Model::Model(Trained trained) : Model(to_tensors(std::move(trained))) {}

Model::Model(Tensors tensors) : Model(std::move(tensors), nullptr) {}

Model::Model(Tensors tensors, const Model* pool) : tensors_(std::move(tensors)), labels_(read_labels(tensors_)), weights_(tensors_, labels_.size()) {
    const size_t labels = labels_.size(), stride = stride_of(labels);
    view_.labels = static_cast<uint32_t>(labels);
    view_.stride = static_cast<uint32_t>(stride);
    slots_ = FrozenIndex(tensors_, "features");
    view_.blocks = weights_.blocks();
    view_.weights = weights_.weights();
    view_.cell_labels = weights_.cell_labels();
    weights_.check_places(slots_.places(), 0, "features");
    view_.chain = tensors_.find("edges") != nullptr;
    if (view_.chain) {
        const auto edges = require_finite(tensors_.array<float>("edges"), "edges");
        if (edges.size() != labels * (labels + 2))
            throw InputFault("damaged model: 'edges' has " + std::to_string(edges.size()) + " numbers, expected " +
                             std::to_string(labels * (labels + 2)));
        edges_.assign((labels + 2) * stride, 0.0f);
        for (size_t row = 0; row < labels + 2; ++row) std::copy_n(edges.data() + row * labels, labels, edges_.data() + row * stride);
        view_.transitions = edges_.data();
        view_.start = edges_.data() + labels * stride;
        view_.end = view_.start + stride;
    }
    forbid();
    transition_features_.emplace(tensors_, view_.labels, view_.stride, pool ? &pool->transition_features_->program() : nullptr);
    if (!view_.chain && transition_features_->has_history()) throw InputFault("damaged model: transition features without \"edges\"");
    view_.transition_features = tagging_.transition_features = transition_features_->view();
    if (tensors_.find_text("program")) program_ = pool ? pool->program_ : read_program(tensors_, "program");
    if (program_) templates_.emplace(*program_, view_.stride * sizeof(float));
}

void Model::forbid() {
    tagging_ = view_;
    const std::vector<uint8_t> forbidden = this->forbidden();
    const size_t labels = view_.labels, stride = view_.stride;
    if (!forbidden.empty()) {
        allowed_edges_ = penalised(forbidden, edges_, labels, stride);
        tagging_.chain = true;
        tagging_.transitions = allowed_edges_.data();
        tagging_.start = tagging_.transitions + labels * stride;
        tagging_.end = tagging_.start + stride;
    }
    constexpr size_t kMaxStride = 48;  // kernels for more labels do not read them
    if (!tagging_.chain || stride > kMaxStride) return;
    incoming_.assign(labels * stride, -std::numeric_limits<float>::infinity());
    for (size_t a = 0; a < labels; ++a)
        for (size_t b = 0; b < labels; ++b) incoming_[b * stride + a] = tagging_.transitions[a * stride + b];
    tagging_.incoming = incoming_.data();
}

std::unique_ptr<Model> Model::member(const std::string& name) const {
    const Tensor* const block = tensors_.find(name);
    if (!block) throw InputFault("the member \"" + name + "\" is missing");
    auto owners = std::make_shared<const std::vector<std::shared_ptr<const void>>>(tensors_.owners());
    Tensors tensors = Tensors::read({reinterpret_cast<const char*>(block->data), block->bytes}, std::move(owners)).aligned();
    for (const char* key : {"labels", "program", "history"}) {
        const std::string *text = tensors.find_text(key), *shared = tensors_.find_text(key);
        if (!text != !shared || (text && *text != *shared))
            throw InputFault(
                concat("member \"", name, "\" has other ", key == std::string_view("labels") ? "labels" : "templates", " than the pool"));
    }
    return std::unique_ptr<Model>(new Model(std::move(tensors), this));
}

std::vector<std::string> Model::columns() const { return columns_in({&program_, &transition_features_->program()}); }

bool Model::looks_at_documents() const { return any_looks_at_documents({&program_, &transition_features_->program()}); }

size_t Model::feature_count() const {
    size_t count = 0;
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) count += slots_.place(slot) != FrozenIndex::kNone;
    return count;
}

size_t Model::weight_count() const {
    size_t count = 0;
    for (uint32_t slot = 0; slot < slots_.size(); ++slot)
        if (const uint32_t place = slots_.place(slot); place != FrozenIndex::kNone) count += view_.blocks.length(place);
    return count;
}

// Processes batches of sentences whose rows fit into the cache even if all tokens differ. The batches do not change the result.
template <class Block>
void Model::for_blocks(const Columns& columns, unsigned threads, Block&& block) const {
    if (!program_) throw InputFault("the model was trained on given features: pass features, not words");
    const auto sentences = static_cast<uint32_t>(columns.sentence_count());
    const size_t row = view_.stride * sizeof(float) * std::max<size_t>(templates_->row_count(), 1);
    for (uint32_t first = 0; first < sentences;) {
        const size_t token = columns.sentences[first] + kMaxCacheBytes / 4 * 3 / row;
        const auto end = std::upper_bound(columns.sentences.begin() + first, columns.sentences.end(), token);
        const uint32_t last = std::max(first + 1, static_cast<uint32_t>(end - columns.sentences.begin() - 1));
        // Word rows are computed first, for all threads.
        const WordRows rows({*templates_, view_, slots_}, row_cache_, columns, first, last, threads);
        encode_blocks(columns, first, last, threads, {&templates_->rest, &slots_}, transition_features_->indexed_program(), nullptr,
                      [&](const Encoding& encoding, const Encoding* history, uint32_t begin, uint32_t stop) {
                          thread_local std::vector<uint32_t> numbers;
                          numbers.clear();
                          for (uint32_t sentence = begin; sentence < stop; ++sentence) rows.append(sentence, numbers);
                          block(encoding, rows.view(numbers), history, columns.sentences[begin]);
                      });
        first = last;
    }
}

void Model::tag(const Columns& columns, unsigned threads, int32_t* out) const {
    for_blocks(columns, threads, [&](const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t begin) {
        thread_local TagScratch scratch;
        kernels().tagging.tag(tagging_, encoding, added, history, 0, encoding.sentences.size() - 1, out + begin, scratch);
    });
}

void Model::tag(const Encoding& encoding, const Encoding* history, unsigned threads, int32_t* out) const {
    const size_t sentences = encoding.sentences.size() - 1, block = 64;
    check_history(encoding, history);
    parallel_for((sentences + block - 1) / block, threads, [&](size_t task, unsigned) {
        thread_local TagScratch scratch;
        kernels().tagging.tag(tagging_, encoding, AddedRows(), history, task * block, std::min(sentences, (task + 1) * block), out, scratch);
    });
}

void Model::score(const Columns& columns, unsigned threads, float* out) const {
    for_blocks(columns, threads, [&](const Encoding& encoding, const AddedRows& added, const Encoding*, size_t begin) {
        score_rows(encoding, added, out + begin * view_.labels);
    });
}

void Model::score(const Encoding& encoding, float* out) const { score_rows(encoding, AddedRows(), out); }

void Model::score_rows(const Encoding& encoding, const AddedRows& added, float* out) const {
    constexpr size_t kTokens = 64;
    std::vector<float> rows(kTokens * view_.stride);
    for (size_t first = 0; first < encoding.token_count(); first += kTokens) {
        const size_t last = std::min(encoding.token_count(), first + kTokens);
        kernels().tagging.score(view_, encoding, added, first, last, rows.data());
        for (size_t token = first; token < last; ++token)
            std::copy_n(rows.data() + (token - first) * view_.stride, view_.labels, out + token * view_.labels);
    }
}

void Model::score_bigrams(const Columns& columns, unsigned threads, float* out) const {
    for_blocks(columns, threads, [&](const Encoding& encoding, const AddedRows&, const Encoding* history, size_t begin) {
        score_bigrams(encoding, history, out + begin * view_.labels * view_.labels);
    });
}

void Model::score_bigrams(const Encoding& encoding, const Encoding* history, float* out) const {
    if (!view_.chain) throw InputFault("the model has no transitions");
    check_history(encoding, history);
    const size_t labels = view_.labels, stride = view_.stride;
    for (size_t sentence = 0; sentence + 1 < encoding.sentences.size(); ++sentence) {
        if (encoding.sentences[sentence] == encoding.sentences[sentence + 1]) continue;
        std::fill_n(out + encoding.sentences[sentence] * labels * labels, labels * labels, 0.0f);
        for (size_t token = encoding.sentences[sentence] + size_t{1}; token < encoding.sentences[sentence + 1]; ++token) {
            float* const to = out + token * labels * labels;
            for (size_t b = 0; b < labels; ++b) std::copy_n(view_.transitions + b * stride, labels, to + b * labels);
            if (history && transition_features_->has_history())
                view_.transition_features->each_cell(*history, token,
                                                     [&](uint32_t cell, float score) { to[cell / stride * labels + cell % stride] += score; });
        }
    }
}

void Model::check_history(const Encoding& encoding, const Encoding* history) const {
    if (!transition_features_->has_history()) return;
    if (!history || history->sentences != encoding.sentences) throw InputFault("the model needs the transition features of the same sentences");
    for (const uint32_t id : history->ids)
        if (id >= transition_features_->feature_count()) throw InputFault("the encoding has features that the model does not have");
}

Encoding Model::placed(const Encoding& numbered) const { return replace_ids_by_places(slots_, numbered); }

uint64_t Model::key_of(std::string_view name) const { return program_ ? Encoder::key_of(*program_, name) : hash_bytes(name); }

std::unique_ptr<Model> Model::pruned(float least, const std::vector<uint64_t>& keys, const std::vector<std::string>& history) const {
    Trained trained;
    trained.labels = labels_;
    trained.program = program_;
    const auto take = [&](uint32_t feature, uint32_t place) {
        view_.each_weight(place, [&](uint32_t label, float weight) {
            if (!(std::abs(weight) > least)) return;
            trained.cell_features.push_back(feature);
            trained.cell_labels.push_back(static_cast<uint16_t>(label));
            trained.weights.push_back(weight);
        });
    };
    for (const uint64_t key : keys) {
        const uint32_t place = slots_.find(key);
        if (place == FrozenIndex::kNone) continue;
        take(trained.features++, place);
        trained.keys.push_back(key);
    }
    if (trained.features != feature_count()) throw InputFault("the keys are not those of the model's features");
    if (view_.chain) {
        const auto edges = tensors_.array<float>("edges");
        trained.edges.assign(edges.begin(), edges.end());
    }
    trained.forbidden = forbidden();
    trained.transition_weights = transition_features_->pruned(least, history);
    return std::make_unique<Model>(std::move(trained));
}

}  // namespace tagpool
