"""ks.profile and pictures of runs: what they show is what ran."""

import html.parser
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

import numpy as np
import pytest

import kasoku as ks
from kasoku import delayed


def sleeps(seconds, *before):
    time.sleep(seconds)
    return seconds


def test_a_profile_has_tasks_launches_copies_and_compilations():
    text = f'extern "C" __global__ void twice(double *x) {{ x[blockIdx.x] *= 2 + 0 * {time.time_ns()}LL; }}'
    with ks.profile() as seen:
        x = ks.array(np.ones(8))
        ks.RawKernel(text, "twice")((8,), (1,), (x,))
        assert ks.compute(delayed(sleeps)(0.02)) == (0.02,)
        y = x.copy().numpy()
    assert y.tolist() == [2.0] * 8
    names = {(event.kind, event.name) for event in seen.events}
    assert ("task", "sleeps") in names and ("launch", "twice") in names
    assert {"compile", "copy"} <= {event.kind for event in seen.events}
    (task,) = (event for event in seen.events if event.kind == "task")
    assert 0.02 <= task.end - task.begin < 5 and task.begin >= 0
    assert "sleeps" in str(seen) and any(event.bytes for event in seen.events if event.kind == "copy")


def test_a_profile_of_a_graph_has_each_task_once_and_within_its_thread_one_after_the_other():
    with ks.profile() as seen:
        parts = [delayed(sleeps)(0.001) for _ in range(40)]
        ks.compute(delayed(sum)(parts), workers=4)
    tasks = [event for event in seen.events if event.kind == "task"]
    assert len(tasks) == 41 and sorted(event.name for event in tasks)[-1] == "sum"
    for thread in {event.thread for event in tasks}:
        own = [event for event in tasks if event.thread == thread]
        assert all(before.end <= after.begin + 1e-9 for before, after in zip(own, own[1:]))
    last = tasks[-1]
    assert last.name == "sum" and all(event.end <= last.begin for event in tasks[:-1])


