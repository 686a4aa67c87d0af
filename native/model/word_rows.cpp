#include "model/word_rows.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

#include "base/portable.hpp"
#include "base/thread_pool.hpp"
#include "features/extract.hpp"
#include "kernels/kernels.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kTogether = 32;                // strings in a batch of look-ups
constexpr size_t kMaxComputed = size_t{8} << 20;  // bytes of the rows that are computed before they are stored
constexpr int kAttempts = 32;                     // to find all rows in the cache, while other calls may replace it
constexpr int kReplacements = 3;                  // of the store by one call

// A pattern: the classes of a token and its neighbours, in 21 bits each. Smaller numbers are positions outside the sentence.
constexpr uint64_t kBefore = 0, kAfter = 1, kFirstClass = 2;
constexpr int kClassBits = 21;
constexpr uint32_t kMaxClasses = (1 << kClassBits) - kFirstClass;

uint64_t pattern_key(uint64_t before, uint64_t here, uint64_t after) {
    // A bijection: different patterns have different keys.
    return std::rotl((before << 2 * kClassBits | here << kClassBits | after) * 0x9E3779B97F4A7C15ULL, 32);
}

// The strings as sentences of `length`, with a table of their own; the last sentence may be shorter.
Columns as_sentences(const Column& column, const uint32_t* strings, size_t count, size_t length) {
    Columns out;
    auto table = std::make_shared<StringTable>();
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < count; ++i) {
        ids.push_back(table->intern((*column.strings)[strings[i]]));
        if ((i + 1) % length == 0 || i + 1 == count) out.sentences.push_back(static_cast<uint32_t>(i + 1));
    }
    out.columns.push_back({column.name, std::move(table), std::move(ids)});
    return out;
}

// Writes the node scores of all tokens; those of token i to rows + i * step. Every string must occur once, or `words` be null.
void score(const Program& program, const RowSource& source, const Columns& columns, const WordTables* words, float* rows, size_t step) {
    const size_t stride = source.model.stride;
    Encoding encoding;
    FrozenResolver resolver{source.slots};
    Extractor<FrozenResolver> extractor(program, columns, resolver, encoding, 0, words, words != nullptr);
    AlignedVector<float> scores;
    for (uint32_t sentence = 0; sentence < columns.sentence_count(); ++sentence) {
        encoding.clear();
        extractor.run(sentence, sentence + 1);
        const size_t count = encoding.token_count();
        scores.resize(std::max(scores.size(), count * stride));
        kernels().tagging.score(source.model, encoding, AddedRows(), 0, count, scores.data());
        for (size_t i = 0; i < count; ++i) std::copy_n(scores.data() + i * stride, stride, rows + (columns.sentences[sentence] + i) * step);
    }
}

// The values of a string that patterns read.
std::string signature_of(const WordTemplates::Pattern& pattern, std::string_view text) {
    std::vector<uint64_t> hashes;
    for (const WordFunction& function : pattern.functions) function.values(text, Values(hashes));
    std::string out(reinterpret_cast<const char*>(hashes.data()), hashes.size() * sizeof(uint64_t));
    if (pattern.capitals) out.push_back(capital_class(text));
    return out;
}

}  // namespace

bool WordRows::Missing::is_empty() const {
    const auto none = [](const auto& list) { return list.empty(); };
    return store != 0 && std::all_of(strings.begin(), strings.end(), none) && std::all_of(patterns.begin(), patterns.end(), none);
}

