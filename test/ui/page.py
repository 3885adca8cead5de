"""JavaScript expressions for the content of the page."""
import json

from playground import ROOT

PICTURES = ROOT / "build/ui"
DEVICE = "gpu.example.com/node-2/dev-0"


def device(key=DEVICE):
    return f"document.querySelector('[data-key=\"{key}\"]')"


def click(browser, text):
    """Clicks the button of the panel with that text."""
    browser.until(f"""[...document.querySelectorAll('#details button')].some((b) => b.textContent === {json.dumps(text)}
                      && (b.click(), true))""")


def row(table, name):
    return (f"[...document.querySelectorAll('#{table} tr')]"
            f".find((line) => line.firstElementChild.textContent === {json.dumps(name)})")


def text(expression):
    return f"({expression}?.textContent ?? '')"
