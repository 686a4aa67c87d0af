#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "extract.hpp"
#include "fault.hpp"
#include "half.hpp"
#include "json.hpp"
#include "kernels.hpp"
#include "model_layout.hpp"
#include "parallel.hpp"
#include "program_file.hpp"
#include "word_rows.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kBlock = 32;  // sentences encoded at once: their rows stay in the cache until they are scored
constexpr size_t kMostRows = size_t{1} << 26;  // bytes

}  // namespace

Model::Model(Trained trained) : Model(laid_out(std::move(trained))) {}

Model::Model(Tensors tensors) : tensors_(std::move(tensors)) {
    const std::string* format = tensors_.find_text("format");
    if (!format || *format != "tagpool") throw InputFault("it is a safetensors file, but no tagpool model");
    const auto version = Json::parse(tensors_.text("version")).as_whole(0, INT32_MAX);
    if (version > kModelVersion)
        throw InputFault("it was written by a newer tagpool (format " + std::to_string(version) + ", this one reads up to " +
                         std::to_string(kModelVersion) + "); upgrade tagpool");
    const Json names = Json::parse(tensors_.text("labels"));
    for (const Json& label : names.as_array()) labels_.push_back(label.as_string());
    if (version < kModelVersion)
        throw InputFault("it was written by an older tagpool (format " + std::to_string(version) + ", this one reads format " +
                         std::to_string(kModelVersion) + "); train it again");
    const size_t labels = labels_.size(), stride = stride_of(labels);
    view_.labels = static_cast<uint32_t>(labels);
    view_.stride = static_cast<uint32_t>(stride);
    slots_ = Slots(tensors_, "features");
    hash_size_ = slots_.hash_size();
    read_weights();
    edges_.assign((labels + 2) * stride, 0.0f);
    view_.chain = tensors_.find("edges") != nullptr;
    if (view_.chain) {
        const auto edges = tensors_.array<float>("edges");
        if (edges.size() != labels * (labels + 2)) throw InputFault("the edges do not fit the labels");
        for (size_t row = 0; row < labels + 2; ++row) std::copy_n(edges.data() + row * labels, labels, edges_.data() + row * stride);
    }
    view_.transitions = edges_.data();
    view_.start = edges_.data() + labels * stride;
    view_.end = view_.start + stride;
    arcs_.emplace(tensors_, view_.labels, view_.stride, view_.transitions);
    if (view_.chain) view_.arcs = arcs_->view();
    if (tensors_.find_text("program")) program_ = read_program(tensors_, "program");
    if (program_) templates_.emplace(*program_);
}

void Model::read_weights() {
    const size_t stride = view_.stride;
    const Tensor* weights = tensors_.find("features.weights");
    if (weights && weights->type == Type::f16) {
        const auto* halves = reinterpret_cast<const uint16_t*>(weights->data);
        wide_weights_.resize(weights->bytes / 2);
        std::transform(halves, halves + wide_weights_.size(), wide_weights_.begin(), from_half);
        view_.weights = wide_weights_.data();
    } else {
        view_.weights = tensors_.array<float>("features.weights").data();
    }
    const size_t count = weights->bytes / (weights->type == Type::f16 ? 2 : 4);
    Blocks& blocks = view_.blocks;
    blocks.labels = view_.labels;
    const Json ends = Json::parse(tensors_.text("blocks"));
    if (ends.as_array().size() != blocks.ends.size()) throw InputFault("the weights are laid out in a way that cannot be");
    for (size_t i = 0; i < blocks.ends.size(); ++i) blocks.ends[i] = static_cast<uint32_t>(ends.at(i).as_whole(0, UINT32_MAX - 1));
    if (!std::is_sorted(blocks.ends.begin(), blocks.ends.end()) || blocks.size() + stride != count)
        throw InputFault("the weights are laid out in a way that cannot be");
    if (blocks.rows_end() % blocks.labels != 0) throw InputFault("a feature has not one weight for each label");
    for (uint32_t slot = 0; slot < slots_.size(); ++slot)
        if (slots_.place(slot) != Slots::kNone && !blocks.holds(slots_.place(slot))) throw InputFault("the index of features does not fit the weights");
    const Tensor* labels = tensors_.find("features.labels");
    if (labels && labels->type == Type::u8) {
        const auto narrow = tensors_.array<uint8_t>("features.labels");
        wide_labels_.assign(narrow.begin(), narrow.end());
        view_.pair_labels = wide_labels_.data();
    } else {
        view_.pair_labels = tensors_.array<uint16_t>("features.labels").data();
    }
    const size_t pairs = blocks.size() - blocks.rows_end();
    if (labels->shape != std::vector<size_t>{pairs}) throw InputFault("the weights' labels do not fit the weights");
    if (std::any_of(view_.pair_labels, view_.pair_labels + pairs, [&](uint16_t label) { return label >= view_.labels; }))
        throw InputFault("a weight is for a label that is not there");
}

