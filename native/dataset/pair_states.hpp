// PairStates: the last two labels (b, c) of a sequence as one state, for models whose transitions look two labels back. The first
// token has no label before it: its states are (^, c). Only some pairs need be there.
//
// A state is known by its cell, b * stride + c, where ^ has the number `labels`. From (a, b) a step leads to every (b, c).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

struct PairStates {
    uint32_t labels = 0, stride = 0;
    std::vector<uint32_t> cells;    // of the states: first the (^, y), one a label, then the others by last label, then by the one before
    std::vector<uint32_t> begins;   // those that end in y: [begins[y], begins[y + 1])
    std::vector<uint32_t> numbers;  // by cell, kNone where there is no state; `labels` rows of `stride`

    static constexpr uint32_t kNone = UINT32_MAX;

    PairStates() = default;
    // `there`: labels x labels. A label that nothing follows may be followed by any, so that there are sequences of every length.
    PairStates(uint32_t label_count, uint32_t row_stride, std::vector<uint8_t> there) : labels(label_count), stride(row_stride) {
        const size_t count = labels;
        numbers.assign(count * stride, kNone);
        for (uint32_t y = 0; y < labels; ++y) cells.push_back(labels * stride + y);
        for (size_t b = 0; b < count; ++b) {
            bool followed = false;
            for (size_t c = 0; c < count; ++c) followed = followed || there[b * count + c];
            for (size_t c = 0; c < count && !followed; ++c) there[b * count + c] = 1;
        }
        for (uint32_t c = 0; c < labels; ++c) {
            begins.push_back(static_cast<uint32_t>(cells.size()));
            for (uint32_t b = 0; b < labels; ++b) {
                if (!there[b * count + c]) continue;
                numbers[b * stride + c] = static_cast<uint32_t>(cells.size());
                cells.push_back(b * stride + c);
            }
        }
        begins.push_back(static_cast<uint32_t>(cells.size()));
    }

    size_t size() const { return cells.size(); }
    bool empty() const { return cells.empty(); }
    // The state of the labels a, b; kNone if there is none.
    uint32_t number(uint32_t a, uint32_t b) const { return a == labels ? b : numbers[a * stride + b]; }
    // Both labels of every state that has two.
    std::vector<uint16_t> as_pairs() const {
        std::vector<uint16_t> out;
        for (uint32_t state = labels; state < size(); ++state) {
            out.push_back(static_cast<uint16_t>(before(state)));
            out.push_back(static_cast<uint16_t>(last(state)));
        }
        return out;
    }
    uint32_t before(uint32_t state) const { return cells[state] / stride; }
    uint32_t last(uint32_t state) const { return cells[state] % stride; }
};

}  // namespace tagpool