WordRows::WordRows(const RowSource& source, RowCache& cache, const Columns& columns, uint32_t first, uint32_t last, unsigned threads)
    : source_(source), columns_(columns), first_(first), last_(last), first_token_(columns.sentences[first]), threads_(threads) {
    if (first_token_ == columns.sentences[last]) return;
    for (const WordTemplates::OfColumn& templates : source.templates.columns) {
        const Column* column = columns.find(templates.column);
        if (!column) throw InputFault("the corpus has no column \"" + templates.column + "\"");
        collect_strings(parts_.emplace_back(Part{&templates, column, {}, {}, {}, {}, {}}));
        count_ += templates.groups.size() + templates.has_pattern();
        for (const WordTemplates::Window& window : templates.windows) count_ += static_cast<size_t>(window.last - window.first + 1);
    }
    if (parts_.empty() || resolve(cache)) return;
    // Other calls replaced the store all the time, or these sentences alone exceed its limit.
    RowCache alone(SIZE_MAX);
    resolve(alone);
}

void WordRows::collect_strings(Part& part) const {
    const uint32_t* const ids = part.column->ids.data() + first_token_;
    const size_t tokens = columns_.sentences[last_] - first_token_;
    part.places.resize(tokens);
    if (part.column->strings->size() / 8 > tokens) {  // few sentences of a large corpus
        part.strings.assign(ids, ids + tokens);
        std::sort(part.strings.begin(), part.strings.end());
        part.strings.erase(std::unique(part.strings.begin(), part.strings.end()), part.strings.end());
        for (size_t i = 0; i < tokens; ++i)
            part.places[i] = static_cast<uint32_t>(std::lower_bound(part.strings.begin(), part.strings.end(), ids[i]) - part.strings.begin());
        return;
    }
    std::vector<uint32_t> order(part.column->strings->size(), kNone);
    for (size_t i = 0; i < tokens; ++i) {
        uint32_t& place = order[ids[i]];
        if (place == kNone) {
            place = static_cast<uint32_t>(part.strings.size());
            part.strings.push_back(ids[i]);
        }
        part.places[i] = place;
    }
}

// Looks for rows, computes some that are missing, and looks again. Nothing is computed under the lock. False if the cache does not
// have all rows at once; a cache without a limit always has them.
bool WordRows::resolve(RowCache& cache) {
    RowCache::State& state = cache.state();
    int replacements = 0;
    for (int attempt = 0; attempt < kAttempts || cache.limit() == SIZE_MAX; ++attempt) {
        Missing missing;
        {
            const std::shared_lock lock(state.mutex);
            missing = find(state.store.get());
            if (missing.is_empty()) {
                rows_ = state.store->rows();
                return true;
            }
        }
        const Computed computed = compute(missing);
        size_t bytes = 0;
        for (const auto& rows : computed.word_rows) bytes += rows.size() * sizeof(float);
        for (const auto& rows : computed.pattern_rows) bytes += rows.size() * sizeof(float);
        std::unique_ptr<RowStore> fresh = make_store(cache.limit());
        const std::unique_lock lock(state.mutex);
        if (!state.store || state.store->bytes() + bytes > cache.limit()) {
            if (state.store && ++replacements > kReplacements) return false;
            state.store = std::move(fresh);
        }
        try {
            insert(missing, computed, *state.store);
        } catch (...) {
            state.store.reset();
            throw;
        }
    }
    return false;
}

WordRows::Missing WordRows::find(const RowStore* store) {
    Missing missing;
    missing.store = store ? store->number : 0;
    missing.strings.resize(parts_.size());
    missing.patterns.resize(parts_.size());
    std::vector<std::vector<uint32_t>> places(parts_.size());  // of the strings of a part in the store
    for (size_t i = 0; i < parts_.size(); ++i) {
        const Part& part = parts_[i];
        const StringTable& strings = *part.column->strings;
        const size_t most = kMaxComputed / std::max<size_t>(1, part.templates->row_count() * source_.model.stride * sizeof(float)) + 1;
        for (const uint32_t string : part.strings) {
            const uint32_t place = store ? store->columns[i].strings.find(strings[string], strings.hash(string)) : StringTable::kNone;
            if (place == StringTable::kNone && missing.strings[i].size() < most) missing.strings[i].push_back(string);
            places[i].push_back(place);
        }
    }
    if (!missing.is_empty()) return missing;
    for (size_t i = 0; i < parts_.size(); ++i) {
        Part& part = parts_[i];
        const RowStore::OfColumn& known = store->columns[i];
        std::vector<uint32_t> classes;
        for (uint32_t& place : places[i]) {
            classes.push_back(known.classes[place]);
            place = known.rows[place];
        }
        part.rows.resize(part.places.size());
        for (size_t token = 0; token < part.places.size(); ++token) part.rows[token] = places[i][part.places[token]];
        part.edges = store->edges[i];
        if (part.templates->has_pattern()) find_patterns(known, classes, part, missing.patterns[i]);
    }
    return missing;
}

