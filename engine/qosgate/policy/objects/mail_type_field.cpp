// SPDX-License-Identifier: GPL-2.0-or-later
//
// job.mail_type: bits in Slurm, a text in rules.
#include "qosgate/base/text.hpp"
#include "qosgate/model/mail_types.hpp"
#include "qosgate/policy/objects/field_read.hpp"
#include "qosgate/policy/objects/field_write.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace qg::policy::field {
namespace {

/// The text for each set of bits, made once (about 0.1 ms), because values of fields borrow their texts.
class Texts {
  public:
    static const Texts& all() {
        static const Texts texts;
        return texts;
    }

    [[nodiscard]] std::string_view of(std::size_t bits) const noexcept {
        return std::string_view(text_).substr(begins_[bits], begins_[bits + 1] - begins_[bits]);
    }

  private:
    static constexpr std::size_t count = std::size_t{model::all_mail_types} + 1;

    Texts() {
        for (std::size_t bits = 0; bits < count; ++bits) {
            begins_[bits] = static_cast<std::uint32_t>(text_.size());
            for (const model::MailType& type : model::mail_types) {
                if ((bits & type.bit) == 0) continue;
                if (text_.size() > begins_[bits]) text_ += ',';
                text_ += type.name;
            }
        }
        begins_[count] = static_cast<std::uint32_t>(text_.size());
    }

    std::string text_;
    std::array<std::uint32_t, count + 1> begins_{};
};

/// Not inlined: g++ 12 then warns of a text in the variant that is not there.
[[gnu::noinline]] void put(JobRequest& request, JobDetails::Written value) {
    request.details.set(JobDetail::mail_type, std::move(value));
}

} // namespace

Value read_mail_type(const FieldSource& source, ErrorText& error) noexcept {
    const model::DetailValue value = source.request.details.get(JobDetail::mail_type);
    if (value.kind != model::DetailValue::Kind::number) return {};
    try {
        return Value::of_text(
            Texts::all().of(static_cast<std::uint64_t>(value.number) & model::all_mail_types));
    } catch (...) {
        error.assign("out of memory");
        return {};
    }
}

Result<void> write_mail_type(JobRequest& request, const Value& value) {
    const auto text = to_text(value);
    if (!text) return text.error();
    std::uint16_t bits = 0;
    bool is_known = true;
    if (*text)
        text::for_each_part(**text, ',', [&](std::string_view part) {
            const auto named = [part](const model::MailType& type) { return text::iequals(type.name, part); };
            const auto found = std::ranges::find_if(model::mail_types, named);
            if (found != model::mail_types.end())
                bits |= found->bit;
            else if (text::iequals(part, "ALL"))
                bits |= model::mail_type_all;
            else
                is_known = is_known && (part.empty() || text::iequals(part, "NONE"));
        });
    if (!is_known) return not_allowed("names as --mail-type takes them, for example \"END,FAIL\"");
    put(request, bits == 0 ? JobDetails::Written() : JobDetails::Written(std::int64_t{bits}));
    return {};
}

} // namespace qg::policy::field
