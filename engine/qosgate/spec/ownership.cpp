// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/ownership.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <algorithm>
#include <bitset>

namespace qg::spec {
namespace {

constexpr std::size_t access_bit = 0;

constexpr std::size_t digits_of_mask = 32; ///< room for fields that Slurm may get
using Mask = std::bitset<digits_of_mask * 4>;

constexpr std::string_view unknown_bit = "bit";
constexpr std::string_view mark_begin = "[qosgate:";
constexpr std::string_view hex_digits = "0123456789abcdef";

/// A mark has few owners; what has more is no mark of ours.
constexpr std::size_t max_owners = 64;

std::string name_of(std::size_t bit) {
    if (bit == access_bit) return std::string(access_field);
    for (const model::QosField& field : model::qos_fields())
        if (field.places.mark_bit == bit) return std::string(field.name);
    return std::string(unknown_bit) + std::to_string(bit);
}

std::size_t get_bit(std::string_view field) {
    if (const auto known = bit_of(field)) return *known;
    QG_CHECK(field.starts_with(unknown_bit));
    const auto bit = text::parse_unsigned(field.substr(unknown_bit.size()));
    QG_CHECK(bit && *bit < Mask().size());
    return static_cast<std::size_t>(*bit);
}

std::string to_hex(const FieldNames& fields) {
    Mask mask;
    for (const std::string& field : fields)
        mask.set(get_bit(field));
    std::string digits;
    for (std::size_t digit = digits_of_mask; digit-- > 0;) {
        std::size_t value = 0;
        for (std::size_t bit = 0; bit < 4; ++bit)
            value |= std::size_t{mask[digit * 4 + bit]} << bit;
        if (value != 0 || !digits.empty()) digits += hex_digits[value];
    }
    return digits;
}

/// Empty if the text is no mask, or one without a bit.
FieldNames from_hex(std::string_view digits) {
    if (digits.empty() || digits.size() > digits_of_mask) return {};
    FieldNames fields;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::size_t value = hex_digits.find(digits[digits.size() - 1 - i]);
        if (value == std::string_view::npos) return {};
        for (std::size_t bit = 0; bit < 4; ++bit)
            if ((value >> bit & 1u) != 0) fields.insert(name_of(i * 4 + bit));
    }
    return fields;
}

std::string write_owners(const Ownership& ownership) {
    std::vector<std::string> owners;
    if (!ownership.creator.empty()) owners.push_back(ownership.creator);
    for (const auto& [owner, fields] : ownership.managed)
        if (!fields.empty()) owners.push_back(owner);
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());

    std::string written;
    for (const std::string& owner : owners) {
        QG_CHECK(is_owner(owner));
        if (!written.empty()) written += ',';
        written += owner;
        if (owner == ownership.creator) written += '*';
        if (const auto found = ownership.managed.find(owner);
            found != ownership.managed.end() && !found->second.empty())
            written += '=' + to_hex(found->second);
    }
    return written;
}

/// What stands between "[qosgate:" and "]".
std::optional<Ownership> read_owners(std::string_view written) {
    Ownership ownership;
    const auto entries = text::split(written, ',', /*keep_empty=*/true);
    if (entries.size() > max_owners) return {};
    for (std::string_view entry : entries) {
        const auto equals = std::min(entry.find('='), entry.size());
        std::string_view owner = entry.substr(0, equals);
        if (owner.ends_with('*')) {
            owner.remove_suffix(1);
            ownership.creator = owner;
        }
        if (!is_owner(owner)) return {};
        if (equals == entry.size()) continue;
        FieldNames fields = from_hex(entry.substr(equals + 1));
        if (fields.empty()) return {};
        ownership.managed[std::string(owner)] = std::move(fields);
    }
    // Other spellings of the same are not written by us.
    return write_owners(ownership) == written ? std::optional(std::move(ownership)) : std::nullopt;
}

} // namespace

std::string Ownership::owner_of(std::string_view field) const {
    for (const auto& [owner, fields] : managed)
        if (fields.contains(field)) return owner;
    return {};
}

void Ownership::assign(std::string_view field, const std::string& owner) {
    release(field);
    managed[owner].emplace(field);
}

void Ownership::release(std::string_view field) {
    for (auto& [owner, fields] : managed)
        if (const auto found = fields.find(field); found != fields.end()) fields.erase(found);
    std::erase_if(managed, [](const auto& entry) { return entry.second.empty(); });
}

bool is_owner(std::string_view text) {
    constexpr std::size_t max_bytes = 32;
    const auto is_first = [](char c) { return text::is_lower_letter(c) || text::is_digit(c); };
    const auto is_next = [&](char c) { return is_first(c) || c == '_' || c == '.' || c == '-'; };
    return !text.empty() && text.size() <= max_bytes && is_first(text.front()) &&
           std::all_of(text.begin(), text.end(), is_next);
}

std::string_view owner_rule() {
    return "an owner is 1 to 32 lower-case letters, digits, '_', '.' and '-', with a letter or digit first";
}

std::optional<std::size_t> bit_of(std::string_view field) {
    if (field == access_field) return access_bit;
    const auto fields = model::qos_fields();
    const auto found = std::ranges::find(fields, field, &model::QosField::name);
    return found == fields.end() ? std::nullopt : found->places.mark_bit;
}

MarkedDescription read_mark(std::string_view description) {
    const auto begin = description.rfind(mark_begin);
    const bool is_apart = begin == 0 || (begin != std::string_view::npos && description[begin - 1] == ' ');
    if (!is_apart || !description.ends_with(']')) return {std::string(description), {}};
    std::string_view written = description.substr(begin + mark_begin.size());
    written.remove_suffix(1);
    auto ownership = read_owners(written);
    if (!ownership) return {std::string(description), {}};
    const std::string_view text = description.substr(0, begin == 0 ? 0 : begin - 1);
    // " [qosgate:…]" is written as "[qosgate:…]".
    if (text.empty() && begin != 0) return {std::string(description), {}};
    return {std::string(text), std::move(*ownership)};
}

std::string write_mark(const MarkedDescription& marked) {
    const std::string owners = write_owners(marked.ownership);
    if (owners.empty()) return marked.text;
    const std::string mark = std::string(mark_begin) + owners + "]";
    return marked.text.empty() ? mark : marked.text + " " + mark;
}

} // namespace qg::spec
