"""ks.profile: a timeline of tasks, kernel launches, copies and compilations."""

from __future__ import annotations

import collections
import html
import json
from typing import NamedTuple

from . import _core


class Event(NamedTuple):
    """Something that ran: what ("task", "launch", "copy", "compile" or "cache", which is reading it), on which thread,
    from when to when in seconds since the profile began; bytes of a copy, else 0."""

    kind: str
    name: str
    thread: int
    begin: float
    end: float
    bytes: int


class profile:
    """Records what runs inside of a `with`: tasks, launches of kernels, copies and compilations, on all threads.

    path: where it is written at the end, a file for chrome://tracing or ui.perfetto.dev if it ends with .json, else a
    page of HTML that needs nothing else; None writes nothing. `events` lists what ran, print() shows what took longest,
    save(path) writes it again. A launch on a GPU is recorded until the driver has it. One profile at a time: RuntimeError.

        with ks.profile("run.html"):
            ks.compute(*tasks)

    >>> with ks.profile() as seen:
    ...     y = ks.eval(ks.arange(100000.0) * 2)
    >>> len(seen.events) > 0
    True
    """

    def __init__(self, path=None):
        self.path = path
        self.events = []

    def __enter__(self):
        if not _core._timeline_start():
            raise RuntimeError("profile: another profile records already\n  fix  end it first")
        return self

    def __exit__(self, *raised):
        self.events = [Event(*row) for row in _core._timeline_stop()]
        if self.path is not None:
            self.save(self.path)

    def save(self, path):
        """Writes the timeline: .json is Chrome's trace format, anything else a page of HTML."""
        text = json.dumps(self._trace()) if str(path).endswith(".json") else self._page()
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    def _trace(self):
        threads = sorted({event.thread for event in self.events})
        named = [
            {"ph": "M", "pid": 1, "tid": thread, "name": "thread_name", "args": {"name": f"thread {thread}"}}
            for thread in threads
        ]
        return {
            "displayTimeUnit": "ms",
            "traceEvents": named
            + [
                {"ph": "X", "pid": 1, "tid": event.thread, "cat": event.kind, "name": event.name,
                 "ts": event.begin * 1e6, "dur": (event.end - event.begin) * 1e6,
                 **({"args": {"bytes": event.bytes}} if event.bytes else {})}
                for event in self.events
            ],
        }  # fmt: skip

    def _page(self):
        rows = [[e.kind, e.name, e.thread, e.begin, e.end, e.bytes] for e in self.events]
        data = json.dumps(rows).replace("</", "<\\/")
        return _page.replace("$SUMMARY", html.escape(str(self))).replace("$ROWS", data)

    def __str__(self):
        """What took longest, by kind and name."""
        spent = collections.defaultdict(lambda: [0, 0.0])
        for event in self.events:
            row = spent[event.kind, event.name]
            row[0] += 1
            row[1] += event.end - event.begin
        longest = sorted(spent.items(), key=lambda item: -item[1][1])[:20]
        lines = [f"{'kind':8} {'count':>8} {'total':>12} {'each':>12}  name"]
        for (kind, name), (count, total) in longest:
            lines.append(f"{kind:8} {count:8} {total * 1e3:9.3f} ms {total / count * 1e6:9.1f} µs  {name}")
        return "\n".join(lines)


_page = """<!doctype html>
<meta charset="utf-8"><title>kasoku: timeline</title>
<style>
 body { font: 13px system-ui, sans-serif; margin: 16px; color: #222 }
 canvas { width: 100%; border: 1px solid #ccc } pre { color: #444 } #said { height: 1.5em }
</style>
<h3>Timeline</h3>
<div id="kinds"></div><canvas id="view" height="300"></canvas>
<div id="said">The wheel zooms, dragging moves.</div><pre>$SUMMARY</pre>
<script>
const rows = $ROWS, colours = {task: "#4e9a5d", launch: "#3d7ebf", copy: "#d08a2e", compile: "#b3423f", cache: "#8a6bb0"};
const kinds = Object.keys(colours), threads = [...new Set(rows.map(r => r[2]))].sort((a, b) => a - b);
const lanes = [];  // one per thread and kind that it has
for (const t of threads) for (const k of kinds) if (rows.some(r => r[2] === t && r[0] === k)) lanes.push([t, k]);
const lane = {}; lanes.forEach(([t, k], i) => lane[t + k] = i);
document.getElementById("kinds").innerHTML = kinds.map(k => `<b style="color:${colours[k]}">■ ${k}</b>`).join(" &nbsp; ");
const view = document.getElementById("view"), pen = view.getContext("2d"), said = document.getElementById("said"), high = 22, left = 130;
let from = 0, to = rows.reduce((m, r) => Math.max(m, r[4]), 1e-6);
const scale = () => (view.width - left) / (to - from), at = time => left + (time - from) * scale();
function draw() {
  view.width = view.clientWidth; view.height = lanes.length * high + 24; view.style.height = view.height + "px";
  pen.font = "11px sans-serif";
  for (const r of rows) {
    const x = at(r[3]), w = Math.max(at(r[4]) - x, 1);
    if (x + w < left || x > view.width) continue;
    const y = lane[r[2] + r[0]] * high, x0 = Math.max(x, left);
    pen.fillStyle = colours[r[0]]; pen.fillRect(x0, y + 2, x + w - x0, high - 4);
    if (w > 40) { pen.save(); pen.beginPath(); pen.rect(x0, y, x + w - x0, high); pen.clip(); pen.fillStyle = "#fff";
      pen.fillText(r[1], x0 + 3, y + 15); pen.restore(); }
  }
  pen.fillStyle = "#222";
  lanes.forEach(([t, k], i) => pen.fillText(`thread ${t}: ${k}`, 4, i * high + 15));
  for (let i = 0; i <= 8; ++i) { const time = from + (to - from) * i / 8; pen.fillText((time * 1e3).toFixed(3) + " ms", at(time) + 2, view.height - 6); }
}
view.onwheel = e => { e.preventDefault(); const t = from + (e.offsetX - left) / scale(), f = e.deltaY > 0 ? 1.25 : 0.8;
  from = t + (from - t) * f; to = t + (to - t) * f; draw(); };
view.onmousemove = e => {
  if (e.buttons) { const d = e.movementX / scale(); from -= d; to -= d; draw(); return; }
  const t = from + (e.offsetX - left) / scale(), [th, k] = lanes[Math.floor(e.offsetY / high)] || [], slack = 1 / scale();
  const r = rows.find(r => r[2] === th && r[0] === k && r[3] - slack <= t && t <= r[4] + slack);
  said.textContent = r ? `${r[0]} ${r[1]}: ${((r[4] - r[3]) * 1e3).toFixed(4)} ms from ${(r[3] * 1e3).toFixed(4)} ms` + (r[5] ? `, ${r[5]} bytes` : "") : "";
};
window.onresize = draw; draw();
</script>
"""
