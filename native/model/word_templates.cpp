#include "model/word_templates.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace tagpool {
namespace {

// Groups with fewer features have rows only if the rows of a string are small.
constexpr int kMinFeatures = 4;
constexpr size_t kMaxWordBytes = 2048;
constexpr int kMaxWindow = 8;  // strings of a disjunction with rows

// A lower bound of the features of a template at a token.
int features_of(const Atom& atom) {
    if (atom.function.is_identity()) return 1;
    switch (atom.function.steps().back().function->count) {
        case Function::Count::many: return kMinFeatures;
        case Function::Count::several: return 2;
        default: return 1;
    }
}

// Appends a template with its missing atoms.
class ProgramPart {
public:
    ProgramPart(const Program& whole, Program& out) : whole_(whole), out_(out) { out_.boundary = whole.boundary; }
    void add(Template added, bool at_offset_0 = false) {
        for (Term& term : added.terms) {
            const auto [place, is_new] = numbers_.emplace(term.atom, static_cast<uint32_t>(out_.atoms.size()));
            if (is_new) out_.atoms.push_back(whole_.atoms[term.atom]);
            term.atom = place->second;
            if (at_offset_0) term.offset = 0;
        }
        out_.templates.push_back(std::move(added));
    }

private:
    const Program& whole_;
    Program& out_;
    std::map<uint32_t, uint32_t> numbers_;
};

class Division {
public:
    Division(const Program& program, size_t row_bytes) : program_(program) {
        for (const Template& source : program.templates)
            for (const Term& term : source.terms) {
                const Atom& atom = program.atoms[term.atom];
                if (!atom.column.empty() && atom.kind != AtomKind::number && (atom.kind != AtomKind::word || !atom.function.is_identity()))
                    spelled_.insert(atom.column);
            }
        for (const Template& source : program.templates) {
            const Atom& atom = program.atoms[source.terms[0].atom];
            if (reads_one_string(source)) features_[{atom.column, source.terms[0].offset}] += features_of(atom);
            if (reads_window(source)) windows_.insert(window_of(source));
        }
        std::map<std::string, size_t> rows;
        for (const auto& [key, count] : features_) ++rows[key.first];
        for (const auto& window : windows_) ++rows[std::get<0>(window)];
        for (const auto& [column, count] : rows)
            if (count * row_bytes <= kMaxWordBytes) small_.insert(column);
        small_rows_ = row_bytes <= kMaxWordBytes;
    }

    bool has_group(const Template& source) const {
        if (!reads_one_string(source)) return false;
        const std::string& column = column_of(source);
        return small_.contains(column) || features_.at({column, source.terms[0].offset}) >= kMinFeatures;
    }
    bool has_window(const Template& source) const { return reads_window(source) && small_.contains(column_of(source)); }
    bool has_pattern(const Template& source) const {
        if (!small_rows_ || (source.terms.size() == 1 && program_.atoms[source.terms[0].atom].kind != AtomKind::capitals)) return false;
        return std::all_of(source.terms.begin(), source.terms.end(), [&](const Term& term) {
            const Atom& atom = program_.atoms[term.atom];
            if (atom.column != column_of(source)) return false;
            if (atom.kind == AtomKind::capitals) return term.offset + atom.first_offset >= -1 && term.offset + atom.last_offset <= 1;
            return atom.kind == AtomKind::word && atom.total && has_few_values(atom) && std::abs(term.offset) <= 1;
        });
    }
    const std::string& column_of(const Template& source) const { return program_.atoms[source.terms[0].atom].column; }

private:
    bool reads_one_string(const Template& source) const {
        return source.terms.size() == 1 && program_.atoms[source.terms[0].atom].kind == AtomKind::word;
    }
    // Equal strings have equal values: only the identity is compared.
    bool reads_window(const Template& source) const {
        const Atom& atom = program_.atoms[source.terms[0].atom];
        return source.terms.size() == 1 && atom.kind == AtomKind::disjunction && atom.function.is_identity() &&
               atom.last_offset - atom.first_offset < kMaxWindow;
    }
    std::tuple<std::string, int, int, int> window_of(const Template& source) const {
        const Atom& atom = program_.atoms[source.terms[0].atom];
        return {atom.column, source.terms[0].offset, atom.first_offset, atom.last_offset};
    }
    // Shapes, and columns next to one whose spelling is read: tags.
    bool has_few_values(const Atom& atom) const {
        if (atom.function.is_identity()) return !spelled_.empty() && !spelled_.contains(atom.column);
        return std::any_of(atom.function.steps().begin(), atom.function.steps().end(),
                           [](const Step& step) { return step.function->name == "shape" || step.function->name == "short_shape"; });
    }

