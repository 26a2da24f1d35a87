// SPDX-License-Identifier: GPL-2.0-or-later
//
// lua/README.md repeats the tables of fields and settings for people; here both are held to be the same.
#include "qosgate/policy/fields.hpp"

#include "support.hpp"

#include <boost/test/unit_test.hpp>

#include <iterator>

using namespace qg;
using namespace qg::policy;
using namespace qg::policy::test;

namespace {

/// The manual's text without the marks of code.
std::string manual() {
    std::ifstream file(fs::path(QG_RULES_FOLDER).parent_path() / "README.md");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::erase(text, '`');
    return text;
}

std::string documented_type(FieldType type) {
    switch (type) {
    case FieldType::text: return "text";
    case FieldType::count: return "number";
    case FieldType::minutes: return "minutes";
    case FieldType::flag: return "boolean";
    case FieldType::tres: return "table";
    }
    return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(documentation)

BOOST_AUTO_TEST_CASE(lists_every_field_as_it_is) {
    const std::string text = manual();
    for (const FieldSpec& field : job_fields()) {
        const std::string row = text::format("| {} | {} | {}| {}", field.name, documented_type(field.type),
                                             field.write ? "yes " : "", field.description);
        BOOST_TEST(has_text(text, row), row);
    }
}

BOOST_AUTO_TEST_CASE(lists_every_setting_as_it_is) {
    const std::string text = manual();
    for (const SettingSpec& spec : setting_specs()) {
        const std::string row = text::format("| {} | {} | {} | {} |", spec.name, spec.allowed,
                                             spec.default_text, spec.description);
        BOOST_TEST(has_text(text, row), row);
    }
}

BOOST_AUTO_TEST_SUITE_END()
