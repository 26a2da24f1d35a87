#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What contrib/dev/differential prints while it runs, and when it is stopped. Needs no cluster."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import unittest
from typing import Any
from unittest import mock

from qosgate_dev.differential import __main__ as tool
from qosgate_dev.differential import run

SCENARIO = {
    "controller": {"EnforcePartLimits": "NO"},
    "full": False,
    "partitions": {},
    "jobs": [{"client": "sbatch", "priority": 0}] * 2,
}


def answer(said: str = "") -> dict[str, Any]:
    """An accepted, held job. Any message about it is wrong."""
    return {
        "foretold": {
            "error": 0, "message": [said] if said else [], "advice": [], "refusal": "", "time_limit": 60,
            "pending": "", "attempts": [""], "depends_on_nodes": False,
        },
        "actual": {
            "error": 0, "message": said, "state": "PENDING", "pending": "JobHeldUser", "time_limit": 60,
            "partition": "main", "qos": "normal",
        },
    }  # fmt: skip


GOOD = answer()
BAD = answer("there is no QOS 'nosuch'")


class FakeJudge:
    """Invented answers, one list for each configuration; a number is a signal that arrives then."""

    def __init__(self, *turns: object) -> None:
        self._turns = list(turns)

    def __call__(self, *_: object) -> FakeJudge:
        return self

    def __enter__(self) -> FakeJudge:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def judge(self, _scenario: object) -> Any:
        turn = self._turns.pop(0)
        if isinstance(turn, int):
            os.kill(os.getpid(), turn)
        return turn


class Progress(unittest.TestCase):
    def setUp(self) -> None:
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.addCleanup(signal.signal, signum, signal.getsignal(signum))

    def run_tool(self, *turns: object, options: tuple[str, ...] = ()) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        out, err = io.StringIO(), io.StringIO()
        prover = mock.Mock()
        prover.return_value.prove.return_value = [[], []]
        commands = mock.Mock()
        commands.return_value.ask.return_value = [[], []]
        with (
            mock.patch("sys.argv", ["differential", "--cases", "6", "--jobs", "2", "--seed", "1", *options]),
            mock.patch.object(run, "release_of", return_value=(22, 5)),
            mock.patch.object(tool.generate, "scenarios", return_value=[SCENARIO] * 3),
            mock.patch.object(run.site, "bring_up", return_value=contextlib.nullcontext()),
            mock.patch.object(run, "Judge", FakeJudge(*turns)),
            mock.patch.object(run, "Prover", prover),
            mock.patch.object(run, "UserCommands", commands),
            mock.patch.object(run, "Terminal"),
            mock.patch.object(run, "copy_command"),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = tool.main()
        return code, out.getvalue(), err.getvalue()

    def test_tells_what_was_asked_so_far(self) -> None:
        code, out, err = self.run_tool([GOOD, GOOD], [GOOD, BAD], [GOOD, GOOD])

        self.assertEqual(code, 1)
        self.assertRegex(err, r"(?m)^2 cases asked, 0 disagree \(\d+ s\)\n4 cases asked, 1 disagree ")
        self.assertIn("6 cases asked, 1 disagree", err)
        self.assertNotIn("PARTIAL", out)
        self.assertIn("6 cases, 6 compared, 1 disagree", out)

    def test_a_signal_ends_it_with_the_table_so_far(self) -> None:
        for signum, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
            with self.subTest(name):
                code, out, _ = self.run_tool([GOOD, GOOD], int(signum))

                self.assertEqual(code, 128 + signum)
                self.assertEqual(
                    out.splitlines()[0], f"PARTIAL: stopped by {name} before all was asked"
                )
                self.assertIn("2 cases, 2 compared, 0 disagree", out)

    def test_a_record_says_that_it_is_partial(self) -> None:
        for turns, is_partial in (([[GOOD, GOOD]] * 3, False), ([[GOOD, GOOD], int(signal.SIGTERM)], True)):
            _, out, _ = self.run_tool(*turns, options=("--json",))

            self.assertEqual(json.loads(out)["partial"], is_partial)


if __name__ == "__main__":
    unittest.main(verbosity=2)
