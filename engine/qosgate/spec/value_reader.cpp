// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/value_reader.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/amount_text.hpp"
#include "qosgate/model/qos_change.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace qg::spec {
namespace {

using model::FieldKind;

/// Generic resources that Slurm has plugins for; without a cluster, their names need no "gres/".
constexpr std::array<std::string_view, 3> plain_gres{"gpu", "shard", "mps"};

/// YAML 1.1 reads "010" as eight, YAML 1.2 and sacctmgr as ten.
bool looks_octal(std::string_view text) {
    return text.size() > 1 && text[0] == '0' &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

Error octal(std::string_view text) {
    return invalid(
        text::format("'{}' begins with 0, which some readers of YAML take as octal; leave the 0 out",
                     text::printable(text, 40)));
}

/// A percentage, of the cluster's or a partition's TRES. Empty: the text is none.
std::optional<Result<Share>> parse_share(std::string_view text) {
    const auto sign = text.find('%');
    if (sign == std::string_view::npos) return std::nullopt;
    const auto wrong = [&] {
        return invalid(text::format("'{}' is not a share: write 50% or 50% of PARTITION, from 0 to 100",
                                    text::printable(text, 80)));
    };
    Share share;
    const std::string_view number = text::trim(text.substr(0, sign));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), share.percent);
    if (error != std::errc{} || end != number.data() + number.size() || !(share.percent >= 0) ||
        share.percent > 100)
        return wrong();
    const std::string_view rest = text::trim(text.substr(sign + 1));
    if (rest.empty()) return share;
    if (!text::istarts_with(rest, "of ")) return wrong();
    share.partition = text::trim(rest.substr(3));
    if (share.partition.empty() || share.partition.find_first_of(" ,%") != std::string::npos) return wrong();
    return share;
}

Result<DesiredCount> parse_count(const model::QosField& field, std::string_view tres, std::string_view text) {
    if (text == "-1" || text::iequals(text, "unset")) return DesiredCount();
    if (auto share = parse_share(text)) {
        if (!*share) return share->error();
        if (!field.unit.empty())
            return invalid(text::format("'{}': a share of minutes means nothing; write a count",
                                        text::printable(text, 80)));
        return DesiredCount(**share);
    }
    if (looks_octal(text)) return octal(text);
    const auto count = model::parse_tres_count(tres, text);
    if (!count) return invalid(count.error().message + ", or 50%, or unset");
    if (*count > model::max_tres_count)
        return invalid(text::format("{} is too large: at most {}", *count, model::max_tres_count));
    return DesiredCount(*count);
}

/// Reads the counts of one TRES field.
class TresReader {
  public:
    TresReader(const Node& key, const model::QosField& field, const ReadContext& context)
        : key_(&key), field_(&field), context_(&context) {}

    void add(const Node& where, std::string_view name, std::string_view count) {
        if (context_->problems->is_full()) return;
        const auto full = full_tres_name(name, context_->catalogue);
        if (!full) return wrong(where, full.error().message);
        auto parsed = parse_count(*field_, *full, count);
        if (!parsed) return wrong(where, *full + ": " + parsed.error().message);
        if (!tres_.counts.emplace(*full, std::move(*parsed)).second) wrong(where, *full + " is given twice");
        entries_.emplace(*full, context_->at(where));
    }

    void add_text(const Node& where, std::string_view text) {
        for (std::string_view part : text::split(text, ',')) {
            const auto equals = part.find('=');
            if (equals == std::string_view::npos)
                wrong(where,
                      text::format("'{}': write NAME=COUNT, for example gpu=2", text::printable(part, 80)));
            else
                add(where, text::trim(part.substr(0, equals)), text::trim(part.substr(equals + 1)));
        }
    }

    void add_mapping(const Node& mapping) {
        for (const auto& [name, count] : mapping.entries) {
            const auto tres = context_->text(*name, key_->text);
            if (means_unset(*count)) {
                if (tres) add(*name, *tres, "unset");
                continue;
            }
            const auto text = context_->text(*count, key_->text);
            if (!tres || !text)
                is_wrong_ = true;
            else
                add(*count, *tres, text::trim(*text));
        }
    }

    void set_whole(bool is_whole) { tres_.is_whole = is_whole; }

    [[nodiscard]] std::optional<DesiredField> take() {
        if (is_wrong_) return std::nullopt;
        return DesiredField{std::move(tres_), context_->at(*key_), std::move(entries_)};
    }

  private:
    void wrong(const Node& where, std::string_view what) {
        context_->wrong(where, key_->text, what);
        is_wrong_ = true;
    }

    const Node* key_;
    const model::QosField* field_;
    const ReadContext* context_;
    DesiredTres tres_;
    Places<std::string> entries_;
    bool is_wrong_ = false;
};

std::optional<DesiredField> read_tres(const Node& key, const Node& value, const model::FieldMatch& match,
                                      const ReadContext& context) {
    TresReader reader(key, *match.field, context);
    if (!match.tres.empty()) {
        reader.set_whole(false);
        const auto text =
            means_unset(value) ? std::optional<std::string>("unset") : context.text(value, key.text);
        if (!text) return std::nullopt;
        reader.add(value, match.tres, text::trim(*text));
        return reader.take();
    }
    if (value.is_mapping()) {
        reader.add_mapping(value);
        return reader.take();
    }
    if (!value.is_scalar()) {
        context.wrong(value, key.text, "needs counts: {cpu: 24, mem: 1T, gpu: 2}, or cpu=24,gpu=2");
        return std::nullopt;
    }
    const auto text = context.text(value, key.text);
    if (!text) return std::nullopt;
    if (text::trim(*text).empty()) {
        context.wrong(value, key.text, "no value; write {} for no limits, or unset");
        return std::nullopt;
    }
    reader.add_text(value, *text);
    return reader.take();
}

