#include "model/collapse.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/fault.hpp"

namespace tagpool {
namespace {

bool same(const WordLexicon& a, const WordLexicon& b) {
    if (a.size() != b.size()) return false;
    for (uint32_t i = 0; i < a.size(); ++i) {
        const std::string_view other = b.value(a.word(i));
        if (!other.data() || other != a.value_at(i)) return false;
    }
    return true;
}

// Phrases by their hashes, each with the names of its lists.
std::map<uint64_t, std::set<std::string>> phrases_of(const PhraseLexicon& lexicon) {
    std::map<uint64_t, std::set<std::string>> phrases;
    for (const auto& [hash, list_set] : lexicon.entries()) {
        auto& lists = phrases[hash];
        for (const uint16_t list : lexicon.list_sets()[list_set]) lists.insert(lexicon.list_name(list));
    }
    return phrases;
}

bool same(const PhraseLexicon& a, const PhraseLexicon& b) {
    // Compare the sizes first: comparing all phrases is slow.
    return a.entries().size() == b.entries().size() && phrases_of(a) == phrases_of(b);
}

bool same(const VectorLexicon& a, const VectorLexicon& b) {
    if (a.size() != b.size() || a.width() != b.width()) return false;
    for (uint32_t i = 0; i < a.size(); ++i) {
        const float* const other = b.vector(a.word(i));
        if (!other || !std::equal(other, other + a.width(), a.vector(a.word(i)))) return false;
    }
    return true;
}

// Numbers of lexicons; equal lexicons have the same number.
template <class Lexicon>
class DistinctLexicons {
public:
    size_t number(const std::shared_ptr<const Lexicon>& lexicon) {
        if (const auto known = numbers_.find(lexicon.get()); known != numbers_.end()) return known->second;
        size_t number = 0;
        while (number < lexicons_.size() && !same(*lexicons_[number], *lexicon)) ++number;
        if (number == lexicons_.size()) lexicons_.push_back(lexicon);
        return numbers_[lexicon.get()] = number;
    }
    const std::shared_ptr<const Lexicon>& operator[](size_t number) const { return lexicons_[number]; }

private:
    std::map<const Lexicon*, size_t> numbers_;
    std::vector<std::shared_ptr<const Lexicon>> lexicons_;
};

// Merges the templates of several programs. Equal templates become one; a key must have one meaning.
class ProgramUnion {
public:
    void add(const Program& program) {
        if (programs_++ == 0) out_.boundary = program.boundary;
        else if (out_.boundary != program.boundary) throw InputFault("some members have templates with \"boundary off\", others do not");
        std::vector<uint32_t> atom_of;
        for (const Atom& atom : program.atoms) atom_of.push_back(number_of(atom));
        using Terms = std::vector<std::pair<uint32_t, int>>;
        std::map<std::string, std::set<Terms>> meanings;
        std::vector<Template> fresh;
        for (const Template& source : program.templates) {
            Template merged{source.key, {}};
            Terms terms;
            for (const Term& term : source.terms) {
                merged.terms.push_back({atom_of[term.atom], term.offset});
                terms.emplace_back(atom_of[term.atom], term.offset);
            }
            meanings[source.key].insert(terms);
            if (!known_.contains(source.key)) fresh.push_back(std::move(merged));
        }
        for (const auto& [key, terms] : meanings) {
            const auto [place, is_new] = known_.emplace(key, terms);
            if (!is_new && place->second != terms)
                throw InputFault("the template \"" + key + "\" means different things to different members; use the same lexicons and term names");
        }
        out_.templates.insert(out_.templates.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
    }
    Program take() { return std::move(out_); }

private:
    uint32_t number_of(Atom atom) {
        const std::string description = describe(atom);
        const auto [place, is_new] = atoms_.emplace(description, static_cast<uint32_t>(out_.atoms.size()));
        if (is_new) out_.atoms.push_back(std::move(atom));
        return place->second;
    }

    // A key that identifies an atom; equal lexicons have equal numbers.
    std::string describe(Atom& atom) {
        std::string description = std::to_string(static_cast<int>(atom.kind)) + '\0' + atom.column + '\0' + std::to_string(atom.total) + ' ' +
                                  std::to_string(atom.plain) + ' ' + std::to_string(atom.first_offset) + ' ' + std::to_string(atom.last_offset);
        for (const Step& step : atom.function.steps()) {
            description += concat('|', step.function->name, ' ', step.a, ' ', step.b);
            if (step.lexicon) description += ' ' + std::to_string(words_.number(step.lexicon));
        }
        const auto describe_lexicon = [&](auto& lexicon, auto& distinct) {
            if (!lexicon) return;
            const size_t number = distinct.number(lexicon);
            description += '#' + std::to_string(number);
            lexicon = distinct[number];
        };
        describe_lexicon(atom.phrases, phrases_);
        describe_lexicon(atom.vectors, vectors_);
        if (atom.inner) {
            Atom inner = *atom.inner;
            description += '(' + describe(inner) + ')' + std::to_string(static_cast<int>(atom.gathering));
            atom.inner = std::make_shared<const Atom>(std::move(inner));
        }
        return description;
    }

    size_t programs_ = 0;
    Program out_;
    DistinctLexicons<WordLexicon> words_;
    DistinctLexicons<PhraseLexicon> phrases_;
    DistinctLexicons<VectorLexicon> vectors_;
    std::map<std::string, uint32_t> atoms_;
    std::map<std::string, std::set<std::vector<std::pair<uint32_t, int>>>> known_;
};

// In a file, features with equal weights share them; here each has its own. A hostile file could name any number of features.
constexpr size_t kMostCopies = 8, kSpareWeights = size_t{1} << 22;

void add_weights_of(const MergedMember& member, uint64_t key, std::vector<double>& row) {
    const uint32_t place = member.model->slots().find(key);
    if (place == FrozenIndex::kNone) return;
    member.model->view().each_weight(
        place, [&](uint32_t label, float weight) { row[member.label_of[label]] += member.weight * static_cast<double>(weight); });
}

// The edges that all members with both labels forbid.
std::vector<uint8_t> forbidden_by_all(size_t labels, const std::vector<MergedMember>& members) {
    enum : uint8_t { unknown, forbidden, allowed };
    std::vector<uint8_t> edges;
    for (const MergedMember& member : members) {
        const std::vector<uint8_t> table = member.model->forbidden();
        if (table.empty()) return {};
        edges.resize(labels * (labels + 2), unknown);
        const size_t count = member.label_of.size();
        for (size_t a = 0; a < count + 2; ++a) {
            const size_t row = a < count ? member.label_of[a] : labels + (a - count);
            for (size_t b = 0; b < count; ++b) {
                uint8_t& edge = edges[row * labels + member.label_of[b]];
                edge = std::max<uint8_t>(edge, table[a * count + b] ? forbidden : allowed);
            }
        }
    }
    for (uint8_t& edge : edges) edge = edge == forbidden;
    return edges;
}

}  // namespace

std::unique_ptr<Model> merge_models(const std::vector<std::string>& labels, const std::vector<MergedMember>& members) {
    Trained trained;
    trained.labels = labels;
    const size_t L = labels.size();
    ProgramUnion templates;
    // Only chains have transitions: those of 65,535 labels would take 34 GB.
    const bool chain = std::any_of(members.begin(), members.end(), [](const MergedMember& member) { return member.model->view().chain; });
    std::vector<double> edges(chain ? L * (L + 2) : 0, 0.0);
    std::unordered_set<uint64_t> seen;
    for (const MergedMember& member : members) {
        if (member.model->given() != members[0].model->given())
            throw InputFault("some members were trained on given features, others on words with templates");
        if (member.label_of.size() != member.model->labels().size()) throw InputFault("label_of: expected one number for each label of a member");
        for (const uint16_t label : member.label_of)
            if (label >= L) throw InputFault("a label is out of range");
        if (!member.model->given()) templates.add(*member.model->program());
        for (const uint64_t key : member.keys)
            if (seen.insert(key).second) trained.keys.push_back(key);
        const ModelView& view = member.model->view();
        if (!view.chain) continue;
        const auto source = member.model->tensors().array<float>("edges");
        for (size_t a = 0; a < view.labels + 2; ++a) {
            const size_t row = a < view.labels ? member.label_of[a] : L + (a - view.labels);  // the last two: start and end
            for (size_t b = 0; b < view.labels; ++b)
                edges[row * L + member.label_of[b]] += member.weight * static_cast<double>(source[a * view.labels + b]);
        }
    }
    if (chain) trained.edges.assign(edges.begin(), edges.end());
    trained.forbidden = forbidden_by_all(L, members);
    if (!members[0].model->given()) trained.program = templates.take();
    trained.features = static_cast<uint32_t>(trained.keys.size());
    // Members with a weight for every label merge into such a model.
    const bool whole = std::all_of(members.begin(), members.end(), [](const MergedMember& member) {
        const Blocks& blocks = member.model->view().blocks;
        return blocks.rows_end() == blocks.size();
    });
    size_t most = kSpareWeights;
    for (const MergedMember& member : members) most += kMostCopies * member.model->view().blocks.size();
    std::vector<double> row(L);
    for (uint32_t feature = 0; feature < trained.features; ++feature) {
        std::fill(row.begin(), row.end(), 0.0);
        for (const MergedMember& member : members) add_weights_of(member, trained.keys[feature], row);
        if (trained.weights.size() > most) throw InputFault("too many features of the members share their weights");
        for (size_t label = 0; label < L; ++label) {
            const auto weight = static_cast<float>(row[label]);
            if (weight == 0.0f && !whole) continue;
            trained.weights.push_back(weight);
            if (whole) continue;
            trained.cell_features.push_back(feature);
            trained.cell_labels.push_back(static_cast<uint16_t>(label));
        }
    }
    return std::make_unique<Model>(std::move(trained));
}

}  // namespace tagpool