void WordRows::find_patterns(const RowStore::OfColumn& known, const std::vector<uint32_t>& classes, Part& part,
                             std::vector<MissingPattern>& missing) const {
    const size_t most = kMaxComputed / (source_.model.stride * sizeof(float)) + 1;
    FeatureIndex unknown;
    std::vector<uint64_t> keys;
    std::vector<uint32_t> examples;  // by class: the first string
    for (size_t i = 0; i < classes.size(); ++i) {
        examples.resize(std::max<size_t>(examples.size(), classes[i] + 1), kNone);
        if (examples[classes[i]] == kNone) examples[classes[i]] = part.strings[i];
    }
    part.patterns.resize(part.places.size());
    const auto class_of = [&](size_t token) { return classes[part.places[token]]; };
    for (uint32_t sentence = first_; sentence < last_; ++sentence) {
        const size_t begin = columns_.sentences[sentence] - first_token_, end = columns_.sentences[sentence + 1] - first_token_;
        if (begin == end) continue;
        keys.clear();
        uint64_t before = kBefore, here = class_of(begin) + kFirstClass;
        for (size_t token = begin; token < end; ++token) {
            const uint64_t after = token + 1 < end ? class_of(token + 1) + kFirstClass : kAfter;
            keys.push_back(pattern_key(before, here, after));
            known.patterns.prefetch(keys.back());
            before = here;
            here = after;
        }
        for (size_t token = begin; token < end; ++token) {
            const uint64_t key = keys[token - begin];
            const uint32_t number = known.patterns.find(key);
            if (number != FeatureIndex::kNone) part.patterns[token] = known.pattern_rows[number];
            else if (missing.size() < most && unknown.insert(key) == missing.size())
                missing.push_back({key,
                                   {token > begin ? examples[class_of(token - 1)] : kNone, examples[class_of(token)],
                                    token + 1 < end ? examples[class_of(token + 1)] : kNone}});
        }
    }
}

WordRows::Computed WordRows::compute(const Missing& missing) const {
    Computed out;
    out.word_rows.resize(parts_.size());
    out.signatures.resize(parts_.size());
    out.pattern_rows.resize(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
        compute_words(parts_[i], missing.strings[i], out.word_rows[i], out.signatures[i]);
        compute_patterns(parts_[i], missing.patterns[i], out.pattern_rows[i]);
    }
    return out;
}

void WordRows::compute_words(const Part& part, const std::vector<uint32_t>& strings, AlignedVector<float>& rows,
                             std::vector<std::string>& signatures) const {
    const WordTemplates::OfColumn& templates = *part.templates;
    const size_t stride = source_.model.stride, step = templates.row_count() * stride;
    constexpr size_t kChunk = 8 * kTogether;  // strings whose values stay in the cache
    rows.resize(strings.size() * step);
    signatures.resize(strings.size());
    parallel_for((strings.size() + kChunk - 1) / kChunk, threads_, [&](size_t chunk, unsigned) {
        const size_t begin = chunk * kChunk, end = std::min(strings.size(), begin + kChunk);
        const Columns columns = as_sentences(*part.column, strings.data() + begin, end - begin, kTogether);
        const WordTables words(templates.all, columns, 1);
        float* to = rows.data() + begin * step;
        for (const WordTemplates::Group& group : templates.groups) {
            score(group.here, source_, columns, &words, to, step);
            to += stride;
        }
        for (const WordTemplates::Window& window : templates.windows) {
            score(window.here, source_, columns, &words, to, step);
            to += stride;
        }
        for (size_t i = begin; i < end && templates.has_pattern(); ++i)
            signatures[i] = signature_of(templates.pattern, (*part.column->strings)[strings[i]]);
    });
}

