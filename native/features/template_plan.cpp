#include "features/template_plan.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr size_t kMaxTable = 1 << 18;

// Few combinations (of tags, not words) fit into a table, which saves hashing and lookup.
void plan_total_terms(TemplatePlan& plan, size_t token_count, AtomValues& values) {
    for (const Term& term : plan.source->terms) {
        WordValues& words = values.words(term.atom);
        plan.terms.push_back({words.column().ids.data(), words.single_hashes(), term.offset, words.column().strings->size()});
    }
    size_t combinations = plan.terms[0].distinct;
    for (size_t i = 1; i < plan.terms.size(); ++i) combinations = std::min(combinations * plan.terms[i].distinct, kMaxTable + 1);
    if (plan.terms.size() == 1) plan.kind = TemplatePlan::total;
    else plan.kind = combinations <= std::min(kMaxTable, token_count) ? TemplatePlan::table : TemplatePlan::conjunction;
    if (plan.kind == TemplatePlan::table) plan.ids.assign(combinations, TemplatePlan::kUnknown);
}

}  // namespace

TemplatePlan make_plan(const Template& source, const Program& program, size_t token_count, AtomValues& values) {
    TemplatePlan plan;
    plan.seed = hash_bytes(source.key);
    plan.source = &source;
    const auto atom_of = [&](const Term& term) -> const Atom& { return program.atoms[term.atom]; };
    const Atom& first = atom_of(source.terms[0]);
    if (first.kind == AtomKind::embedding) {
        if (source.terms.size() > 1) throw InputFault("template \"" + source.key + "\": an embedding in a conjunction; use it alone");
        plan.kind = TemplatePlan::vector;
        plan.ids.assign(first.vectors->width(), TemplatePlan::kUnknown);
    } else if (std::any_of(source.terms.begin(), source.terms.end(), [&](const Term& term) { return atom_of(term).kind == AtomKind::number; })) {
        plan.kind = TemplatePlan::valued;
    } else if (std::all_of(source.terms.begin(), source.terms.end(), [&](const Term& term) { return atom_of(term).total; })) {
        plan_total_terms(plan, token_count, values);
    } else if (source.terms.size() == 1 && (first.kind == AtomKind::word || first.kind == AtomKind::disjunction)) {
        plan.kind = first.kind == AtomKind::word ? TemplatePlan::word : TemplatePlan::disjunction;
    }
    return plan;
}

std::vector<StringIds> make_string_ids(std::vector<TemplatePlan>& plans, AtomValues& values) {
    std::vector<StringIds> tables;
    const auto each_plan = [&](auto&& visit) {
        for (TemplatePlan& plan : plans) {
            const bool is_word = plan.kind == TemplatePlan::word || plan.kind == TemplatePlan::disjunction;
            if (!is_word && plan.kind != TemplatePlan::total) continue;
            const Column* column = &values.words(plan.source->terms[0].atom).column();
            auto table = std::find_if(tables.begin(), tables.end(), [column](const StringIds& one) { return one.column == column; });
            if (table == tables.end()) table = tables.insert(table, StringIds{column, 0, 0, {}, {}});
            visit(plan, *table, is_word);
        }
    };
    // The column of each plan is its number, until the tables are created.
    each_plan([](TemplatePlan& plan, StringIds& table, bool is_word) { plan.pitch = is_word ? table.word_plans++ : table.plans++; });
    for (StringIds& table : tables) {
        const size_t strings = table.column->strings->size();
        table.ids.assign(strings * table.plans, TemplatePlan::kUnknown);
        table.id_lists.assign(strings * table.word_plans, {&TemplatePlan::kUnknown, 0});
    }
    each_plan([](TemplatePlan& plan, StringIds& table, bool is_word) {
        const size_t number = plan.pitch;
        plan.pitch = is_word ? table.word_plans : table.plans;
        if (is_word) plan.first_ids = table.id_lists.data() + number;
        else plan.first_id = table.ids.data() + number;
    });
    return tables;
}

}  // namespace tagpool