std::vector<std::string> Model::columns() const {
    std::vector<std::string> found;
    for (const std::optional<Program>* program : {&program_, &arcs_->program()}) {
        if (!*program) continue;
        for (const Atom& atom : (*program)->atoms)
            if (!atom.column.empty() && std::find(found.begin(), found.end(), atom.column) == found.end()) found.push_back(atom.column);
    }
    return found;
}

size_t Model::feature_count() const {
    size_t count = 0;
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) count += slots_.place(slot) != Slots::kNone;
    return count;
}

size_t Model::weight_count() const {
    size_t count = 0;
    for (uint32_t slot = 0; slot < slots_.size(); ++slot)
        if (const uint32_t place = slots_.place(slot); place != Slots::kNone) count += view_.blocks.length(place);
    return count;
}

// So many sentences at a time that the rows of their words take a bounded room, were they all distinct. Sums are the same wherever it is cut.
template <class Block>
void Model::for_blocks(const Columns& columns, unsigned threads, Block&& block) const {
    if (!program_) throw InputFault("this model was trained on given features: it needs features, not words");
    const auto sentences = static_cast<uint32_t>(columns.sentence_count());
    const size_t row = view_.stride * sizeof(float) * std::max<size_t>(templates_->groups.size(), 1);
    for (uint32_t first = 0; first < sentences;) {
        const size_t token = columns.sentences[first] + kMostRows / row;
        const auto end = std::upper_bound(columns.sentences.begin() + first, columns.sentences.end(), token);
        const uint32_t last = std::max(first + 1, static_cast<uint32_t>(end - columns.sentences.begin() - 1));
        for_blocks_of(columns, first, last, threads, block);
        first = last;
    }
}

// Words come first, shared among threads. Then every thread gets sentences that follow one another: what else it learns about words serves
// all of them.
template <class Block>
void Model::for_blocks_of(const Columns& columns, uint32_t from, uint32_t to, unsigned threads, Block&& block) const {
    const WordRows rows(*templates_, view_, slots_, columns, from, to, threads);
    const unsigned parts = std::max(1u, std::min(threads, to - from));
    const size_t begin = columns.sentences[from], tokens = columns.sentences[to] - begin;
    parallel_for(parts, threads, [&](size_t part, unsigned) {
        const auto bound = [&](size_t number) {
            if (number == parts) return to;
            const auto place = std::lower_bound(columns.sentences.begin() + from, columns.sentences.begin() + to, begin + tokens * number / parts);
            return static_cast<uint32_t>(place - columns.sentences.begin());
        };
        Encoding encoding, history;
        Placing placing{slots_};
        Pass<Placing> pass(templates_->rest, columns, placing, encoding, 0);
        std::optional<Placing> history_placing;
        std::optional<Pass<Placing>> history_pass;
        if (arcs_->program()) {
            history_placing.emplace(arcs_->slots());
            history_pass.emplace(*arcs_->program(), columns, *history_placing, history, 0);
        }
        std::vector<uint32_t> numbers;
        const uint32_t last = bound(part + 1);
        for (uint32_t first = bound(part); first < last; first += kBlock) {
            const uint32_t end = std::min(last, first + kBlock);
            encoding.clear();
            pass.run(first, end);
            if (history_pass) {
                history.clear();
                history_pass->run(first, end);
            }
            numbers.clear();
            for (uint32_t sentence = first; sentence < end; ++sentence) rows.append(sentence, numbers);
            block(encoding, rows.view(numbers), history_pass ? &history : nullptr, columns.sentences[first]);
        }
    });
}

void Model::tag(const Columns& columns, unsigned threads, int32_t* out) const {
    for_blocks(columns, threads, [&](const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t begin) {
        thread_local TagScratch scratch;
        kernels<float>().tag(view_, encoding, added, history, 0, encoding.sentences.size() - 1, out + begin, scratch);
    });
}

