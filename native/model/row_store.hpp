// RowStore: the rows of scores that a model remembers. RowCache: the store of a model, which threads share.
//
// A row is a sum of weights with the same value whenever it is computed, so the store changes no result. Its memory is bounded: a store that
// would exceed the limit is replaced by an empty one. Calls that use the old store keep its rows alive.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "features/index.hpp"
#include "text/strings.hpp"

namespace tagpool {

struct RowStore {
    struct OfColumn {
        StringTable strings;
        std::vector<uint32_t> rows;     // a [strings] array: the first row of a string
        std::vector<uint32_t> classes;  // a [strings] array: numbers of signatures
        StringTable signatures;         // the values of strings that patterns read
        FeatureIndex patterns;
        std::vector<uint32_t> pattern_rows;  // a [patterns] array
    };
    size_t stride;
    std::vector<OfColumn> columns;
    std::vector<std::vector<uint32_t>> edges;  // by column and group: the first row of the positions outside a sentence; 0: they have none
    const uint64_t number;                     // differs from that of other stores

    // Row 0 is zero. `limit` is the size in bytes that the owner allows.
    RowStore(size_t stride, size_t column_count, size_t limit);
    // Makes room for `count` more rows.
    void reserve(size_t count);
    // Appends rows; returns the number of the first. Rows in use do not move: where there is no room, all are copied.
    uint32_t add_rows(std::span<const float> rows);
    // The approximate size.
    size_t bytes() const;
    std::shared_ptr<const float> rows() const { return rows_; }

private:
    std::shared_ptr<float> rows_;
    size_t count_ = 0, capacity_ = 0;  // rows
    const size_t limit_;
};

// The lock and the store. After a fork, the child begins a new one: another thread of the parent may have held the lock.
class RowCache {
public:
    struct State {
        std::shared_mutex mutex;
        std::unique_ptr<RowStore> store;  // null: nothing is remembered yet
        const long process;
    };
    explicit RowCache(size_t limit) : limit_(limit) {}
    RowCache(const RowCache&) = delete;
    RowCache& operator=(const RowCache&) = delete;
    ~RowCache() { delete state_.load(); }

    // The state of this process.
    State& state();
    size_t limit() const { return limit_; }

private:
    std::atomic<State*> state_ = nullptr;
    const size_t limit_;  // bytes
};

}  // namespace tagpool
