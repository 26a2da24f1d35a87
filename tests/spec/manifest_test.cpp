// SPDX-License-Identifier: GPL-2.0-or-later
#include "load_setup.hpp"

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

std::string manifest(std::string_view config, std::string_view metadata = "{name: Scavenger}") {
    return text::format("apiVersion: slinky.slurm.net/v1beta1\nkind: SlurmQos\nmetadata: {}\nspec:\n"
                        "  controllerRef: {{name: slurm}}\n  description: preemptible\n  config: {}\n",
                        metadata, config);
}

std::string read(std::string_view config) {
    return show(only_qos(manifest(config)));
}

std::string wrong(std::string_view config) {
    return problems_in(manifest(config));
}

std::string_view example_of(model::FieldKind kind) {
    using model::FieldKind;
    switch (kind) {
    case FieldKind::number:
    case FieldKind::duration:
    case FieldKind::factor: return "7";
    case FieldKind::tres: return "[{type: cpu, count: 3}]";
    case FieldKind::flags: return "[NoDecay]";
    case FieldKind::preempt_mode: return "[CANCEL]";
    case FieldKind::qos_names: return "[low]";
    case FieldKind::name:
    case FieldKind::text: break;
    }
    return "text";
}

/// The only field of a manifest that has a value at the path.
std::string field_at(std::string_view path, std::string_view value) {
    std::string config(value);
    const auto keys = text::split(path, '/');
    for (auto key = keys.rbegin(); key != keys.rend(); ++key)
        config = text::format("{{{}: {}}}", *key, config);
    const DesiredQos qos = only_qos(text::format(
        "apiVersion: v1\nkind: SlurmQos\nmetadata: {{name: q}}\nspec: {{config: {}}}\n", config));
    BOOST_TEST_REQUIRE(qos.fields.size() == 1u);
    return std::string(qos.fields.begin()->first->name);
}

} // namespace

BOOST_AUTO_TEST_SUITE(load_manifests)

BOOST_AUTO_TEST_CASE(a_manifest_is_a_qos) {
    const DesiredQos qos = only_qos(manifest(R"({flags: [DENY_LIMIT, OVERRIDE_PARTITION_QOS],
    priority: {set: true, infinite: false, number: 100}, preempt: {list: [low], mode: [REQUEUE]}})"));
    BOOST_TEST(qos.name == "scavenger");
    BOOST_TEST(qos.owner == "slurm-operator");
    BOOST_TEST(show(qos) == "Description=preemptible Priority=100 Flags=DenyOnLimit,OverPartQOS Preempt=low "
                            "PreemptMode=REQUEUE");
    BOOST_TEST(!qos.is_complete);
}

BOOST_AUTO_TEST_CASE(each_field_is_read_at_the_path_of_slurmrestd) {
    for (const model::QosField& field : model::qos_fields())
        if (field.kind != model::FieldKind::name)
            BOOST_TEST(field_at(field.places.rest_path, example_of(field.kind)) == field.name);
}

BOOST_AUTO_TEST_CASE(numbers_are_in_the_units_that_slurm_stores) {
    BOOST_TEST(
        read("{limits: {grace_time: 60, max: {wall_clock: {per: {job: {set: true, number: 90}, qos: 60}}}}, "
             "preempt: {exempt_time: {number: 60}}}") ==
        "Description=preemptible MaxWall=01:30:00 GrpWall=01:00:00 PreemptExemptTime=00:01:00 "
        "GraceTime=00:01:00");
    BOOST_TEST(read("{limits: {max: {tres: {per: {user: [{type: gres, name: gpu, count: 4}, "
                    "{type: mem, count: 1024, id: 2}]}}}}}") ==
               "Description=preemptible MaxTRESPerUser=mem=1G,gres/gpu=4");
    BOOST_TEST(read("{usage_factor: {set: true, number: 0.5}}") == "Description=preemptible UsageFactor=0.5");
}

