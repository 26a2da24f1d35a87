// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/spec_writer.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/spec/strict_json.hpp"

#include <algorithm>
#include <array>

namespace qg::spec {
namespace {

using model::FieldKind;
using model::QosField;

/// Words that readers of YAML take for something else than a text.
constexpr std::array<std::string_view, 12> words_of_yaml{"null", "true", "false", "yes", "no",    "on",
                                                         "off",  "y",    "n",     "inf", "unset", "nan"};

/// The text as YAML: plain if nobody can take it for something else, else between double quotes as in JSON.
std::string scalar(std::string_view text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    constexpr std::string_view more = "0123456789.-";
    const bool is_plain = !text.empty() && letters.find(text.front()) != std::string_view::npos &&
                          std::all_of(text.begin(), text.end(),
                                      [&](char letter) {
                                          return letters.find(letter) != std::string_view::npos ||
                                                 more.find(letter) != std::string_view::npos;
                                      }) &&
                          std::none_of(words_of_yaml.begin(), words_of_yaml.end(),
                                       [&](std::string_view word) { return text::iequals(word, text); });
    if (is_plain) return std::string(text);
    return Json(text).dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string list(const std::vector<std::string>& scalars) {
    return "[" + text::join(scalars, ", ") + "]";
}

std::vector<std::string> scalars_of(const auto& names) {
    std::vector<std::string> scalars;
    for (const std::string& name : names)
        scalars.push_back(scalar(name));
    return scalars;
}

std::string limits(const model::TresLimits& counts) {
    std::vector<std::string> parts;
    for (const auto& [tres, count] : counts)
        parts.push_back(scalar(tres) + ": " + model::format_tres_count(tres, count));
    return "{" + text::join(parts, ", ") + "}";
}

std::string value_of(const QosField& field, const model::QosRecord& record) {
    const model::FieldValue value = get_field(field, record);
    switch (field.kind) {
    case FieldKind::name:
    case FieldKind::text: return scalar(std::get<std::string>(value));
    case FieldKind::duration: return scalar(format_value(field, value)); // quoted: 10:00 is no base 60
    case FieldKind::number:
    case FieldKind::factor: return format_value(field, value);
    case FieldKind::tres: return limits(std::get<model::TresLimits>(value));
    case FieldKind::flags:
    case FieldKind::preempt_mode:
    case FieldKind::qos_names: return list(scalars_of(std::get<model::NameSet>(value)));
    }
    return {};
}

/// Why a spec cannot have the field's value; empty: it can.
std::string why_not(const QosField& field, const model::QosRecord& record) {
    if (field.kind == FieldKind::text) {
        if (!text_to_json(record.description).is_string()) return "it is not UTF-8";
        const bool is_read_back =
            model::QosChange::parse(std::vector{text::format("Description={}", record.description)},
                                    *model::TresCatalogue::built_in())
                .has_value() &&
            text::trim(record.description) == record.description;
        return is_read_back ? "" : "it has control characters, or spaces at its ends";
    }
    const model::FieldValue value = get_field(field, record);
    if (field.kind == FieldKind::flags)
        for (const std::string& flag : record.flags)
            if (!parse_allowed_word(field, flag)) return "a newer Slurm set " + flag;
    if (field.kind == FieldKind::tres) {
        for (const auto& [tres, count] : std::get<model::TresLimits>(value))
            if (count > model::max_tres_count)
                return text::format("{} is {}, and a spec has at most {}", tres, count,
                                    model::max_tres_count);
        return {};
    }
    const std::string words = format_value(field, value);
    const auto read = model::parse_field_value(field, words);
    if (!read || *read != value) return text::format("a spec cannot have the value {}", words);
    return {};
}

std::string user_mapping(const DesiredUser& user) {
    std::string mapping = "{user: " + scalar(user.user);
    if (!user.account.empty()) mapping += ", account: " + scalar(user.account);
    if (!user.partition.empty()) mapping += ", partition: " + scalar(user.partition);
    return mapping + "}";
}

class Writer {
  public:
    void comment(std::string_view indent, std::string_view words) {
        text_ += text::format("{}# {}\n", indent, text::printable(words, 2000));
    }
    void line(std::string_view indent, std::string_view key, std::string_view value) {
        text_ += indent;
        text_ += key;
        text_ += value.empty() ? ":" : ": ";
        text_ += value;
        text_ += '\n';
    }

    void write(const WrittenQos& qos) {
        const auto valid = model::parse_qos_name(qos.record.name);
        if (!valid || *valid != qos.record.name)
            return comment("  ", text::format("QOS {} is left out: no spec can have its name",
                                              text::quoted(qos.record.name)));
        const std::size_t begin = text_.size();
        line("  ", scalar(qos.record.name), {});
        const std::size_t body = text_.size();
        bool has_lines = false;
        for (const std::string& words : qos.comments)
            comment("    ", words);
        for (const QosField& field : model::qos_fields())
            has_lines = write(field, qos) || has_lines;
        has_lines = write(qos.access) || has_lines;
        if (has_lines) return;
        const std::string comments = text_.substr(body);
        text_.resize(begin);
        line("  ", scalar(qos.record.name), "{}");
        text_ += comments; // below the name, so that they are not taken for those of the QOS before
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    bool write(const QosField& field, const WrittenQos& qos) {
        const bool is_default = field.kind == FieldKind::name || !is_set(field, qos.record) ||
                                (field.kind == FieldKind::text && qos.record.description == qos.record.name);
        if (is_default || qos.left_out.contains(field.name)) return false;
        if (const std::string why = why_not(field, qos.record); !why.empty()) {
            comment("    ", text::format("{} is left out: {}", field.name, why));
            return false;
        }
        line("    ", field.name, value_of(field, qos.record));
        return true;
    }

    bool write(const DesiredAccess& access) {
        const bool has_default = !access.default_for_accounts.empty() || !access.default_for_users.empty();
        if (access.accounts.empty() && access.users.empty() && !has_default) return false;
        line("    ", "access", {});
        if (!access.accounts.empty()) line("      ", "accounts", list(scalars_of(access.accounts)));
        write_users("      ", access.users);
        if (!has_default) return true;
        line("      ", "default_for", {});
        if (!access.default_for_accounts.empty())
            line("        ", "accounts", list(scalars_of(access.default_for_accounts)));
        write_users("        ", access.default_for_users);
        return true;
    }

    void write_users(const std::string& indent, const std::vector<DesiredUser>& users) {
        if (users.empty()) return;
        line(indent, "users", {});
        for (const DesiredUser& user : users)
            text_ += indent + "  - " + user_mapping(user) + "\n";
    }

    std::string text_;
};

} // namespace

std::string write_spec(std::string_view owner, std::span<const WrittenQos> qos,
                       std::span<const std::string> comments) {
    Writer writer;
    for (const std::string& words : comments)
        writer.comment("", words);
    if (!owner.empty()) writer.line("", "owner", scalar(owner));
    writer.line("", "qos", qos.empty() ? "{}" : "");
    for (const WrittenQos& one : qos)
        writer.write(one);
    return writer.take();
}

} // namespace qg::spec
