# SPDX-License-Identifier: GPL-2.0-or-later
"""Each spec in contrib/examples is planned and applied, and so is one with Ansible."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.testing import CommandResult, main

from qos_cli import QosTestCase

EXAMPLES = ROOT / "contrib/examples"
ANSIBLE = ROOT / "contrib/ansible"
CHANGES = 2

PLAYBOOK = """\
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - qosgate_spec:
        path: {path}
        executable: {executable}
"""


def accounts_of(spec: Path) -> list[str]:
    """The accounts that an example's first lines name."""
    found = re.search(r"^# accounts: (.+)$", spec.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, f"{spec.name} names no accounts"
    return found.group(1).split(", ")


class SpecTestCase(QosTestCase):
    def spec(self, verb: str, *words: str, rc: int = 0) -> CommandResult:
        result = self.cluster.run([str(self.binary), "spec", verb, *words])
        self.assertEqual(result.rc, rc, str(result))
        return result

    def add_accounts(self, names: list[str]) -> None:
        for name in names:
            # An account that exists already is a failure of sacctmgr's.
            self.cluster.sacctmgr(f"add account {name}", check=False)


class Examples(SpecTestCase):
    def test_each_is_planned_and_applied_and_then_there_is_nothing_to_do_for_all(self) -> None:
        specs = sorted(EXAMPLES.glob("*.yaml"))
        self.assertEqual(len(specs), 7)
        for spec in specs:
            with self.subTest(spec.name):
                self.add_accounts(accounts_of(spec))
                self.spec("plan", str(spec), rc=CHANGES)
                self.spec("apply", "--yes", str(spec))
                self.spec("plan", str(spec))
                self.spec("drift", str(spec))
        self.spec("plan", str(EXAMPLES))


class Ansible(SpecTestCase):
    SPEC = "owner: ansible\nqos:\n  by-ansible: {Priority: 7, MaxWall: '2:00:00'}\n"

    def setUp(self) -> None:
        if shutil.which("ansible-playbook") is None:
            self.fail("ansible-core is not installed")
        self.directory = self.cluster.directory.with_name("playbook")
        self.directory.mkdir(exist_ok=True)
        self.spec_file = self.directory / "qos.yaml"
        self.spec_file.write_text(self.SPEC, encoding="utf-8")
        (self.directory / "play.yaml").write_text(
            PLAYBOOK.format(path=self.spec_file, executable=self.binary), encoding="utf-8"
        )

    def play(self, *options: str, rc: int = 0) -> CommandResult:
        env = {
            "ANSIBLE_LIBRARY": str(ANSIBLE / "library"),
            "ANSIBLE_LOCAL_TEMP": str(self.directory / "tmp"),
            "ANSIBLE_HOME": str(self.directory / "home"),
            "ANSIBLE_STDOUT_CALLBACK": "default",  # the one for JSON is no part of newer ansible-core
        }
        command = ["ansible-playbook", "-i", "localhost,", *options, str(self.directory / "play.yaml")]
        result = self.cluster.run(command, env=env)
        self.assertEqual(result.rc, rc, str(result))
        return result

    def is_changed(self, result: CommandResult) -> bool:
        recap = re.search(r"(?m)^localhost +: ok=\d+ +changed=(\d+) ", result.stdout)
        assert recap is not None, result
        return recap[1] != "0"

    def test_checks_then_changes_then_has_nothing_to_do(self) -> None:
        check = self.play("--check", "--diff")
        self.assertTrue(self.is_changed(check))
        self.assertIn("by-ansible", check.stdout)
        self.assertFalse(self.exists("by-ansible"))

        self.assertTrue(self.is_changed(self.play()))
        self.assertEqual(self.stored("by-ansible", "priority"), "7")

        self.assertFalse(self.is_changed(self.play()))

    def test_a_wrong_file_fails_with_the_place_and_changes_nothing(self) -> None:
        self.spec_file.write_text("owner: ansible\nqos:\n  wrong: {MaxWal: 5}\n", encoding="utf-8")
        failed = self.play(rc=2)
        self.assertIn("qos.yaml:3:", failed.stdout)
        self.assertIn("did you mean MaxWall", failed.stdout)
        self.assertFalse(self.exists("wrong"))


if __name__ == "__main__":
    main()