BOOST_AUTO_TEST_CASE(infinite_clears_and_not_set_leaves) {
    BOOST_TEST(read("{limits: {max: {active_jobs: {count: {set: false, infinite: true, number: 0}}}}}") ==
               "Description=preemptible GrpJobs=unset");
    BOOST_TEST(read("{limits: {max: {active_jobs: {count: {set: false, infinite: false, number: 0}}}}}") ==
               "Description=preemptible");
    BOOST_TEST(read("{limits: {max: {active_jobs: {count: {set: true, number: 0}}}}}") ==
               "Description=preemptible GrpJobs=0");
    BOOST_TEST(read("{limits: {max: {tres: {total: []}}}}") == "Description=preemptible GrpTRES=");
    BOOST_TEST(read("{limits: {max: {tres: {total: [{type: cpu, count: -1}]}}}}") ==
               "Description=preemptible GrpTRES=cpu=unset");
    BOOST_TEST(read("{preempt: {mode: [DISABLED]}}") == "Description=preemptible PreemptMode=unset");
}

BOOST_AUTO_TEST_CASE(what_has_no_counterpart_is_a_problem_with_its_place) {
    BOOST_TEST(wrong("{limits: {max: {wall: 5}}}") ==
               "a.yaml:7:27: limits/max/wall: a QOS has no such field in slurmrestd's API\n");
    BOOST_TEST(contains(wrong("{priorty: 5}"), "did you mean priority?"));
    BOOST_TEST(contains(wrong("{id: 5}"), "id: a QOS has no such field"));
    BOOST_TEST(contains(wrong("{priority: {set: true}}"), "has no number"));
    BOOST_TEST(contains(wrong("{priority: {number: x}}"), "is not a whole number"));
    BOOST_TEST(contains(wrong("{priority: {nr: 5}}"), "a number has set, infinite and number"));
    BOOST_TEST(contains(wrong("{limits: 5}"), "needs a mapping, not a text"));
    BOOST_TEST(contains(wrong("{flags: [DENY]}"), "allowed: DenyOnLimit"));
    BOOST_TEST(
        contains(wrong("{limits: {max: {tres: {total: [{type: cpu}]}}}}"), "needs a type and a count"));
    BOOST_TEST(contains(wrong("{limits: {max: {tres: {total: {cpu: 5}}}}}"), "needs a list"));
    BOOST_TEST(contains(wrong("{limits: {max: {tres: {total: [{type: cpu, count: 1G}]}}}}"),
                        "is not a whole number"));
    BOOST_TEST(contains(wrong("5"), "needs a mapping with fields of slurmrestd"));
    BOOST_TEST(contains(wrong("{description: other}"), "Description is given twice"));
}

BOOST_AUTO_TEST_CASE(the_name_and_the_owner) {
    BOOST_TEST(only_qos(manifest("{}", "{name: a, labels: {qosgate/owner: site}}")).owner == "site");
    BOOST_TEST(only_qos(manifest("{}", "{name: a, annotations: {qosgate/owner: site}}")).owner == "site");
    BOOST_TEST(
        contains(problems_in(manifest("{}", "{name: a, labels: {qosgate/owner: Site}}")), "an owner is"));
    BOOST_TEST(contains(problems_in(manifest("{}", "{}")), "metadata: needs the name of the QOS"));
    BOOST_TEST(contains(problems_in(manifest("{name: other}")),
                        "config.name: the name is 'scavenger' in other places"));
    BOOST_TEST(problems_in(manifest("{name: scavenger}")) == "");
}

BOOST_AUTO_TEST_CASE(documents_and_lists_of_manifests) {
    const auto all = qos_in(manifest("{}", "{name: a}") + "---\n" + manifest("{}", "{name: b}") +
                            "---\nowner: base\nqos: {c: {}}\n");
    BOOST_TEST(all.size() == 3u);
    const std::string item = "{apiVersion: x, kind: SlurmQos, metadata: {name: NAME}, spec: {config: {}}}";
    BOOST_TEST(only_qos("apiVersion: v1\nkind: List\nitems: [" + item + "]\n").name == "name");
    BOOST_TEST(
        contains(problems_in("apiVersion: v1\nkind: Pod\n"), "a.yaml:2:7: kind: only SlurmQos is read"));
    BOOST_TEST(contains(problems_in("apiVersion: v1\nkind: List\n"), "items: needs a list"));
    BOOST_TEST(contains(problems_in("apiVersion: v1\nkind: SlurmQos\nmetadata: {name: a}\nspc: {}\n"),
                        "did you mean spec?"));
}

BOOST_AUTO_TEST_SUITE_END()
