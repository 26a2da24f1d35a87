# SPDX-License-Identifier: GPL-2.0-or-later
"""How temporary access ends on a live slurmdbd: what was stored before comes back, and nobody keeps more."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.testing import CommandResult, main

from qos_cli import BAD_DATA, EXISTS, OK
from spec_command_test import SpecTestCase

HELPER = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute() / "tests/cluster/helpers/apply_plan"


class AccessTestCase(SpecTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.cluster.sacctmgr("add account astro", check=False)
        self.cluster.sacctmgr("add account sub parent=astro", check=False)
        self.cluster.sacctmgr("add user ana account=sub", check=False)
        self.addCleanup(self.cluster.sacctmgr, "delete account sub")
        self.addCleanup(self.cluster.sacctmgr, "delete user ana account=sub")

    def access(self, verb: str, *words: str, rc: int = OK) -> CommandResult:
        return self.run_it("access", verb, *words, "--state", str(self.state), rc=rc)

    def access_json(self, verb: str, *words: str, rc: int = OK) -> Any:
        return json.loads(self.access(verb, *words, "--json", rc=rc).stdout)

    def grant(self, qos: str, until: str, *words: str, rc: int = OK) -> CommandResult:
        return self.access("grant", "--qos", qos, "--until", until, "--reason", "x", *words, rc=rc)

    def expire(self, *words: str) -> tuple[list[str], list[tuple[str, str, bool]]]:
        answer = self.access_json("expire", *words)
        return (
            [f"{g['qos']} {g['user'] or g['account']}" for g in answer["revoked"]],
            [(f"{g['qos']} {g['user'] or g['account']}", g["why"], g["is_forgotten"]) for g in answer["left"]],
        )

    def listed(self) -> list[str]:
        return [f"{g['qos']} {g['user'] or g['account']}" for g in self.access_json("list")["grants"]]

    def shown(self) -> Any:
        return json.loads(self.cluster.run([str(HELPER), "show"], check=True).stdout)

    def stores(self, association: str) -> str:
        """ "=a,b": a list of its own; "+a -b": differences."""
        one = self.shown()["associations"][association]
        if one["own"] is not None:
            return "=" + ",".join(one["own"])
        return " ".join([f"+{name}" for name in one["added"]] + [f"-{name}" for name in one["removed"]])

    def assert_slurmctld_knows(self, association: str) -> None:
        def is_equal() -> bool:
            shown = self.shown()
            return sorted(shown["slurmctld"][association]["qos"]) == sorted(shown["associations"][association]["qos"])

        self.cluster.wait_for(is_equal, "slurmctld knows what is stored")

    def in_account(self, *names: str) -> None:
        self.qos("create", ",".join(names))
        self.cluster.sacctmgr(f"modify account astro set qos+={','.join(names)}")
        self.addCleanup(self.cluster.sacctmgr, f"modify account astro set qos-={','.join(names)}")


class OpenGrants(AccessTestCase):
    """A grant is in the list before it is stored; the program may be ended in between."""

    def reopen(self) -> None:
        """The list as it is when the program was ended before it knew whether the grant is stored."""
        file = self.state / "grants.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertNotIn("open", lines[-1])
        file.write_text("".join(json.dumps(line | {"open": True}) + "\n" for line in lines))

    def test_what_was_not_stored_ends_nothing_later(self) -> None:
        self.qos("create", "og1")
        self.grant("og1", "1h", "--user", "ana", "--account", "sub")
        self.cluster.sacctmgr("modify user ana where account=sub set qos-=og1")
        self.reopen()

        said = self.access("expire").stderr

        self.assertIn("QOS og1 for user ana in account sub: it is not stored, so that it is taken from the list of what ends", said)
        self.assertEqual(self.listed(), [])
        self.cluster.sacctmgr("modify user ana where account=sub set qos+=og1")
        self.grant("og1", "1h", "--user", "ana", "--account", "sub", rc=EXISTS)
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=sub set qos-=og1")

    def test_what_was_stored_ends_in_time(self) -> None:
        self.qos("create", "og2")
        self.grant("og2", "1h", "--user", "ana", "--account", "sub")
        self.reopen()
        self.assertEqual(self.expire(), ([], []))
        self.assertNotIn("open", (self.state / "grants.jsonl").read_text())
        self.let_an_hour_pass()
        self.assertEqual(self.expire(), (["og2 ana"], []))
        self.assertNotIn("og2", self.stores("sub:ana"))

    def test_an_open_grant_that_is_granted_again_begins_anew(self) -> None:
        self.qos("create", "og3")
        self.grant("og3", "1h", "--user", "ana", "--account", "sub")
        self.cluster.sacctmgr("modify user ana where account=sub set qos-=og3")
        self.reopen()
        self.assertIn("granted until", self.grant("og3", "1h", "--user", "ana", "--account", "sub").stdout)
        self.let_an_hour_pass()
        self.assertEqual(self.expire(), (["og3 ana"], []))


class Restoring(AccessTestCase):
    def test_an_own_list_loses_what_the_account_has(self) -> None:
        self.in_account("ra1")
        self.cluster.sacctmgr("modify user ana where account=sub set qos=normal")
        self.grant("ra1", "1h", "--user", "ana", "--account", "sub")
        self.assertEqual(self.stores("sub:ana"), "=normal,ra1")
        self.let_an_hour_pass()

        self.assertEqual(self.expire(), (["ra1 ana"], []))
        self.assertEqual(self.stores("sub:ana"), "=normal")
        self.assert_slurmctld_knows("sub:ana")
        self.assertEqual(self.listed(), [])

    def test_what_was_removed_from_the_list_above_is_removed_again(self) -> None:
        self.in_account("rb1", "rb2")
        self.cluster.sacctmgr("modify user ana where account=sub set qos-=rb1,rb2")
        self.cluster.sacctmgr("modify account sub set qos-=rb1")
        self.grant("rb1", "1d", "--user", "ana", "--account", "sub")
        self.grant("rb1", "1d", "--account", "sub")
        self.assertEqual((self.stores("sub:ana"), self.stores("sub")), ("+rb1 -rb2", "+rb1"))
        self.grant("rb1", "2d", "--user", "ana", "--account", "sub")  # extended: what was before stays known

        for words in (("--account", "sub"), ("--user", "ana")):
            self.assertEqual(len(self.access_json("revoke", "--qos", "rb1", *words)["revoked"]), 1)
        self.assertEqual((self.stores("sub:ana"), self.stores("sub")), ("-rb1 -rb2", "-rb1"))
        self.assert_slurmctld_knows("sub:ana")

    def test_access_that_the_account_got_leaves_nothing_of_the_grant(self) -> None:
        self.qos("create", "rc1")
        self.grant("rc1", "1h", "--user", "ana", "--account", "sub")
        self.cluster.sacctmgr("modify account astro set qos+=rc1")
        self.let_an_hour_pass()

        self.assertEqual(self.expire(), ([], [("rc1 ana", "account sub may use it now", True)]))
        self.assertEqual(self.stores("sub:ana"), "")
        self.assertIn("rc1", self.shown()["associations"]["sub:ana"]["qos"])
        self.assert_slurmctld_knows("sub:ana")
        self.cluster.sacctmgr("modify account astro set qos-=rc1")
        self.assertNotIn("rc1", self.shown()["associations"]["sub:ana"]["qos"])

    def test_a_list_that_was_set_since_is_not_touched(self) -> None:
        self.qos("create", "rd1")
        self.grant("rd1", "1h", "--user", "ana", "--account", "sub")
        self.cluster.sacctmgr("modify account astro set qos+=rd1")
        self.addCleanup(self.cluster.sacctmgr, "modify account astro set qos-=rd1")
        self.cluster.sacctmgr("modify user ana where account=sub set qos=normal,rd1")
        self.let_an_hour_pass()

        self.assertEqual(self.expire(), ([], [("rd1 ana", "account sub may use it now", True)]))
        self.assertEqual(self.stores("sub:ana"), "=normal,rd1")

    def test_a_default_does_not_keep_what_the_account_loses(self) -> None:
        """slurmdbd may refuse to clear differences with a default; then the grant stays in the list."""
        self.qos("create", "re1,re2")
        self.cluster.sacctmgr("modify user ana where account=sub set qos+=re2")
        self.cluster.sacctmgr("modify user ana where account=sub set defaultqos=re2")
        self.grant("re1", "1h", "--user", "ana", "--account", "sub")
        self.cluster.sacctmgr("modify account astro set qos+=re1")
        self.let_an_hour_pass()

        self.assertEqual(self.expire(), ([], [("re1 ana", "account sub may use it now", False)]))
        self.assertEqual(self.listed(), ["re1 ana"])
        self.cluster.sacctmgr("modify account astro set qos-=re1")
        self.assertEqual(self.expire(), (["re1 ana"], []))
        self.assertNotIn("re1", self.shown()["associations"]["sub:ana"]["qos"])
        self.assertEqual(self.listed(), [])

    def test_a_list_of_before_is_still_read(self) -> None:
        self.qos("create", "rf1")
        self.grant("rf1", "1h", "--user", "ana", "--account", "sub")
        file = self.state / "grants.jsonl"
        line = json.loads(file.read_text())
        self.assertEqual(line.pop("before"), "nothing")
        file.write_text(json.dumps(line | {"before": "sth"}) + "\n")
        self.assertIn("grants.jsonl:1: it is damaged", self.access("expire", rc=BAD_DATA).stderr)
        file.write_text(json.dumps(line) + "\n")
        self.let_an_hour_pass()

        self.assertEqual(self.expire(), (["rf1 ana"], []))
        self.assertEqual(self.stores("sub:ana"), "")


class Together(AccessTestCase):
    def test_grants_to_an_account_and_its_user_end_in_one_run(self) -> None:
        self.qos("create", "tg1")
        self.grant("tg1", "1h", "--user", "ana", "--account", "sub")
        self.grant("tg1", "1h", "--account", "sub")
        self.let_an_hour_pass()

        self.assertEqual(self.expire("--dry-run"), (["tg1 sub", "tg1 ana"], []))
        self.assertEqual(self.expire(), (["tg1 sub", "tg1 ana"], []))
        self.assertEqual((self.stores("sub"), self.stores("sub:ana")), ("", ""))
        self.assert_slurmctld_knows("sub:ana")
        self.assertEqual(self.listed(), [])

    def test_who_inherits_for_a_time_gets_a_time_of_their_own(self) -> None:
        self.qos("create", "tg2")
        self.grant("tg2", "1h", "--account", "sub")
        user = ("--user", "ana", "--account", "sub")
        self.assertIn("granted until", self.grant("tg2", "1d", *user).stdout)
        self.assertEqual(self.stores("sub:ana"), "+tg2")
        self.assert_slurmctld_knows("sub:ana")
        self.let_an_hour_pass()

        self.assertEqual(self.expire(), (["tg2 sub"], []))
        self.assertIn("tg2", self.shown()["associations"]["sub:ana"]["qos"])
        self.assert_slurmctld_knows("sub:ana")
        self.assertEqual(self.listed(), ["tg2 ana"])
        self.assertEqual(len(self.access_json("revoke", "--qos", "tg2", *user)["revoked"]), 1)
        self.assertEqual(self.stores("sub:ana"), "")

    def test_who_inherits_by_no_grant_gets_none(self) -> None:
        self.in_account("tg3")
        refused = self.grant("tg3", "1d", "--user", "ana", "--account", "sub", rc=EXISTS)
        self.assertIn("it may be used already, and no grant in this list ends that", refused.stderr)
        self.assertEqual((self.stores("sub:ana"), self.listed()), ("", []))


class OwnDefaults(AccessTestCase):
    """Users set their default QOS themselves; it must not keep what ends."""

    def make_default(self, qos: str) -> None:
        self.cluster.run(["sacctmgr", "-i", "modify", "user", "ana", "set", f"defaultqos={qos}"], "ana", check=True)
        self.assertEqual(self.shown()["associations"]["sub:ana"]["own_default"], qos)

    def own_default(self) -> str | None:
        return self.shown()["associations"]["sub:ana"]["own_default"]

    def defaults(self, *words: str) -> list[tuple[str, str | None]]:
        return [(one["user"], one["qos"]) for one in self.access_json("expire", *words)["defaults"]]

    def test_a_user_gets_the_default_of_the_account(self) -> None:
        self.qos("create", "od1")
        self.grant("od1", "1h", "--user", "ana", "--account", "sub")
        self.make_default("od1")
        self.let_an_hour_pass()

        self.assertEqual(self.defaults("--dry-run"), [("ana", None)])
        self.assertEqual(self.own_default(), "od1")
        told = self.access("expire").stdout
        self.assertIn("QOS od1 for user ana in account sub: revoked\n", told)
        self.assertIn("Default QOS of user ana in account sub: is now that of the account", told)
        self.assertEqual((self.stores("sub:ana"), self.own_default(), self.listed()), ("", None, []))
        self.assert_slurmctld_knows("sub:ana")

    def test_a_user_below_the_account_gets_another_if_that_of_the_account_cannot_be_used(self) -> None:
        self.qos("create", "od2")
        self.in_account("od3")
        self.cluster.sacctmgr("modify account sub set defaultqos=od3")
        self.addCleanup(self.cluster.sacctmgr, "modify account sub set defaultqos=-1")
        self.make_default("normal")
        self.cluster.sacctmgr("modify user ana where account=sub set qos-=od3")
        self.grant("od2", "1h", "--account", "sub")
        self.make_default("od2")
        self.let_an_hour_pass()

        self.assertEqual(self.defaults(), [("ana", "normal")])
        self.assertEqual((self.own_default(), self.stores("sub"), self.listed()), ("normal", "", []))
        self.assert_slurmctld_knows("sub:ana")

    def test_another_default_stays(self) -> None:
        self.qos("create", "od4")
        self.grant("od4", "1h", "--user", "ana", "--account", "sub")
        self.make_default("normal")
        self.let_an_hour_pass()

        self.assertEqual(self.defaults(), [])
        self.assertEqual((self.own_default(), self.stores("sub:ana")), ("normal", ""))


class Specs(AccessTestCase):
    """With a /var/lib of their own, because the list of root is the machine's, and units of systemd of their own."""

    def setUp(self) -> None:
        super().setUp()
        self.units = self.state / "units"
        self.wants = self.units / "timers.target.wants"
        self.wants.mkdir(parents=True)

    def at_home(self, *words: str, rc: int = OK) -> CommandResult:
        mount = f'mount --bind {self.state} /var/lib && mount --bind {self.units} /etc/systemd/system && exec "$@"'
        return self.run_command("unshare", "-m", "sh", "-c", mount, "sh", str(self.binary), *words, rc=rc)

    def run_command(self, *words: str, rc: int = OK) -> CommandResult:
        result = self.cluster.run(list(words))
        self.assertEqual(result.rc, rc, str(result))
        return result

    def listed_at_home(self) -> list[str]:
        return [g["qos"] for g in json.loads(self.at_home("access", "list", "--json").stdout)["grants"]]

    def test_a_grant_that_the_timer_does_not_end_is_warned_of(self) -> None:
        self.qos("create", "sz1")
        words = ("access", "grant", "--qos", "sz1", "--user", "ana", "--account", "sub", "--reason", "x", "--until")
        for state in ((), ("--state", "/var/lib/qosgate/")):
            told = self.at_home(*words, "1d", *state, "--dry-run").stderr
            self.assertIn("nothing on this host ends this, because qosgate-access-expire.timer is not enabled", told)
            self.assertIn("systemctl enable --now qosgate-access-expire.timer", told)
        # As systemctl enables it: the link may be all that is seen here.
        (self.wants / "qosgate-access-expire.timer").symlink_to("/lib/systemd/system/qosgate-access-expire.timer")
        self.assertEqual(self.at_home(*words, "1d", "--dry-run").stderr, "")
        self.assertEqual(self.at_home(*words, "1d", "--state", "/var/lib/qosgate/", "--dry-run").stderr, "")
        elsewhere = self.at_home(*words, "1d", "--state", "/var/lib/a b", "--dry-run").stderr
        self.assertIn("qosgate-access-expire.timer does not end this: it is kept in /var/lib/a b/grants.jsonl", elsewhere)
        self.assertIn("this ends it, run by root: qosgate access expire --state '/var/lib/a b'\n", elsewhere)

        self.cluster.sacctmgr("modify user ana set adminlevel=administrator")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana set adminlevel=none")
        home = self.cluster.directory.with_name("home-of-ana")
        home.mkdir()
        os.chown(home, cluster_users.find_user(self.cluster.layout, "ana").pw_uid, -1)
        environment = {"XDG_STATE_HOME": str(home)}
        told = self.cluster.run([str(self.binary), *words, "1d", "--dry-run"], "ana", env=environment).stderr
        self.assertIn(f"does not end this: it is kept in {home}/qosgate/grants.jsonl", told)
        self.assertIn("this ends it, run by ana: qosgate access expire\n", told)

    def test_an_export_leaves_temporary_access_out(self) -> None:
        self.in_account("sx1", "sx2")
        for qos in ("sx1", "sx2"):
            self.cluster.sacctmgr(f"modify user ana where account=sub set qos-={qos}")
        self.cluster.sacctmgr("modify account sub set qos-=sx1")
        words = ("--until", "1d", "--reason", "x", "--account", "sub")
        self.at_home("access", "grant", "--qos", "sx1", *words)
        self.at_home("access", "grant", "--qos", "sx2", *words, "--user", "ana")

        exported = self.at_home("spec", "export", "sx1", "--owner", "base")
        self.assertIn("accounts: [astro]", exported.stdout)
        self.assertNotIn("sub", exported.stdout)
        self.assertIn("QOS sx1 for account sub is left out: it ends at ", exported.stderr)
        self.assertNotIn("sx2", exported.stderr)
        self.at_home("spec", "apply", self.write("x.yaml", exported.stdout), "--yes")
        self.assertEqual(self.listed_at_home(), ["sx1", "sx2"])
        self.assertIn("sub", self.spec("export", "sx1", "--owner", "base").stdout)  # no grants there

    def test_a_plan_and_an_apply_tell_what_has_no_end_any_more(self) -> None:
        self.qos("create", "sy1")
        self.at_home("access", "grant", "--qos", "sy1", "--until", "1d", "--reason", "x", "--account", "sub")
        other = self.write("o.yaml", "owner: base\nqos: {sy1: {access: {accounts: [astro]}}}\n")
        file = self.write("a.yaml", "owner: base\nqos: {sy1: {access: {accounts: [sub]}}}\n")
        history = ("--history", self.history)
        told = "QOS sy1 for account sub: granted until "

        self.assertNotIn(told, self.at_home("spec", "plan", other, rc=2).stdout)
        self.assertIn(told, self.at_home("spec", "plan", file, rc=2).stdout)
        dry = json.loads(self.at_home("spec", "apply", file, "--dry-run", "--json", *history).stdout)
        self.assertEqual([g["qos"] for g in dry["made_permanent"]], ["sy1"])
        self.assertEqual(self.listed_at_home(), ["sy1"])
        done = self.at_home("spec", "apply", file, "--yes", "--json", *history)
        self.assertEqual([g["account"] for g in json.loads(done.stdout)["made_permanent"]], ["sub"])
        self.assertIn(told, done.stderr)
        self.assertEqual(self.listed_at_home(), [])
        again = self.at_home("spec", "apply", file, "--yes", "--json", *history)
        self.assertEqual((json.loads(again.stdout)["made_permanent"], again.stderr), ([], ""))

    def spec_for(self, qos: str, access: str) -> str:
        return self.write(f"{qos}.yaml", f"owner: base\nqos: {{{qos}: {{access: {access}}}}}\n")

    def at_home_with_history(self, *words: str, rc: int = OK) -> CommandResult:
        return self.at_home("spec", *words, "--history", self.history, rc=rc)

    def test_a_rollback_gives_the_end_back(self) -> None:
        self.qos("create", "rz1")
        self.at_home_with_history("apply", self.spec_for("rz1", "{accounts: []}"), "--yes")
        named = self.spec_for("rz1", "{accounts: [sub]}")
        self.at_home("access", "grant", "--qos", "rz1", "--until", "1d", "--reason", "x", "--account", "sub")
        planned = self.at_home("spec", "plan", named, rc=2).stdout
        self.assertIn("Makes temporary access permanent 1 time.", planned)
        self.assertNotIn("Nothing to change", planned)
        asked = self.at_home_with_history("apply", named, rc=BAD_DATA).stderr
        self.assertIn("add --yes", asked)
        self.assertEqual(self.listed_at_home(), ["rz1"])

        said = self.at_home_with_history("apply", named, "--yes").stdout
        self.assertIn("'qosgate spec rollback 2' undoes it", said)
        self.assertEqual(self.listed_at_home(), [])
        self.assertIn("would get its end again", self.at_home_with_history("rollback", "--dry-run").stdout)
        undone = self.at_home_with_history("rollback", "--yes")

        self.assertIn("QOS rz1 for account sub: it is temporary again, until ", undone.stderr)
        self.assertEqual(self.listed_at_home(), ["rz1"])
        self.at_home_with_history("rollback", "--yes")
        self.assertEqual(self.listed_at_home(), [])

    def test_a_rollback_does_not_bring_back_what_has_ended(self) -> None:
        for qos, access in (("rk1", "{complete: true}"), ("rk2", "")):
            with self.subTest(qos):
                self.qos("create", qos)
                if access:
                    file = self.spec_for(qos, access)
                else:
                    owned = self.write("owned.yaml", f"owner: {qos}\nqos: {{{qos}-x: {{}}}}\n")
                    self.at_home_with_history("apply", owned, "--yes")
                    self.qos("delete", qos)
                    qos = f"{qos}-x"
                    file = self.write("none.yaml", f"owner: {qos[:3]}\nprune: true\nqos: {{}}\n")
                words = ("--until", "1s", "--reason", "x", "--user", "ana", "--account", "sub")
                self.at_home("access", "grant", "--qos", qos, *words)
                self.at_home_with_history("apply", file, "--yes", *(() if access else ("--prune",)))
                entry = max(Path(self.history).glob("*.json")).read_text()  # which cannot be changed: it has a checksum
                end = int(re.search(r'until\\?": ?(\d+)', entry)[1])
                self.cluster.wait_for(lambda: time.time() >= end, "its time is over")
                self.at_home("access", "expire")
                self.assertEqual(self.listed_at_home(), [])

                undone = self.at_home_with_history("rollback", "--yes")

                self.assertIn(f"QOS {qos} for user ana in account sub: revoked again, because its time is over", undone.stderr)
                self.assertEqual(self.listed_at_home(), [])
                self.assertNotIn(qos, self.stores("sub:ana"))
                self.assert_slurmctld_knows("sub:ana")

    def test_a_rollback_that_cannot_write_the_list_changes_nothing(self) -> None:
        self.qos("create", "rw1")
        self.at_home("access", "grant", "--qos", "rw1", "--until", "1d", "--reason", "x", "--account", "sub")
        self.at_home_with_history("apply", self.spec_for("rw1", "{accounts: [sub]}"), "--yes")
        grants = self.state / "qosgate" / "grants.jsonl"
        grants.write_text("junk\n")

        refused = self.at_home_with_history("rollback", "--yes", rc=BAD_DATA)

        self.assertIn("grants.jsonl:1: it is damaged", refused.stderr)
        self.assertIn("[qosgate:base", self.mark_of("rw1"))
        grants.write_text("")
        self.at_home_with_history("rollback", "--yes")
        self.assertEqual(self.listed_at_home(), ["rw1"])
        self.assertNotIn("open", grants.read_text())

    def test_what_an_apply_took_away_ends_nothing_later(self) -> None:
        self.qos("create", "rl1")
        self.at_home("access", "grant", "--qos", "rl1", "--until", "1d", "--reason", "x", "--account", "sub")
        self.at_home_with_history("apply", self.spec_for("rl1", "{complete: true}"), "--yes")
        self.assertEqual(self.listed_at_home(), [])
        self.at_home_with_history("rollback", "--yes")
        self.assertEqual(self.listed_at_home(), ["rl1"])

    def test_a_rollback_makes_permanent_what_was_permanent(self) -> None:
        self.qos("create", "rp1")
        self.cluster.sacctmgr("modify user ana where account=sub set qos+=rp1")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=sub set qos-=rp1")
        self.at_home_with_history("apply", self.spec_for("rp1", "{complete: true}"), "--yes")
        self.at_home("access", "grant", "--qos", "rp1", "--until", "1d", "--reason", "x", "--user", "ana", "--account", "sub")

        said = self.at_home_with_history("rollback", "--yes")

        self.assertIn("it has no end any more", said.stdout + said.stderr)
        self.assertEqual(self.listed_at_home(), [])
        self.assertIn("rp1", self.stores("sub:ana"))

    def test_who_may_still_use_it_is_told(self) -> None:
        self.qos("create", "st1")
        self.grant("st1", "1h", "--account", "sub")
        self.cluster.sacctmgr("modify user ana where account=sub set qos+=st1")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=sub set qos-=st1")
        self.let_an_hour_pass()

        said = self.access("expire").stderr

        self.assertIn("QOS st1 for account sub: these below may still use it, because it was granted to them apart: user ana in sub", said)

    def test_who_loses_all_is_told(self) -> None:
        self.qos("create", "la1,la2")
        self.cluster.sacctmgr("modify user ana where account=sub set qos=la2")
        self.grant("la1", "1h", "--user", "ana", "--account", "sub")
        self.cluster.sacctmgr("modify user ana where account=sub set qos-=la2")
        self.let_an_hour_pass()

        said = self.access("expire").stderr

        self.assertIn("user ana in account sub may use no QOS any more, and Slurm stores no empty list", said)
        self.cluster.sacctmgr("modify user ana where account=sub set qos=")

    def test_a_user_who_changes_their_default_all_the_time_holds_up_nobody(self) -> None:
        self.qos("create", "hu1")
        self.cluster.sacctmgr("add user bob account=sub")
        self.addCleanup(self.cluster.sacctmgr, "delete user bob account=sub")
        for user in ("ana", "bob"):
            self.grant("hu1", "1h", "--user", user, "--account", "sub")
        loop = (
            "while :; do for qos in hu1 normal; do"
            " sacctmgr -iQ modify user ana where account=sub set defaultqos=$qos >/dev/null 2>&1; done; done"
        )
        process = self.start_program("sh", "-c", loop)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.let_an_hour_pass()
        left = {"ana", "bob"}
        for _ in range(5):
            result = self.cluster.run([str(self.binary), "access", "expire", "--state", str(self.state)])
            self.assertEqual(result.rc, 0, str(result))
            left -= {user for user in ("ana", "bob") if f"user {user} in account sub: revoked" in result.stdout}
            self.assertNotIn("bob", left, result)
        process.kill()


if __name__ == "__main__":
    main()
