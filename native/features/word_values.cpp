#include "features/word_values.hpp"

#include <algorithm>

#include "base/fault.hpp"
#include "base/thread_pool.hpp"

namespace tagpool {
namespace {

const uint64_t kNotComputed = 0;

[[noreturn]] void fail_without_value() { throw InputFault("internal error: a function declared as total has no value for a word"); }

}  // namespace

WordTables::WordTables(const Program& program, const Columns& columns, unsigned threads)
    : tables_(program.atoms.size()), arenas_(std::max(1u, threads)) {
    for (size_t i = 0; i < tables_.size(); ++i) {
        const Atom& atom = program.atoms[i];
        const Column* const column = atom.kind == AtomKind::word && !atom.function.is_identity() ? columns.find(atom.column) : nullptr;
        if (!column) continue;
        tables_[i].hashes.resize(column->strings->size());
        if (atom.total) tables_[i].single.resize(column->strings->size());
    }
    parallel_for(arenas_.size(), threads, [&](size_t part, unsigned) { fill(program, columns, part); });
}

void WordTables::fill(const Program& program, const Columns& columns, size_t part) {
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < tables_.size(); ++i) {
        Table& table = tables_[i];
        if (table.hashes.empty()) continue;
        const StringTable& strings = *columns.find(program.atoms[i].column)->strings;
        const size_t begin = table.hashes.size() * part / arenas_.size(), end = table.hashes.size() * (part + 1) / arenas_.size();
        for (size_t id = begin; id < end; ++id) {
            hashes.clear();
            program.atoms[i].function.values(strings[static_cast<uint32_t>(id)], Values(hashes));
            table.hashes[id] = arenas_[part].store(hashes.data(), hashes.size());
            if (table.single.empty()) continue;
            if (hashes.empty()) fail_without_value();
            table.single[id] = hashes[0];
        }
    }
}

WordValues::WordValues(const Column& column, const WordFunction& function, const WordTables::Table* shared)
    : column_(column), function_(function), shared_(shared) {
    if (column.strings && !function.is_identity() && !shared) cache_.assign(column.strings->size(), {&kNotComputed, 0});
}

std::span<const uint64_t> WordValues::string_hashes(uint32_t id) {
    if (function_.is_identity()) return {&column_.strings->hashes()[id], 1};
    if (shared_) return shared_->hashes[id];
    std::span<const uint64_t>& hashes = cache_[id];
    if (hashes.data() != &kNotComputed) return hashes;
    scratch_.clear();
    function_.values((*column_.strings)[id], Values(scratch_));
    return hashes = arena_.store(scratch_.data(), scratch_.size());
}

const uint64_t* WordValues::single_hashes() {
    if (function_.is_identity()) return column_.strings->hashes().data();
    if (shared_ && !shared_->single.empty()) return shared_->single.data();
    if (single_.empty())
        for (uint32_t id = 0; id < column_.strings->size(); ++id) {
            const auto hashes = string_hashes(id);
            if (hashes.empty()) fail_without_value();
            single_.push_back(hashes[0]);
        }
    return single_.data();
}

}  // namespace tagpool
