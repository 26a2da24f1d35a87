// SPDX-License-Identifier: GPL-2.0-or-later
//
// ViewReads: what a rule read of `view` in one run, and how to read it again without the rule.
#pragma once

#include "qosgate/policy/view_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// Where `view` is read from. Trivial. Ownership: borrows.
struct ViewSource {
    RuleView* view = nullptr;                       ///< null: there is none
    const model::TresCatalogue* job_tres = nullptr; ///< in the order of the job's counts

    /// The TRES in the order in which the view counts; it may be known only after a read.
    [[nodiscard]] const model::TresCatalogue* catalogue() const noexcept {
        return view != nullptr && view->catalogue != nullptr ? view->catalogue : job_tres;
    }
};

/// What was asked of an object: a field, or a function, or, if both are null, the count of a TRES.
struct ViewMember {
    const ViewField* field = nullptr;
    const ViewFunction* function = nullptr;

    friend bool operator==(const ViewMember&, const ViewMember&) = default;
};

/// Ownership: copies of texts and values. Threads: not thread-safe. No function raises an error of Lua.
class ViewReads {
  public:
    static constexpr std::size_t max = 16;        ///< different reads; with more they count as not known
    static constexpr std::size_t max_bytes = 512; ///< of all texts, likewise

    /// One with room for all: note() allocates nothing.
    static ViewReads with_room();

    void clear() noexcept;
    /// Notes a read, if it is a new one. `object`: the place of the read that gave the object; 0: it is
    /// `view` itself. `name`: of a function's argument, or of a TRES. Returns the place of this read, for
    /// reads of the object that it gave. Lists, and answers that rest on the whole job or on a table, make
    /// the reads not known.
    std::uint8_t note(std::uint8_t object, ViewMember member, std::string_view name,
                      const ViewAnswer& answer) noexcept;
    /// The rule has looked at something that cannot be noted.
    void note_other() noexcept { is_known_ = false; }

    /// Whether all that the rule read is noted.
    [[nodiscard]] bool is_known() const noexcept { return is_known_; }
    [[nodiscard]] bool empty() const noexcept { return reads_.empty(); }

    /// Whether all reads, done now in the same order, give the same. An answer that cannot be had is another
    /// one. Cost: that of the reads.
    [[nodiscard]] bool are_same(const ViewSource& source) const noexcept;

  private:
    /// A part of bytes_.
    struct Text {
        std::uint16_t begin = 0;
        std::uint16_t size = 0;
    };
    struct Read {
        ViewMember member;
        Text name;
        Text text; ///< of the answer
        std::int64_t integer = 0;
        Value::Kind kind = Value::Kind::nothing; ///< of an object `other`; nothing: it is nil
        std::uint8_t object = 0;
    };

    /// Appends a text, if there is room.
    bool add(Text& text, std::string_view value) noexcept;
    [[nodiscard]] std::string_view at(Text text) const noexcept;
    [[nodiscard]] bool is_same(const Read& read, const ViewAnswer& answer) const noexcept;
    [[nodiscard]] ViewAnswer read_again(const Read& read, const ViewObject& object, const ViewSource& source,
                                        ErrorText& error) const noexcept;

    std::vector<Read> reads_;
    std::string bytes_;
    bool is_known_ = true;
};

} // namespace qg::policy
