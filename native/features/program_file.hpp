// Programs in model files: templates and atoms as JSON, the lexicons they look into as arrays.
#pragma once
#include "features/program.hpp"
#include "base/tensors.hpp"

namespace tagpool {

// `name` tells the programs of one file apart.
void write_program(const Program& program, const std::string& name, Tensors& to);
// Throws InputFault where the file says something no program can be.
Program read_program(const Tensors& from, const std::string& name);

}  // namespace tagpool
