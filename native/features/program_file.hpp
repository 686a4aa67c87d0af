// Programs in model files: templates and atoms as JSON metadata, lexicons as arrays.
#pragma once
#include "base/tensors.hpp"
#include "features/program.hpp"

namespace tagpool {

// `name` is the metadata key, since a file may contain several programs.
void write_program(const Program& program, const std::string& name, Tensors& to);
// Throws InputFault if the program is damaged.
Program read_program(const Tensors& from, const std::string& name);

}  // namespace tagpool
