# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate exporter, and those who read it: Prometheus and a browser."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

from qosgate_dev.cluster import processes
from qosgate_dev.cluster import users as cluster_users

from .cluster import HANG_SECONDS, Cluster
from .command import copy_command


def fetch(url: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """Status and body."""
    request = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Exporter:
    """A running `qosgate exporter` on a free loopback port."""

    def __init__(self, cluster: Cluster, *options: str, user: str = "root") -> None:
        record = cluster_users.find_user(cluster.layout, user)
        environment = cluster_users.user_environment(cluster.layout, record)
        with tempfile.NamedTemporaryFile("w", dir=cluster.directory.parent, delete=False) as log:
            self._log = Path(log.name)
            self.process = subprocess.Popen(
                [copy_command(cluster), "exporter", "--listen", "127.0.0.1:0", "--interval", "1s", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment | {processes.MARKER: str(cluster.layout.root)},
                cwd=cluster.directory,
                user=record.pw_uid,
                group=record.pw_gid,
                extra_groups=[],
            )
        cluster.wait_for(lambda: "listening on" in self.log(), "the exporter listens")
        self.url = re.findall(r"http://\S+/", self.log())[0]
        self.target = self.url.split("/")[2]

    def log(self) -> str:
        return self._log.read_text()

    def metrics(self) -> dict[str, float]:
        """The values by series, as they are written."""
        lines = fetch(f"{self.url}metrics")[1].splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {series: float(value) for series, value in pairs}

    def end(self) -> int:
        """Ends it with SIGTERM; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


class Prometheus:
    """A Prometheus that scrapes one target each second; its data goes with the cluster."""

    def __init__(self, cluster: Cluster, target: str, rules: Path) -> None:
        directory = cluster.directory.with_name("prometheus")
        directory.mkdir()
        conf = directory / "prometheus.yml"
        conf.write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{rules}]\n"
            f"scrape_configs: [{{job_name: qosgate, static_configs: [{{targets: ['{target}']}}]}}]\n"
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with (directory / "log").open("w") as log:
            self.process = subprocess.Popen(
                [
                    "prometheus",
                    f"--config.file={conf}",
                    f"--storage.tsdb.path={directory}/data",
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | {processes.MARKER: str(cluster.layout.root)},
            )

    def query(self, expression: str) -> list[dict]:
        """The series of an instant query; none while it does not answer yet."""
        try:
            status, body = fetch(f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        except OSError:
            return []
        answer = json.loads(body) if body.startswith("{") else {}
        if status == 400:
            raise AssertionError(f"{expression}: {answer['error']}")
        return answer["data"]["result"] if status == 200 else []

    def value(self, expression: str) -> float | None:
        """The value of the only series; None if there is none."""
        found = self.query(expression)
        return float(found[0]["value"][1]) if len(found) == 1 else None

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def open_page(url: str, *options: str) -> str:
    """What a browser makes of a page: its document as HTML."""
    with tempfile.TemporaryDirectory(prefix="qosgate-browser-") as profile:
        document = Path(profile) / "document"
        with document.open("w") as out:
            # To a file: what it leaves behind may keep a pipe open.
            process = subprocess.Popen(
                [
                    *("chromium", "--headless", "--no-sandbox", "--disable-gpu"),
                    *(f"--user-data-dir={profile}/profile", *options, "--dump-dom", url),
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"HOME": profile},
                start_new_session=True,
            )
            try:
                process.wait(HANG_SECONDS)
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        return document.read_text()


class Page(HTMLParser):
    """The numbers of the page, and all of its text.

    `bars` by (owner, limit, tres), `pending` by Reason, and `limited` (refused, never start, wait) by Reason.
    """

    def __init__(self, document: str) -> None:
        super().__init__()
        self.bars: dict[tuple[str, str, str], str] = {}
        self.pending: dict[str, int] = {}
        self.limited: dict[str, list[int]] = {}
        self.tags: set[str] = set()
        self.text = ""
        self._owner = ""
        self._bar: tuple[str, str, str] | None = None
        self._table = ""
        self._reason = ""
        self._is_number = False
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        members = {name: value or "" for name, value in attrs}
        self._owner = members.get("data-owner", self._owner)
        if tag == "table":
            self._table = members.get("id", "")
        self._reason = members.get("data-reason", self._reason)
        if "data-limit" in members:
            self._bar = (self._owner, members["data-limit"], members["data-tres"])
            self._reason = ""
        self._is_number = members.get("class") == "n" and tag in {"td", "div"}

    def handle_endtag(self, tag: str) -> None:
        self._is_number = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if not self._is_number:
            return
        if self._reason and self._table == "limited":
            self.limited.setdefault(self._reason, []).append(int(data))
        elif self._reason:
            self.pending[self._reason] = int(data)
        elif self._bar:
            self.bars[self._bar] = data
