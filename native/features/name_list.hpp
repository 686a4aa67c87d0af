// NameList: many texts, one after another in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"

namespace tagpool {

class NameList {
public:
    size_t size() const { return ends_.size(); }
    std::string_view operator[](size_t number) const {
        const uint64_t begin = number ? ends_[number - 1] : 0;
        return {bytes_.data() + begin, ends_[number] - begin};
    }
    void push_back(std::string_view name) {
        bytes_.append(name.data(), name.size());
        ends_.push_back(bytes_.size());
    }
    std::vector<std::string_view> views() const {
        std::vector<std::string_view> out;
        out.reserve(size());
        for (size_t i = 0; i < size(); ++i) out.push_back((*this)[i]);
        return out;
    }
    size_t byte_count() const { return bytes_.size(); }
    // Removes the names for which keep(number) is false.
    template <class Keep>
    void filter(Keep&& keep) {
        uint64_t to = 0, begin = 0;
        size_t count = 0;
        for (size_t number = 0; number < ends_.size(); ++number) {
            const uint64_t end = ends_[number];
            if (keep(number)) {
                std::memmove(bytes_.data() + to, bytes_.data() + begin, end - begin);
                to += end - begin;
                ends_[count++] = to;
            }
            begin = end;
        }
        bytes_.truncate(to);
        ends_.truncate(count);
        bytes_.shrink();
        ends_.shrink();
    }
    void clear() { *this = NameList(); }

private:
    Buffer<char> bytes_;
    Buffer<uint64_t> ends_;
};

}  // namespace tagpool
