#include "model/row_store.hpp"

#include <algorithm>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace tagpool {
namespace {

std::atomic<uint64_t> store_count = 0;

// Number of the process; always 0 on Windows, which has no forks.
long process_number() {
#ifdef _WIN32
    return 0;
#else
    return getpid();
#endif
}

}  // namespace

RowStore::RowStore(size_t stride_, size_t column_count, size_t limit)
    : stride(stride_), columns(column_count), edges(column_count), number(store_count.fetch_add(1, std::memory_order_relaxed) + 1), limit_(limit) {
    add_rows(std::vector<float>(stride, 0.0f));
}

void RowStore::reserve(size_t count) {
    if (count_ + count <= capacity_) return;
    // Copying doubles the memory: a large store gets all that it may use at once. Only pages that are used count.
    constexpr size_t kLargeBytes = size_t{4} << 20;
    const size_t row_bytes = stride * sizeof(float), needed = count_ + count;
    const bool large = needed * row_bytes > kLargeBytes && needed * row_bytes <= limit_ && limit_ < SIZE_MAX;
    const size_t capacity = large ? limit_ / row_bytes : std::max(needed, count_ + count_ / 2), numbers = capacity * stride;
    std::shared_ptr<float> larger(AlignedAllocator<float>().allocate(numbers),
                                  [numbers](float* data) { AlignedAllocator<float>().deallocate(data, numbers); });
    if (rows_) std::copy_n(rows_.get(), count_ * stride, larger.get());
    rows_ = std::move(larger);
    capacity_ = capacity;
}

uint32_t RowStore::add_rows(std::span<const float> rows) {
    reserve(rows.size() / stride);
    std::copy(rows.begin(), rows.end(), rows_.get() + count_ * stride);
    const auto first = static_cast<uint32_t>(count_);
    count_ += rows.size() / stride;
    return first;
}

size_t RowStore::bytes() const {
    constexpr size_t kString = 48, kPattern = 24;  // with their share of the hash tables
    size_t sum = count_ * stride * sizeof(float);
    for (const OfColumn& column : columns)
        sum += column.strings.size() * kString + column.strings.byte_count() + column.signatures.byte_count() + column.patterns.size() * kPattern;
    return sum;
}

RowCache::State& RowCache::state() {
    const long process = process_number();
    State* state = state_.load(std::memory_order_acquire);
    while (!state || state->process != process) {
        auto fresh = std::unique_ptr<State>(new State{{}, nullptr, process});
        // The state of the parent may be incomplete: it is not freed.
        if (state_.compare_exchange_strong(state, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    }
    return *state;
}

}  // namespace tagpool