// Every pattern is a short sentence, of strings of its classes.
void WordRows::compute_patterns(const Part& part, const std::vector<MissingPattern>& patterns, AlignedVector<float>& rows) const {
    constexpr size_t kChunk = 256;
    const size_t stride = source_.model.stride;
    rows.resize(patterns.size() * stride);
    parallel_for((patterns.size() + kChunk - 1) / kChunk, threads_, [&](size_t chunk, unsigned) {
        const size_t first = chunk * kChunk, last = std::min(patterns.size(), first + kChunk);
        std::vector<uint32_t> strings;
        Columns columns;
        for (size_t i = first; i < last; ++i) {
            for (const uint32_t string : patterns[i].strings)
                if (string != kNone) strings.push_back(string);
            columns.sentences.push_back(static_cast<uint32_t>(strings.size()));
        }
        columns.columns = as_sentences(*part.column, strings.data(), strings.size(), strings.size()).columns;
        Encoding encoding;
        FrozenResolver resolver{source_.slots};
        Extractor<FrozenResolver>(part.templates->pattern.program, columns, resolver, encoding, 0).run();
        for (size_t i = first; i < last; ++i) {
            const size_t token = columns.sentences[i - first] + (patterns[i].strings[0] != kNone);
            kernels().tagging.score(source_.model, encoding, AddedRows(), token, token + 1, rows.data() + i * stride);
        }
    });
}

// An empty store, with the rows of positions outside a sentence.
std::unique_ptr<RowStore> WordRows::make_store(size_t limit) const {
    const size_t stride = source_.model.stride;
    auto store = std::make_unique<RowStore>(stride, parts_.size(), limit);
    for (size_t i = 0; i < parts_.size(); ++i)
        for (const WordTemplates::Group& group : parts_[i].templates->groups) {
            store->edges[i].push_back(0);
            if (group.offset == 0 || !group.there.boundary) continue;
            // In a sentence no longer than the offset, every token looks outside the sentence.
            const auto length = static_cast<size_t>(std::abs(group.offset));
            const std::vector<uint32_t> any(length, parts_[i].strings[0]);
            AlignedVector<float> rows(length * stride);
            score(group.there, source_, as_sentences(*parts_[i].column, any.data(), length, length), nullptr, rows.data(), stride);
            store->edges[i].back() = store->add_rows(rows);
        }
    return store;
}

void WordRows::insert(const Missing& missing, const Computed& computed, RowStore& store) const {
    const size_t stride = source_.model.stride;
    size_t count = 0;
    for (const auto& rows : computed.word_rows) count += rows.size() / stride;
    for (const auto& rows : computed.pattern_rows) count += rows.size() / stride;
    store.reserve(count);
    for (size_t i = 0; i < parts_.size(); ++i) {
        RowStore::OfColumn& to = store.columns[i];
        const StringTable& strings = *parts_[i].column->strings;
        const size_t step = parts_[i].templates->row_count() * stride;
        for (size_t k = 0; k < missing.strings[i].size(); ++k) {
            if (to.strings.intern(strings[missing.strings[i][k]]) < to.rows.size()) continue;  // another call was faster
            to.rows.push_back(store.add_rows({computed.word_rows[i].data() + k * step, step}));
            to.classes.push_back(to.signatures.intern(computed.signatures[i][k]));
            if (to.signatures.size() > kMaxClasses) throw InputFault("more than 2 million classes of strings");
        }
        if (store.number != missing.store) continue;  // another store has other classes
        for (size_t k = 0; k < missing.patterns[i].size(); ++k) {
            if (to.patterns.insert(missing.patterns[i][k].key) < to.pattern_rows.size()) continue;
            to.pattern_rows.push_back(store.add_rows({computed.pattern_rows[i].data() + k * stride, stride}));
        }
    }
}

