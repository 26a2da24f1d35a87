# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules that ask for Linux groups: with 20,000 users of accounting, and with a directory service that hangs."""

from __future__ import annotations

import json
import os
import re
import time

from qosgate_dev.testing import CommandResult, build_root, copy_program, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

HELPERS = build_root() / "tests" / "cluster" / "helpers"
LAB_ONLY = """\
rule { submit = function(job, view) if not view.user.in_group("lab") then job:reject("lab only") end end }
"""
REFUSES = """\
rule { submit = function(job) job:reject("lab only") end }
"""


class DirectoryCase(PluginTestCase):
    def users_in_status(self) -> dict:
        state = json.loads((self.cluster.layout.controller_state / "qosgate_status.json").read_text())
        return state["users"] or {}

    def seconds_of_silence(self) -> int:
        found = re.fullmatch(r"the directory service has not answered for (\d+) seconds", self.users_in_status()["error"])
        self.assertIsNotNone(found, self.users_in_status())
        return int(found[1])

    def submit_as(self, user: str) -> CommandResult:
        return self.cluster.run(["sbatch", "--hold", "--wrap=true"], user)

    def wait_for_answer(self, user: str, accepted: bool, text: str) -> None:
        answers: list[CommandResult] = []

        def is_given() -> bool:
            answers.append(self.submit_as(user))
            return (answers[-1].rc == 0) == accepted and text in answers[-1].stderr

        self.cluster.wait_for(is_given, f"{user}: {text}", otherwise=lambda: str(answers[-1]))


class HangingDirectory(DirectoryCase):
    # The users of a private cluster come by LD_PRELOAD, too.
    options = (
        "--wrap-slurmctld",
        f"""sh -c 'LD_PRELOAD="{HELPERS}/hanging_directory.so $LD_PRELOAD" exec "$@"' sh""",
    )

    def test_submissions_go_on_and_users_who_are_not_known_are_refused(self) -> None:
        self.expected_errors += ["are not read yet", "the directory service has not answered for"]
        group = self.cluster.layout.group
        group.write_text(group.read_text() + f"lab:x:70001:{USER},ben\n")
        self.put_in_force({"10-lab.lua": LAB_ONLY})
        self.wait_for_answer(USER, True, "")
        usual = self.cluster.time_of(*[lambda: self.submit_as(USER)] * 10)
        mark = len(self.cluster.log("slurmctld"))
        hangs = self.cluster.layout.passwd.parent / "hangs"
        hangs.touch()
        try:
            refused: list[CommandResult] = []
            accepted: list[CommandResult] = []
            for answers, user in ((refused, "ben"), (accepted, USER)):
                took = self.cluster.time_of(*[lambda a=answers, u=user: a.append(self.submit_as(u))] * 10)
                self.assertLess(sum(took), 4 * sum(usual) + 4, "no submission waits")
            self.assertEqual([answer.rc for answer in accepted], [0] * 10, accepted)
            self.assertNotIn(0, [answer.rc for answer in refused], refused)
            self.wait_for_answer("ben", False, "")
            self.expect_logged_error("users: the directory service has not answered for")
            silent = self.seconds_of_silence()
            self.cluster.wait_for(lambda: self.seconds_of_silence() >= silent + 5, "the status says that it goes on")
            self.submit_as("ben")
            log = self.cluster.log("slurmctld")[mark:]
            self.assertEqual(log.count("users: the directory service has not answered for"), 1)
            self.assertRegex(log, r"not read yet; submit .* \(the directory service has not answered for \d+ seconds\)")
            self.wait_for_answer(USER, True, "")
        finally:
            hangs.unlink()
        self.wait_for_answer("ben", False, "no default account")  # the rule lets him pass
        self.cluster.wait_for(
            lambda: "users: the directory service answers again" in self.cluster.log("slurmctld")[mark:], "it is told"
        )
        self.assertIsNone(self.users_in_status()["error"])

    def test_slurmctld_ends_while_it_hangs(self) -> None:
        self.expected_errors += ["are not read yet", "the directory service has not answered for"]
        self.put_in_force({"10-lab.lua": LAB_ONLY})
        hangs = self.cluster.layout.passwd.parent / "hangs"
        self.wait_for_answer(USER, False, "")
        hangs.touch()
        try:
            self.submit_as("ben")
            self.cluster.stop("slurmctld")  # which is not late
        finally:
            hangs.unlink()
            (self.directory / "10-lab.lua").unlink()
            self.cluster.start("slurmctld")
        self.wait_for_answer(USER, True, "")


