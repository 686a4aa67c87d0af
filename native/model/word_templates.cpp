#include "model/word_templates.hpp"

#include <map>
#include <utility>

namespace tagpool {
namespace {

// Smaller groups are not faster than single features.
constexpr int kFewest = 4;

// A lower bound of the features of a template at a token.
int features_of(const Atom& atom) {
    if (atom.function.is_identity()) return 1;
    switch (atom.function.steps().back().function->count) {
        case Function::Count::many: return kFewest;
        case Function::Count::several: return 2;
        default: return 1;
    }
}

// Appends a template with its missing atoms.
class Part {
public:
    explicit Part(const Program& whole) : whole_(whole) { out_.boundary = whole.boundary; }
    void add(Template each, bool at_the_string) {
        for (Term& term : each.terms) {
            const auto [place, is_new] = numbers_.emplace(term.atom, static_cast<uint32_t>(out_.atoms.size()));
            if (is_new) out_.atoms.push_back(whole_.atoms[term.atom]);
            term.atom = place->second;
            if (at_the_string) term.offset = 0;
        }
        out_.templates.push_back(std::move(each));
    }
    Program take() { return std::move(out_); }

private:
    const Program& whole_;
    Program out_;
    std::map<uint32_t, uint32_t> numbers_;
};

}  // namespace

WordTemplates::WordTemplates(const Program& program) {
    using Key = std::pair<std::string, int>;
    std::map<Key, int> features;
    const auto sees_one_string = [&](const Template& each) {
        return each.terms.size() == 1 && program.atoms[each.terms[0].atom].kind == AtomKind::word;
    };
    const auto key_of = [&](const Template& each) { return Key(program.atoms[each.terms[0].atom].column, each.terms[0].offset); };
    for (const Template& each : program.templates)
        if (sees_one_string(each)) features[key_of(each)] += features_of(program.atoms[each.terms[0].atom]);
    Part others(program);
    std::map<Key, std::pair<Part, Part>> parts;
    for (const Template& each : program.templates) {
        if (!sees_one_string(each) || features[key_of(each)] < kFewest) {
            others.add(each, false);
            continue;
        }
        const auto part = parts.try_emplace(key_of(each), Part(program), Part(program)).first;
        part->second.first.add(each, true);
        part->second.second.add(each, false);
    }
    rest = others.take();
    for (auto& [key, part] : parts) groups.push_back({key.first, key.second, part.first.take(), part.second.take()});
}

}  // namespace tagpool
