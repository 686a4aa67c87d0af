// WordTemplates: templates of a program that depend on a single string, and the rest.
//
// N-grams, shape and affixes of a string do not depend on its position. If a program has many such features of one column and offset, tagging
// sums their weights once for each distinct string (word_rows.hpp). The groups depend only on the program, so that sums have the same order
// for every corpus.
#pragma once
#include <string>
#include <vector>

#include "features/program.hpp"

namespace tagpool {

struct WordTemplates {
    // Templates of one column and offset.
    struct Group {
        std::string column;
        int offset;
        Program here;   // templates at offset 0
        Program there;  // templates as written: for positions outside a sentence
    };
    std::vector<Group> groups;
    Program rest;

    explicit WordTemplates(const Program& program);
};

}  // namespace tagpool