void Model::tag(const Encoding& encoding, const Encoding* history, unsigned threads, int32_t* out) const {
    const size_t sentences = encoding.sentences.size() - 1, block = 64;
    check_history(encoding, history);
    parallel_for((sentences + block - 1) / block, threads, [&](size_t task, unsigned) {
        thread_local TagScratch scratch;
        kernels<float>().tag(view_, encoding, AddedRows(), history, task * block, std::min(sentences, (task + 1) * block), out, scratch);
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
        kernels<float>().score(view_, encoding, added, first, last, rows.data());
        for (size_t token = first; token < last; ++token)
            std::copy_n(rows.data() + (token - first) * view_.stride, view_.labels, out + token * view_.labels);
    }
}

void Model::score_pairs(const Columns& columns, unsigned threads, float* out) const {
    for_blocks(columns, threads, [&](const Encoding& encoding, const AddedRows&, const Encoding* history, size_t begin) {
        score_pairs(encoding, history, out + begin * view_.labels * view_.labels);
    });
}

void Model::score_pairs(const Encoding& encoding, const Encoding* history, float* out) const {
    check_history(encoding, history);
    const size_t labels = view_.labels, stride = view_.stride;
    const float* const pairs = view_.arcs ? view_.arcs->pairs : view_.transitions;
    for (size_t sentence = 0; sentence + 1 < encoding.sentences.size(); ++sentence) {
        std::fill_n(out + encoding.sentences[sentence] * labels * labels, labels * labels, 0.0f);
        for (size_t token = encoding.sentences[sentence] + size_t{1}; token < encoding.sentences[sentence + 1]; ++token) {
            float* const to = out + token * labels * labels;
            for (size_t b = 0; b < labels; ++b) std::copy_n(pairs + b * stride, labels, to + b * labels);
            if (history && arcs_->has_history())
                view_.arcs->each_triple(*history, token, [&](uint32_t cell, float score) { to[cell / stride * labels + cell % stride] += score; });
        }
    }
}

void Model::check_history(const Encoding& encoding, const Encoding* history) const {
    if (!arcs_->has_history()) return;
    if (!history || history->sentences != encoding.sentences) throw InputFault("this model needs the features of transitions of the same sentences");
    for (const uint32_t id : history->ids)
        if (id >= arcs_->feature_count()) throw InputFault("the encoding has features this model does not know");
}

Encoding Model::placed(const Encoding& numbered) const {
    Encoding out;
    out.sentences = numbered.sentences;
    out.ids.reserve_more(numbered.ids.size());
    for (size_t token = 0; token < numbered.token_count(); ++token) {
        for (uint64_t i = numbered.starts[token]; i < numbered.starts[token + 1]; ++i) {
            if (numbered.ids[i] >= slots_.size()) throw InputFault("the encoding has features this model does not know");
            const uint32_t place = slots_.place(numbered.ids[i]);
            if (place == Slots::kNone) continue;
            out.ids.push_unchecked(place);
            if (!numbered.values.empty()) out.values.push_back(numbered.values[i]);
        }
        out.end_token();
    }
    return out;
}

uint64_t Model::key_of(std::string_view name) const { return program_ ? Encoder::key_of(*program_, name) : hash_bytes(name); }

std::unique_ptr<Model> Model::pruned(float least, const std::vector<uint64_t>& keys, const std::vector<std::string>& history) const {
    Trained trained;
    trained.labels = labels_;
    trained.program = program_;
    trained.hash_size = hash_size_;
    const auto take = [&](uint32_t feature, uint32_t place) {
        view_.each_weight(place, [&](uint32_t label, float weight) {
            if (!(std::abs(weight) > least)) return;
            trained.pair_features.push_back(feature);
            trained.pair_labels.push_back(static_cast<uint16_t>(label));
            trained.weights.push_back(weight);
        });
    };
    if (hash_size_) {
        trained.features = hash_size_;
        for (uint32_t slot = 0; slot < slots_.size(); ++slot)
            if (slots_.place(slot) != Slots::kNone) take(slot, slots_.place(slot));
    } else {
        for (const uint64_t key : keys) {
            const uint32_t place = slots_.find(key);
            if (place == Slots::kNone) continue;
            take(trained.features++, place);
            trained.keys.push_back(key);
        }
        if (trained.features != feature_count()) throw InputFault("the keys are not those of this model's features");
    }
    if (view_.chain) {
        const auto edges = tensors_.array<float>("edges");
        trained.edges.assign(edges.begin(), edges.end());
    }
    trained.arcs = arcs_->pruned(tensors_, least, history);
    return std::make_unique<Model>(std::move(trained));
}

std::string Model::write(const Tensors& more, bool half) const {
    Tensors out;
    for (const auto& [key, text] : tensors_.texts()) out.set(key, text);
    for (const auto& [key, text] : more.texts()) out.set(key, text);
    std::vector<std::vector<uint16_t>> halves;
    for (const Tensor& tensor : tensors_.all()) {
        // Names of features are for whoever writes to keep or to leave out.
        if (tensor.name == "names" || tensor.name == "history.names" || more.find(tensor.name)) continue;
        if (half && (tensor.name == "features.weights" || tensor.name == "history.weights") && tensor.type == Type::f32) {
            const auto weights = tensors_.array<float>(tensor.name);
            std::vector<uint16_t>& narrow = halves.emplace_back(weights.size());
            std::transform(weights.begin(), weights.end(), narrow.begin(), to_half);
            out.add(tensor.name, Type::f16, tensor.shape, narrow.data(), nullptr);
        } else {
            out.add(tensor.name, tensor.type, tensor.shape, tensor.data, nullptr);
        }
    }
    for (const Tensor& tensor : more.all()) out.add(tensor.name, tensor.type, tensor.shape, tensor.data, nullptr);
    return out.write();
}

}  // namespace tagpool