    const Program& program_;
    std::set<std::string> spelled_, small_;
    std::map<std::pair<std::string, int>, int> features_;
    std::set<std::tuple<std::string, int, int, int>> windows_;
    bool small_rows_;
};

// The templates of a column by offset and window.
struct Parts {
    std::map<int, std::vector<const Template*>> groups;
    std::map<std::tuple<int, int, int>, std::vector<const Template*>> windows;
    std::vector<const Template*> pattern;
};

// Makes programs for single strings, which have the same atoms.
class StringPrograms {
public:
    explicit StringPrograms(const Program& whole) : part_(whole, all_) {}
    Program program(const std::vector<const Template*>& templates) {
        all_.templates.clear();
        for (const Template* source : templates) part_.add(*source, true);
        Program out;
        out.templates = all_.templates;
        out.boundary = all_.boundary;
        return out;
    }
    // All atoms. A disjunction over one string is its word function.
    Program atoms() {
        all_.templates.clear();
        for (Atom& atom : all_.atoms) {
            if (atom.kind != AtomKind::disjunction) continue;
            atom.kind = AtomKind::word;
            atom.first_offset = atom.last_offset = 0;
            atom.check();
        }
        return all_;
    }

private:
    Program all_;
    ProgramPart part_;
};

WordTemplates::Pattern make_pattern(const Program& whole, const std::vector<const Template*>& templates) {
    WordTemplates::Pattern out;
    ProgramPart part(whole, out.program);
    for (const Template* source : templates) part.add(*source);
    for (const Atom& atom : out.program.atoms) {
        if (atom.kind == AtomKind::capitals) out.capitals = true;
        else out.functions.push_back(atom.function);
    }
    return out;
}

}  // namespace

WordTemplates::WordTemplates(const Program& program, size_t row_bytes) {
    const Division division(program, row_bytes);
    std::map<std::string, Parts> parts;
    std::vector<const Template*> constants, others;
    for (const Template& source : program.templates) {
        const Atom& atom = program.atoms[source.terms[0].atom];
        Parts* const part = atom.kind == AtomKind::bias ? nullptr : &parts[atom.column];
        const int offset = source.terms[0].offset;
        if (division.has_group(source)) part->groups[offset].push_back(&source);
        else if (division.has_window(source)) part->windows[{offset, atom.first_offset, atom.last_offset}].push_back(&source);
        else if (division.has_pattern(source)) part->pattern.push_back(&source);
        else if (atom.kind == AtomKind::bias && source.terms.size() == 1 && offset == 0) constants.push_back(&source);
        else others.push_back(&source);
    }
    // A constant is added to the first group at offset 0.
    const auto with_constants = std::find_if(parts.begin(), parts.end(), [](const auto& part) { return part.second.groups.contains(0); });
    if (with_constants == parts.end()) others.insert(others.end(), constants.begin(), constants.end());
    else with_constants->second.groups[0].insert(with_constants->second.groups[0].end(), constants.begin(), constants.end());
    ProgramPart remaining(program, rest);
    for (const Template* source : others) remaining.add(*source);
    for (const auto& [column, part] : parts) {
        if (part.groups.empty() && part.windows.empty() && part.pattern.empty()) continue;
        OfColumn& out = columns.emplace_back();
        out.column = column;
        StringPrograms strings(program);
        for (const auto& [offset, templates] : part.groups) {
            Group& group = out.groups.emplace_back(Group{offset, strings.program(templates), {}});
            ProgramPart there(program, group.there);
            for (const Template* source : templates) there.add(*source);
        }
        for (const auto& [window, templates] : part.windows)
            out.windows.push_back({std::get<0>(window), std::get<1>(window), std::get<2>(window), strings.program(templates)});
        out.all = strings.atoms();
        for (Group& group : out.groups) group.here.atoms = out.all.atoms;
        for (Window& window : out.windows) window.here.atoms = out.all.atoms;
        if (!part.pattern.empty()) out.pattern = make_pattern(program, part.pattern);
    }
}

size_t WordTemplates::row_count() const {
    size_t count = 0;
    for (const OfColumn& column : columns) count += column.row_count() + column.has_pattern();
    return count;
}

}  // namespace tagpool
