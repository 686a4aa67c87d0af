// StateWriter and StateReader: the state of a trainer between two epochs as named arrays, for checkpoints.
//
// The two classes have the same functions, so that one `visit_state(state)` of a trainer writes and reads. Reading checks types and sizes: a checkpoint is
// untrusted input, as a model file is.
#pragma once
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "base/random.hpp"
#include "base/tensors.hpp"

namespace tagpool {

// Words of 64 bits from numbers and back, without a change of their bits.
inline uint64_t to_word(double number) { return std::bit_cast<uint64_t>(number); }
inline uint64_t to_word(std::integral auto number) { return static_cast<uint64_t>(number); }
inline void from_word(uint64_t word, double& number) { number = std::bit_cast<double>(word); }
inline void from_word(uint64_t word, std::integral auto& number) { number = static_cast<std::decay_t<decltype(number)>>(word); }

class StateWriter {
public:
    template <class Number>
    void number(const char* name, const Number& value) {
        tensors_.add(name, std::vector<uint64_t>{to_word(value)});
    }
    // An array of a fixed size. The values must not change before write().
    template <class T>
    void array(const std::string& name, const T* values, size_t count) {
        tensors_.add(name, type_of_array<T>(), {count}, values, nullptr);
    }
    // An array of any size.
    template <class Vector>
    void vector(const std::string& name, const Vector& values) {
        array(name, values.data(), values.size());
    }
    template <class T>
    void copy(const std::string& name, std::vector<T> values) {
        tensors_.add(name, std::move(values));
    }
    void random(Random& random) { array("random", random.state(), Random::kWords); }
    std::string write() const { return tensors_.write(); }

private:
    Tensors tensors_;
};

class StateReader {
public:
    // The block must outlive the reader.
    explicit StateReader(std::string_view block) : tensors_(Tensors::read(block, nullptr)) {}

    template <class Number>
    void number(const char* name, Number& value) {
        uint64_t word = 0;
        array(name, &word, 1);
        from_word(word, value);
        expect_finite(std::span<const Number>(&value, 1), name);
    }
    template <class T>
    void array(const std::string& name, T* values, size_t count) {
        const std::span<const T> stored = tensors_.array<T>(name);
        expect_size(stored.size(), count, name.c_str());
        expect_finite(stored, name);
        if (count) std::memcpy(values, stored.data(), count * sizeof(T));
    }
    template <class Vector>
    void vector(const std::string& name, Vector& values) {
        const auto stored = tensors_.array<typename Vector::value_type>(name);
        expect_finite(stored, name);
        values.assign(stored.begin(), stored.end());
    }
    void random(Random& random) { array("random", random.state(), Random::kWords); }

private:
    template <class T>
    static void expect_finite(std::span<const T> values, const std::string& name) {
        if constexpr (std::is_floating_point_v<T>)
            for (const T value : values)
                if (!std::isfinite(value)) throw InputFault(name + ": a number is not finite");
    }

    Tensors tensors_;
};

// State of a trainer as bytes.
template <class AnyTrainer>
std::string write_state(AnyTrainer& trainer) {
    StateWriter state;
    trainer.visit_state(state);
    return state.write();
}
// Sets the state of a trainer with the same options and data. Throws InputFault if the bytes do not fit.
template <class AnyTrainer>
void read_state(AnyTrainer& trainer, std::string_view block) {
    StateReader state(block);
    trainer.visit_state(state);
}

}  // namespace tagpool
