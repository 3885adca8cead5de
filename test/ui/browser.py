"""A headless Chromium, driven over its DevTools pipe: pages, what is in them, keys, pictures."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest

DEADLINE = 90


def chromium():
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not path:
        raise unittest.SkipTest("no chromium here (./dev ui installs it)")
    return path


class Browser:
    """Use it as a context. `open` shows a page, and the other calls refer to that page."""

    def __enter__(self):
        program = chromium()
        # Chromium's helpers may write there for a moment after it has ended.
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_us, to_it = os.pipe(), os.pipe()

        def connect():
            # Chromium reads commands from 3 and writes to 4. Both ends may have these numbers
            # already.
            reading, writing = os.dup(to_it[0]), os.dup(to_us[1])
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=connect, close_fds=False, env=dict(os.environ, TMPDIR=self.profile.name),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it[0])
        os.close(to_us[1])
        self.out, self.into = to_it[1], to_us[0]
        self.number, self.rest, self.session, self.errors = 0, b"", None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(DEADLINE)
        os.close(self.out)
        os.close(self.into)
        self.profile.cleanup()

    def messages(self, deadline):
        while True:
            while b"\0" in self.rest:
                message, self.rest = self.rest.split(b"\0", 1)
                yield json.loads(message)
            ready, _, _ = select.select([self.into], [], [], max(0, deadline - time.monotonic()))
            assert ready, "Chromium does not answer"
            piece = os.read(self.into, 1 << 20)
            assert piece, "Chromium has ended"
            self.rest += piece

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        for answer in self.messages(time.monotonic() + DEADLINE):
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])
            if answer.get("id") == self.number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
        raise AssertionError("no answer")

    def open(self, url, width=1400, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Page.navigate", url=url)

    def value(self, expression):
        """The value of a JavaScript expression, or of its promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def until(self, expression):
        """Waits until the expression is true, and returns it."""
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            value = self.value(expression)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {expression}\n{self.value('document.body.innerText')}")

    def key(self, name):
        text = {"Enter": "\r"}.get(name)
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37}
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=codes[name], **more)

    def picture(self, path):
        shot = self.call("Page.captureScreenshot", format="png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(shot["data"]))
