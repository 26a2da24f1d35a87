// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/view_reads.hpp"

#include <algorithm>
#include <array>

namespace qg::policy {
namespace {

/// Whether the answer is an object of the view.
bool gives_object(const ViewMember& member) noexcept {
    if (member.field != nullptr) return member.field->type == ViewType::object;
    return member.function != nullptr && member.function->type == ViewType::object;
}

/// Whether the answer follows from the object, and the name, alone, and is no list.
bool can_be_noted(const ViewMember& member) noexcept {
    if (member.field != nullptr) return !is_list(member.field->type);
    if (member.function == nullptr) return true;
    const ViewCall how = member.function->how;
    return how != ViewCall::with_job && how != ViewCall::with_filter && !is_list(member.function->type);
}

/// What is compared of an answer: an object only by whether there is one.
Value compared(const ViewMember& member, const ViewAnswer& answer) noexcept {
    if (!gives_object(member)) return answer.value;
    Value value;
    if (answer.object.data != nullptr) value.kind = Value::Kind::other;
    return value;
}

} // namespace

ViewReads ViewReads::with_room() {
    ViewReads reads;
    reads.reads_.reserve(max);
    reads.bytes_.reserve(max_bytes);
    return reads;
}

void ViewReads::clear() noexcept {
    reads_.clear();
    bytes_.clear();
    is_known_ = true;
}

bool ViewReads::add(Text& text, std::string_view value) noexcept {
    if (value.size() > max_bytes - bytes_.size()) return false;
    text = {static_cast<std::uint16_t>(bytes_.size()), static_cast<std::uint16_t>(value.size())};
    bytes_.append(value); // there is room
    return true;
}

std::string_view ViewReads::at(Text text) const noexcept {
    return std::string_view(bytes_).substr(text.begin, text.size);
}

std::uint8_t ViewReads::note(std::uint8_t object, ViewMember member, std::string_view name,
                             const ViewAnswer& answer) noexcept {
    if (!is_known_) return 0;
    // What was read before gives the same again: `view` keeps it for a decision.
    const auto is_read = [&](const Read& read) {
        return read.object == object && read.member == member && at(read.name) == name;
    };
    if (const auto known = std::ranges::find_if(reads_, is_read); known != reads_.end())
        return static_cast<std::uint8_t>(known - reads_.begin() + 1);
    const Value value = compared(member, answer);
    Read read{.member = member,
              .name = {},
              .text = {},
              .integer = value.integer,
              .kind = value.kind,
              .object = object};
    is_known_ =
        reads_.size() < max && can_be_noted(member) && add(read.name, name) && add(read.text, value.text);
    if (!is_known_) return 0;
    reads_.push_back(read); // there is room
    return static_cast<std::uint8_t>(reads_.size());
}

bool ViewReads::is_same(const Read& read, const ViewAnswer& answer) const noexcept {
    const Value value = compared(read.member, answer);
    return value.kind == read.kind && value.integer == read.integer && value.text == at(read.text);
}

ViewAnswer ViewReads::read_again(const Read& read, const ViewObject& object, const ViewSource& source,
                                 ErrorText& error) const noexcept {
    if (read.member.field != nullptr) return read.member.field->read(*source.view, object, error);
    const std::string_view name = at(read.name);
    if (read.member.function != nullptr)
        return read.member.function->call(*source.view, object, {.name = name}, error);
    return count_of_tres(object, *source.catalogue(), name, error);
}

bool ViewReads::are_same(const ViewSource& source) const noexcept {
    if (source.view == nullptr) return reads_.empty();
    std::array<ViewObject, max + 1> objects; // of `view`, and what each read gave
    objects[0] = {};
    std::size_t place = 0;
    for (const Read& read : reads_) {
        ErrorText error;
        const ViewAnswer answer = read_again(read, objects[read.object], source, error);
        if (!error.empty() || !is_same(read, answer)) return false;
        objects[++place] = answer.object;
    }
    return true;
}

} // namespace qg::policy
