"""The report in a browser: headless Chromium, driven by Selenium. It must draw every chart, sort its table, ask for nothing, and have
nothing on anything at 1400 and 420 pixels, light and dark."""
import importlib.util
import json
import shutil
import sys

import house

PLAN = """
title = "Everything < & >"
repeats = 2
timeout = 60
[[case]]
name = "strong"
app = "tealeaf"
deck = "one.in"
backend = ["serial", "openmp"]
threads = [1, 2, 4]
options = "n=0.5"
scaling = "strong"
[[case]]
name = "solvers"
app = "tealeaf"
deck = "one.in"
backend = ["serial", "openmp"]
threads = 4
options = ["n={n} solver=cg", "n={n} solver=multigrid preconditioner=a_rather_long_name_of_one"]
axis = {n = [1, 2, 4]}
[[case]]
name = "lists"
app = "minimd"
options = "n=1 list={layout}"
axis = {layout = ["left", "right"]}
agree = ["list"]
backend = ["serial", "openmp"]
threads = 4
[[case]]
name = "weak"
app = "minife"
options = "n={ranks}"
backend = ["serial", "openmp"]
ranks = [1, 2, 4]
scaling = "weak"
[[case]]
name = "bad"
app = "minife"
options = "n=3 trouble=fail"
backend = "serial"
"""

# what the page does while it is loaded and drawn
WATCH = "window.__errors = []; window.addEventListener('error', (e) => window.__errors.push(String(e.message)));"

OVERLAPS = """
const boxes = [], found = [];
for (const plot of document.querySelectorAll('[data-chart]')) {
  const of = (selector) => Array.from(plot.querySelectorAll(selector)).filter((one) => one.textContent.trim())
    .map((one) => [selector, one.textContent, one.getBoundingClientRect()]);
  const parts = [...of('.xtitle'), ...of('.ytitle'), ...of('.legend'), ...of('.xtick text'), ...of('.ytick text')];
  const frame = plot.closest('figure').getBoundingClientRect();
  for (let i = 0; i < parts.length; i++) {
    const [kind, text, a] = parts[i];
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1) found.push(kind + ' ' + text + ' leaves its frame');
    for (let j = i + 1; j < parts.length; j++) {
      const [other, more, b] = parts[j];
      const over = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (over > 2 && down > 2) found.push(kind + ' ' + text + ' lies on ' + other + ' ' + more);
    }
  }
}
return found;
"""


class Report(house.House):
    def setUp(self):
        super().setUp()
        self.run_plan(PLAN, expect=1)
        _, said = self.call("report", "out", expect=1)
        self.assertIn("failed: exit code 1", said)
        self.page = self.folder / "out/report.html"

    def open(self, width, scheme):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        from selenium.webdriver.support.ui import WebDriverWait

        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(word)
        options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.addCleanup(driver.quit)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        driver.set_page_load_timeout(120)
        driver.get(self.page.as_uri())
        WebDriverWait(driver, 120).until(lambda d: d.execute_script("return document.documentElement.dataset.ready === 'yes'"))
        return driver

    def check_quiet(self, driver):
        """No error, and no request but for the page itself."""
        self.assertEqual(driver.execute_script("return window.__errors"), [])
        self.assertEqual([line for line in driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")], [])
        urls = []
        for line in driver.get_log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        self.assertEqual([url[:80] for url in urls if url != self.page.as_uri() and not url.startswith("data:")], [])

    def check_charts(self, driver):
        """Each chart has traces with points that are numbers, and units at its axes of numbers."""
        charts = driver.execute_script(
            "return Array.from(document.querySelectorAll('[data-chart]')).map((one) => ({"
            "traces: one.data.map((trace) => trace.x.length), drawn: one.querySelectorAll('.trace').length,"
            "axes: [one._fullLayout.xaxis, one._fullLayout.yaxis].map((axis) => [axis.type, axis.title.text])}))")
        self.assertGreaterEqual(len(charts), 15)
        for chart in charts:
            self.assertGreater(min(chart["traces"]), 0)
            self.assertGreaterEqual(chart["drawn"], 1)
            for kind, title in chart["axes"]:
                if kind != "category":
                    self.assertRegex(title, r"\[.+\]$")

    def check_sorting(self, driver):
        """The column of seconds goes up, then down; the filter hides rows."""
        table = "document.querySelector('#runs table')"
        column = driver.execute_script(f"return Array.from({table}.tHead.rows[0].cells).findIndex((cell) => cell.textContent === 'solve')")
        button = f"{table}.tHead.rows[0].cells[{column}].querySelector('button')"
        values = (f"return Array.from({table}.tBodies[0].rows).map((row) => row.cells[{column}].dataset.value)"
                  ".filter((value) => value !== '').map(Number)")
        for click, down in ((1, False), (2, True)):
            driver.execute_script(f"{button}.click()")
            found = driver.execute_script(values)
            self.assertGreater(len(found), 20)
            self.assertEqual(found, sorted(found, reverse=down), f"click {click}")
        everything = driver.execute_script(f"return {table}.tBodies[0].rows.length")
        driver.execute_script("const f = document.getElementById('filter'); f.value = 'minimd openmp'; f.dispatchEvent(new Event('input'))")
        shown = driver.execute_script(f"return Array.from({table}.tBodies[0].rows).filter((row) => !row.hidden).length")
        self.assertEqual((everything, shown), (len(self.records()), 4))

    def test_page(self):
        self.check_text()
        for width in (1400, 420):
            for scheme in ("light", "dark"):
                with self.subTest(f"{width} pixels, {scheme}"):
                    driver = self.open(width, scheme)
                    self.check_charts(driver)
                    self.assertEqual(driver.execute_script("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(driver.execute_script(OVERLAPS), [])
                    paper = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
                    self.assertEqual(paper, "rgb(255, 255, 255)" if scheme == "light" else "rgb(22, 22, 22)")
                    if width == 1400:
                        self.check_sorting(driver)
                    self.check_quiet(driver)
                    driver.quit()

    def check_text(self):
        """What must be on the page, without a browser: a title that HTML could misread, the failed run, no address of another host."""
        text = self.page.read_text(encoding="utf-8")
        head = text[:text.index('<script type="application/json"')]
        self.assertIn("<h1>Everything &lt; &amp; &gt;</h1>", head)
        for word in ("exit code 1: minife: error: the energy is not conserved", "Fake CPU", "tealeaf 0.1.0", "cuda: no GPU", "Performance portability",
                     "What the other layout costs", "Roofline", "Scaling"):
            self.assertIn(word, head)
        for word in ("http:", "https:", "@import", "url("):
            self.assertNotIn(word, head)
        self.assertEqual(text.count("plotly.js v"), 1)


def missing():
    for name in ("plotly", "selenium"):
        if importlib.util.find_spec(name) is None:
            return f"{sys.executable} has no {name}"
    for names in (("chromium", "chromium-browser"), ("chromedriver",)):
        if not any(shutil.which(name) for name in names):
            return f"there is no {names[0]}"
    return ""


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(77)
    house.main()