void WordRows::append(uint32_t sentence, std::vector<uint32_t>& numbers) const {
    const size_t length = columns_.sentences[sentence + 1] - columns_.sentences[sentence], begin = columns_.sentences[sentence] - first_token_;
    numbers.resize(numbers.size() + length * count_, 0);
    uint32_t* to = numbers.data() + numbers.size() - length * count_;  // a [length][count] matrix, from a column on
    for (const Part& part : parts_) {
        const uint32_t* const rows = part.rows.data() + begin;
        uint32_t number = 0;
        prefetch(rows, length, part.templates->row_count());
        for (const WordTemplates::Group& group : part.templates->groups) {
            number_group(group.offset, part.edges[number], rows, length, number, to++);
            ++number;
        }
        for (const WordTemplates::Window& window : part.templates->windows) {
            number_window(window, rows, length, number++, to);
            to += window.last - window.first + 1;
        }
        if (!part.templates->has_pattern()) continue;
        const uint32_t* const patterns = part.patterns.data() + begin;
        prefetch(patterns, length, 1);
        for (size_t t = 0; t < length; ++t) to[t * count_] = patterns[t];
        ++to;
    }
}

void WordRows::prefetch(const uint32_t* rows, size_t length, size_t count) const {
    constexpr size_t kLine = 64 / sizeof(float);
    const size_t stride = source_.model.stride;
    for (size_t t = 0; t < length; ++t) {
        const float* const row = rows_.get() + rows[t] * stride;
        for (size_t i = 0; i < count * stride; i += kLine) prefetch_line(row + i);
    }
}

void WordRows::number_group(int offset, uint32_t edges, const uint32_t* rows, size_t length, uint32_t number, uint32_t* to) const {
    const auto size = static_cast<int64_t>(length), first = std::clamp<int64_t>(-offset, 0, size),
               last = std::clamp<int64_t>(size - offset, first, size);
    const auto at = [&](int64_t t) -> uint32_t& { return to[static_cast<size_t>(t) * count_]; };
    for (int64_t t = first; t < last; ++t) at(t) = rows[t + offset] + number;
    if (edges == 0) return;
    for (int64_t t = 0; t < first; ++t) at(t) = edges + static_cast<uint32_t>(t);
    for (int64_t t = last; t < size; ++t) at(t) = edges + static_cast<uint32_t>(t + offset - size);
}

void WordRows::number_window(const WordTemplates::Window& window, const uint32_t* rows, size_t length, uint32_t number, uint32_t* to) const {
    const auto size = static_cast<int64_t>(length);
    const int width = window.last - window.first + 1;
    // Tokens [first, last) have a centre inside the sentence.
    const int64_t first = std::clamp<int64_t>(-window.offset, 0, size), last = std::clamp<int64_t>(size - window.offset, first, size);
    const auto at = [&](int64_t t, int64_t column) -> uint32_t& { return to[static_cast<size_t>(t) * count_ + static_cast<size_t>(column)]; };
    for (int column = 0; column < width; ++column) {
        const int64_t shift = window.offset + window.first + column;
        for (int64_t t = std::max(first, -shift); t < std::min(last, size - shift); ++t) at(t, column) = rows[t + shift] + number;
    }
    // Every string in a window counts once: remove a repetition from the windows that begin at or before its last occurrence.
    const int64_t begin = window.offset + window.first;
    for (int64_t other = 1; other < size; ++other)
        for (int64_t same = other - 1; same >= std::max<int64_t>(0, other - width + 1); --same) {
            if (rows[same] != rows[other]) continue;
            for (int64_t t = std::max(first, other - begin - width + 1); t < std::min(last, same - begin + 1); ++t) at(t, other - begin - t) = 0;
            break;
        }
}

}  // namespace tagpool