def test_a_profile_is_a_chrome_trace_or_a_page(tmp_path):
    with ks.profile(tmp_path / "run.json") as seen:
        ks.compute(*[delayed(sleeps)(0.001) for _ in range(3)])
    trace = json.loads((tmp_path / "run.json").read_text())
    shown = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert [event["name"] for event in shown] == [event.name for event in seen.events]
    assert all(event["dur"] >= 1000 for event in shown if event["cat"] == "task")
    seen.save(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    rows = json.loads(re.search(r"const rows = (\[.*?\]), colours", page).group(1))
    assert len(rows) == len(seen.events) and "http" not in page


drawn_by_node = """
const fs = require("fs"), page = fs.readFileSync(process.argv[1], "utf8");
const boxes = [], texts = [], elements = {};
const pen = {fillRect: (...box) => boxes.push([pen.fillStyle, ...box]), fillText: (...text) => texts.push(text),
             save() {}, restore() {}, beginPath() {}, rect() {}, clip() {}};
global.window = {}; global.document = {getElementById: id => elements[id] ??= {clientWidth: 1130, style: {}, getContext: () => pen}};
(0, eval)(page.match(/<script>([^]*)<\\/script>/)[1]);
const first = boxes.length, view = elements.view;
view.onmousemove({buttons: 0, offsetX: (boxes[0][1] + boxes[0][3] / 2), offsetY: boxes[0][2] + 5, movementX: 0});
view.onwheel({preventDefault() {}, offsetX: 630, deltaY: -1});
console.log(JSON.stringify({boxes: boxes.slice(0, first), zoomed: boxes.slice(first), texts, said: elements.said.textContent}));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node, which runs the page's script, is not installed")
def test_the_pages_script_draws_each_event_where_and_as_long_as_it_ran(tmp_path):
    with ks.profile(tmp_path / "run.html") as seen:
        ks.compute(delayed(sleeps)(0.03, delayed(sleeps)(0.01)), workers=1)
        ks.array(np.ones(8)).copy().numpy()
    ran = subprocess.run(
        ["node", "-e", drawn_by_node, tmp_path / "run.html"], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    drawn = json.loads(ran.stdout)
    last = max(event.end for event in seen.events)
    colours = {"task": "#4e9a5d", "launch": "#3d7ebf", "copy": "#d08a2e", "compile": "#b3423f", "cache": "#8a6bb0"}
    lanes = sorted({(event.thread, list(colours).index(event.kind)) for event in seen.events})
    want = [
        [130 + 1000 * e.begin / last, 22 * lanes.index((e.thread, list(colours).index(e.kind))) + 2,
         max(1, 1000 * (e.end - e.begin) / last), 18] for e in seen.events
    ]  # fmt: skip
    assert [box[0] for box in drawn["boxes"]] == [colours[e.kind] for e in seen.events]
    np.testing.assert_allclose([box[1:] for box in drawn["boxes"]], want, atol=1e-6)
    assert {f"thread {thread}: {list(colours)[kind]}" for thread, kind in lanes} <= {text[0] for text in drawn["texts"]}
    first = seen.events[0]
    assert drawn["said"].startswith(f"{first.kind} {first.name}: {(first.end - first.begin) * 1e3:.4f} ms from")
    assert drawn["zoomed"] and all(box[1] >= 130 for box in drawn["zoomed"])


class Tags(html.parser.HTMLParser):
    """Each tag that is opened is closed, and what a page takes from elsewhere."""

    def __init__(self, page):
        super().__init__()
        self.open, self.wants = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.wants += [value for name, value in attributes if name in ("src", "href", "srcset", "data")]
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_page_is_whole_and_takes_nothing_from_elsewhere(tmp_path):
    with ks.profile(tmp_path / "run.html"):
        delayed(sleeps)(0.001).compute()
    page = (tmp_path / "run.html").read_text()
    tags = Tags(page)
    assert page.startswith("<!doctype html>") and tags.open == [] and tags.wants == []
    assert not re.search(r"@import|url\(|fetch\(|import\(|XMLHttpRequest", page)


@pytest.mark.parametrize("with_graphviz", [True, False])
def test_pictures_are_whole_svg(tmp_path, monkeypatch, with_graphviz):
    if not with_graphviz:
        monkeypatch.setenv("PATH", "")
    elif shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    end = delayed(sleeps)(0.001, delayed(sleeps, name="<a & b>")(0.002))
    root = xml.etree.ElementTree.parse(end.visualize(filename=str(tmp_path / "run.svg"), times=True)).getroot()
    texts = [e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert (
        root.tag == "{http://www.w3.org/2000/svg}svg"
        and sum("sleeps" in text or "a & b" in text for text in texts) == 2
    )
    assert any(" ms" in text for text in texts)


def test_one_profile_at_a_time():
    with ks.profile():
        with pytest.raises(RuntimeError, match="another profile records already"):
            with ks.profile():
                pass
    with ks.profile() as seen:
        pass
    assert seen.events == [] and str(seen).startswith("kind")


def test_a_name_cannot_end_the_pages_script(tmp_path):
    def f():
        pass

    f.__name__ = "</script><b>"
    with ks.profile(tmp_path / "run.html"):
        delayed(f)().compute()
    page = (tmp_path / "run.html").read_text()
    assert page.count("</script>") == 1 and "<b></pre>" not in page


def test_pictures_of_a_run_show_times_bytes_and_the_longest_path(tmp_path):
    def big(*before):
        return np.zeros(10_000)

    short, long = delayed(sleeps)(0.001), delayed(sleeps)(0.05)
    end = delayed(big)(short, delayed(sleeps)(0.03, long))
    before = open(end.visualize(filename=str(tmp_path / "before.dot"))).read()
    after = open(end.visualize(filename=str(tmp_path / "after.dot"), times=True)).read()
    assert "#c62828" not in before and "ms" not in before and "kB" not in before
    red = [line for line in after.splitlines() if "#c62828" in line]
    assert sum("label=" in line for line in red) == 3 and sum("->" in line for line in red) == 2
    assert "80 kB" in after and max(map(float, re.findall(r"([0-9.]+) ms", after))) >= 50


watched = """
import kasoku as ks, time
ks.compute(*[ks.delayed(time.sleep)(0.15) for _ in range(20)], workers=2)
print("end")
"""


def test_a_run_of_more_than_a_second_has_a_bar_on_a_terminal():
    main, other = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", watched], stdout=subprocess.PIPE, stderr=other)
    os.close(other)
    seen = b""
    while True:
        try:
            part = os.read(main, 1000)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(main)
    assert process.wait(20) == 0 and process.stdout.read() == b"end\n"
    assert b"tasks" in seen and b"%" in seen


def test_nothing_is_shown_in_a_pipe():
    done = subprocess.run([sys.executable, "-c", watched], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"end\n", b"")


def test_a_short_run_shows_nothing_on_a_terminal():
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", watched.replace("range(20)", "range(2)")], stdout=subprocess.PIPE, stderr=other
    )
    os.close(other)
    assert process.wait(30) == 0
    try:
        assert os.read(main, 1000) == b""
    except OSError:
        pass
    os.close(main)