class ManyUsers(DirectoryCase):
    # The table has 20,000. slurmdbd takes three minutes to add so many, so by default there are fewer, and no rates.
    MEASURES = "QG_DIRECTORY_USERS" in os.environ
    COUNT = int(os.environ.get("QG_DIRECTORY_USERS", "1000"))

    def answers_per_second(self, seconds: int = 4) -> float:
        """Of one client that submits refused jobs, one after the other."""
        program = copy_program(self.cluster, "tests/cluster/helpers/submit_loop")
        result = self.cluster.run([program, str(seconds), "job"], USER, check=True)
        codes = re.findall(r"^answer job \S+ (-?\d+)", result.stderr, re.MULTILINE)
        self.assertNotIn("0", codes)
        return (len(codes) - codes.count("-1")) / seconds  # -1: no answer

    def test_all_are_known_and_no_submission_is_slower(self) -> None:
        self.expected_errors.append("are not read yet")
        names = [f"u{i:05}" for i in range(self.COUNT)]
        passwd, group = self.cluster.layout.passwd, self.cluster.layout.group
        lines = [f"{name}:x:{100_000 + i}:100:{name}:/home/{name}:/bin/sh\n" for i, name in enumerate(names)]
        passwd.write_text(passwd.read_text() + "".join(lines))
        labs = [f"lab{i}:x:{80_000 + i}:{','.join(names[i::100])}\n" for i in range(100)]
        group.write_text(group.read_text() + "".join(labs))
        for begin in range(0, self.COUNT, 2000):
            users = ",".join(names[begin : begin + 2000])
            added = self.cluster.run(f"sacctmgr -i -Q add user {users} account=astro")
            self.assertEqual(added.rc, 0, added.stderr)
        self.put_in_force({"10-lab.lua": REFUSES})
        self.wait_for_answer(USER, False, "lab only")
        rate_before = self.answers_per_second()
        bytes_before = self.resident_bytes()

        began = time.monotonic()
        self.put_in_force({"10-lab.lua": LAB_ONLY})
        self.wait_for_answer(USER, False, "lab only")
        rate_during = self.answers_per_second()
        known_then = self.users_in_status()["count"]
        self.cluster.wait_for(
            lambda: self.users_in_status()["count"] >= self.COUNT and self.users_in_status()["read_at"],
            "all users are known",
            progress=lambda: self.users_in_status()["count"],
            otherwise=lambda: str(self.users_in_status()),
        )
        took = time.monotonic() - began
        grown = self.resident_bytes() - bytes_before
        rate_after = self.answers_per_second()
        print(
            f"{self.COUNT} users: {took:.0f} s, {grown / 2**20:.1f} MiB, answers/s before {rate_before:.0f},"
            f" during {rate_during:.0f} ({known_then} known), after {rate_after:.0f}"
        )
        self.assertLess(grown, 150 * 2**20)
        if not self.MEASURES:
            return
        self.assertLess(known_then, self.COUNT, "the users were still read while jobs were submitted")
        # With 20,000 users they were equal; other programs run beside the test.
        self.assertGreater(rate_during, rate_before / 2)
        self.assertGreater(rate_after, rate_before / 2)


if __name__ == "__main__":
    main()