/// Words as a list become text, as in "DenyOnLimit,NoDecay". Empty: a problem.
std::optional<std::string> read_words(const Node& key, const Node& list, const ReadContext& context) {
    std::string words;
    bool is_right = true;
    for (const NodePtr& item : list.items) {
        const auto word = context.text(*item, key.text);
        is_right = is_right && word.has_value();
        if (!word) continue;
        if (text::trim(*word).empty() || word->find(',') != std::string::npos) {
            context.wrong(*item, key.text, text::format("{} is not one word", text::quoted(*word, 40)));
            is_right = false;
        }
        words += words.empty() ? *word : "," + *word;
    }
    return is_right ? std::optional(std::move(words)) : std::nullopt;
}

/// Where the names of QOSs stand; `words` were read.
Places<std::string> places_of(const Node& words, const ReadContext& context) {
    Places<std::string> places;
    for (const NodePtr& item : words.items)
        if (const auto word = context.text(*item, {}))
            places.emplace(text::lower(text::trim(*word)), context.at(*item));
    return places;
}

bool has_words(FieldKind kind) {
    return kind == FieldKind::flags || kind == FieldKind::qos_names || kind == FieldKind::preempt_mode;
}

/// An empty set is unset, as in records.
model::FieldValue without_empty_set(model::FieldValue value) {
    const auto* words = std::get_if<model::NameSet>(&value);
    return words != nullptr && words->empty() ? model::FieldValue() : std::move(value);
}

Result<model::FieldValue> parse_plain(const model::QosField& field, std::string_view text) {
    if (text.empty()) return invalid("no value; to clear the field write unset");
    const bool is_number = field.kind == FieldKind::number || field.kind == FieldKind::factor;
    if ((is_number || field.kind == FieldKind::duration) && looks_octal(text)) return octal(text);
    return model::parse_field_value(field, text);
}

} // namespace

Result<std::string> full_tres_name(std::string_view name, const model::TresCatalogue* catalogue) {
    const auto known = catalogue != nullptr ? catalogue : model::TresCatalogue::built_in().get();
    if (const auto index = known->find(name)) return known->name(*index);
    if (catalogue == nullptr) {
        const std::string lower = text::lower(name);
        for (std::string_view type : {"gres/", "license/", "bb/", "fs/", "interconnect/", "ic/"})
            if (lower.starts_with(type) && lower.size() > type.size()) return std::string(name);
        const std::string_view resource = std::string_view(lower).substr(0, lower.find(':'));
        if ((resource == lower || resource == "gpu") &&
            std::ranges::find(plain_gres, resource) != plain_gres.end())
            return "gres/" + std::string(name);
    }
    const std::string_view which =
        catalogue != nullptr ? "this cluster tracks no TRES of that name" : "there is no TRES of that name";
    std::string near;
    if (catalogue == nullptr) {
        std::vector<std::string> names(known->names().begin(), known->names().end());
        names.insert(names.end(), plain_gres.begin(), plain_gres.end());
        near = text::did_you_mean(name, names);
        if (near.empty()) near = "; other resources are gres/NAME and license/NAME";
    } else {
        near = model::hint_for_unknown(*known, name);
    }
    return invalid(text::format("'{}': {}{}", text::printable(name, 80), which, near));
}

std::optional<DesiredField> read_value(const Node& key, const Node& value, const model::FieldMatch& match,
                                       const ReadContext& context) {
    const model::QosField& field = *match.field;
    // Texts are what they say: "-1", and "unset" in quotes.
    const bool is_text = field.kind == FieldKind::text;
    const bool is_literal = is_text && value.is_scalar() && (!value.is_plain || value.text == "-1");
    if (match.tres.empty() && means_unset(value) && !is_literal) return DesiredField{{}, context.at(key)};
    if (field.kind == FieldKind::tres) return read_tres(key, value, match, context);
    if (is_text) {
        auto text = context.free_text(value, key.text);
        if (!text) return std::nullopt;
        while (text->ends_with('\n')) // of a block of YAML
            text->pop_back();
        if (text::iequals(*text, "unset") || *text == "-1")
            return DesiredField{model::FieldValue(*std::move(text)), context.at(key)};
        auto parsed = model::parse_field_value(field, *text);
        if (parsed) return DesiredField{*std::move(parsed), context.at(key)};
        context.wrong(value, key.text, parsed.error().message);
        return std::nullopt;
    }
    if (value.is_sequence() && !has_words(field.kind)) {
        context.wrong(value, key.text, text::format("needs {}, not a list", model::describe_value(field)));
        return std::nullopt;
    }
    if (value.is_mapping()) {
        context.wrong(value, key.text, text::format("needs {}, not a mapping", model::describe_value(field)));
        return std::nullopt;
    }
    if (value.is_sequence() && value.items.empty()) return DesiredField{{}, context.at(key)};
    const auto text = value.is_sequence() ? read_words(key, value, context) : context.text(value, key.text);
    if (!text) return std::nullopt;
    auto parsed = parse_plain(field, text::trim(*text));
    if (parsed) {
        Places<std::string> places;
        if (field.kind == FieldKind::qos_names) places = places_of(value, context);
        return DesiredField{without_empty_set(*std::move(parsed)), context.at(key), std::move(places)};
    }
    context.wrong(value, key.text, parsed.error().message);
    return std::nullopt;
}

} // namespace qg::spec
