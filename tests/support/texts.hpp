// SPDX-License-Identifier: GPL-2.0-or-later
//
// Texts for the tests of readers.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace qg::test {

inline std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i)
        all += text;
    return all;
}

inline bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// Changed copies of a text, the same ones in every run.
class Mutations {
  public:
    /// `inserted`: the characters that may be inserted.
    Mutations(std::string_view whole, std::string_view inserted) : whole_(whole), inserted_(inserted) {}

    /// The next copy: in up to three places, a byte is replaced, up to four are taken out, or one is
    /// inserted.
    std::string next() {
        std::string changed(whole_);
        for (int i = 0; i < 3 && !changed.empty(); ++i) {
            const std::size_t at = random_() % changed.size();
            switch (random_() % 3) {
            case 0: changed[at] = static_cast<char>(random_()); break;
            case 1: changed.erase(at, 1 + random_() % 4); break;
            default: changed.insert(at, 1, inserted_[random_() % inserted_.size()]);
            }
        }
        return changed;
    }

  private:
    std::string_view whole_, inserted_;
    std::mt19937 random_{1}; // NOLINT(cert-msc51-cpp)
};

} // namespace qg::test
