// WordTemplates: a program's templates in two parts, those that see a single string and those that see more.
//
// What a template says of one string (its n-grams, shape, affixes) is the same wherever the string stands. Where a program has many features
// of this kind for one column and offset, tagging sums their weights once for each distinct string (word_rows.hpp). Which templates are taken
// together depends on the program alone, so that sums are taken in the same order for every corpus.
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
        Program here;   // as if they stood at the string itself
        Program there;  // as they are: for what they say of the sentence's ends
    };
    std::vector<Group> groups;
    Program rest;

    explicit WordTemplates(const Program& program);
};

}  // namespace tagpool
