"""Figures, on numbers whose results are known: the metric, medians, shares, scaling, layouts, merging, the baseline, exports."""
import csv
import io
import json
import shutil
import unittest
from contextlib import redirect_stdout
from pathlib import Path

import house

from minx_compare import agreement, baseline, export, figures, launch, limits, machine, matrix, plots, report, slurm, table


def summary(seconds=2.0, work=1, **more):
    value = {"app": "tealeaf", "host": "n1", "cpu": "CPU", "device": "", "nodes": 1, "problem": "pipe", "problem_size": 100, "backend": "openmp",
             "fom": {"name": "rate", "value": 100 * work / seconds, "unit": "cells/s", "higher_is_better": True}, "date": "2026-01-01", "iterations": 5,
             "set_up_seconds": 0.5, "solve_seconds": seconds, "wall_seconds": seconds + 0.5, "max_rss_bytes": 1e6,
             "regions": {"whole_run": {"seconds": 9, "calls": 1, "bytes": 9e9, "flops": 0},
                         "loop": {"seconds": seconds, "calls": 10, "bytes": 8e9, "flops": 4e9}}}
    return {**value, **more}


def record(backend="openmp", seconds=2.0, ranks=1, threads=2, **more):
    run = {"case": "c", "app": "tealeaf", "deck_name": "pipe", "variant": "", "sizes": "", "problem": "", "arguments": [], "backend": backend, "layout": "auto",
           "own_layout": True, "precision": "", "ranks": ranks, "threads": threads, "scaling": "", "row": "r",
           "config": f"{backend}{ranks}{threads}", "axis": {}, "agree": [], "absent": "", "repeat": 1,
           "id": f"{backend}-{ranks}-{threads}-{seconds}"}
    run.update({key: more.pop(key) for key in list(more) if key in run})
    run["memberships"] = more.pop("memberships", [{key: run[key] for key in matrix.MEMBERSHIP}])
    return {"run": run, "summary": summary(seconds, **more), "outcome": "passed", "reason": "", "started": "2026-01-01T00:00:00Z"}


LIMIT = {"bandwidth": 8e9, "cache_bandwidth": 80e9, "flops": 100e9, "cache_bytes": 1e6}


def configuration(*records, known=None):
    class Folder:
        path = "folder"

    return figures.configuration(Folder, list(records), known if known is not None else {("n1", "openmp", 2): LIMIT}, {})


class Metric(unittest.TestCase):
    def test_pennycook(self):
        """By hand: the harmonic mean of 1/2 and 1/4 is 1/3; of 0.8, 0.9 and 1 it is 3 / (1.25 + 10/9 + 1)."""
        self.assertAlmostEqual(figures.pennycook([0.5, 0.25]), 1 / 3, places=15)
        self.assertAlmostEqual(figures.pennycook([0.8, 0.9, 1.0]), 3 / (1.25 + 10 / 9 + 1), places=15)
        self.assertEqual(figures.pennycook([0.7]), 0.7)
        self.assertEqual(figures.pennycook([1.0, 0.0]), 0)
        self.assertEqual(figures.pennycook([1.0, None]), 0)
        self.assertEqual(figures.pennycook([]), 0)

    def test_portability(self):
        """Two ways on two platforms. CG: 2 s and 4 s; multigrid: 1 s on the first, nothing on the second."""
        cg = [configuration(record(seconds=2.0, variant="cg")), configuration(record(seconds=4.0, variant="cg", cpu="GPU host", device="GPU"))]
        multigrid = configuration(record(seconds=1.0, variant="multigrid"))
        lines = {line["way"]: line for line in figures.portability([*cg, multigrid])}
        self.assertEqual(lines["tealeaf cg"]["application"], {"CPU / openmp": 0.5, "GPU / openmp": 1.0})
        self.assertAlmostEqual(lines["tealeaf cg"]["pp_application"], 2 / 3, places=15)
        self.assertEqual(lines["tealeaf multigrid"]["application"], {"CPU / openmp": 1.0, "GPU / openmp": 0.0})
        self.assertEqual(lines["tealeaf multigrid"]["pp_application"], 0)
        # 8e9 bytes in 2 and in 4 s, of 8e9 bytes/s
        self.assertEqual(lines["tealeaf cg"]["architectural"], {"CPU / openmp": 0.5, "GPU / openmp": 0.25})
        self.assertAlmostEqual(lines["tealeaf cg"]["pp_architectural"], 1 / 3, places=15)

    def test_unknown_limit(self):
        line = figures.portability([configuration(record(), known={})])[0]
        self.assertIsNone(line["pp_application"])  # one way is the fastest wherever it runs, which says nothing
        self.assertIsNone(line["pp_architectural"])

    def test_planned_platforms(self):
        """What was planned and does not count is a platform that is not supported, and a way that has no efficiency."""
        class Folder:
            path = "folder"

        good, slow = record(variant="cg"), record("serial", threads=1, variant="cg", seconds=4.0)
        bad = {**record("cuda", variant="cg"), "outcome": "failed", "summary": {}}
        other = {**record(variant="multigrid"), "outcome": "failed"}
        records = [good, slow, bad, other]
        plans = figures.planned(Folder, {"host": "n1", "runs": [one["run"] for one in records]}, records)
        lines = {line["way"]: line for line in figures.portability([configuration(good), configuration(slow)], plans)}
        self.assertEqual(lines["tealeaf cg"]["platforms"], ["CPU / openmp", "CPU / serial", "n1 / cuda"])
        self.assertEqual(lines["tealeaf cg"]["application"], {"CPU / openmp": 1, "CPU / serial": 1, "n1 / cuda": 0})
        self.assertEqual(lines["tealeaf cg"]["pp_application"], 0)
        self.assertEqual(lines["tealeaf cg"]["pp_architectural"], 0)
        self.assertEqual(lines["tealeaf multigrid"]["pp_application"], 0)
        self.assertEqual(set(lines["tealeaf multigrid"]["application"].values()), {0})


class Figures(unittest.TestCase):
    def test_median_and_spread(self):
        one = configuration(record(seconds=2.0), record(seconds=2.5), record(seconds=4.0))
        self.assertEqual((one["solve_seconds"], one["solve_low"], one["solve_high"]), (2.5, 2.0, 4.0))
        self.assertEqual(one["fom"], 40)
        self.assertAlmostEqual(one["solve_spread"], 2.0 / 2.5, places=15)
        self.assertIsNone(configuration(record())["solve_spread"])

    def test_shares(self):
        one = configuration(record(seconds=2.0))  # 8e8 bytes a call are beyond the cache
        self.assertEqual((one["region"], one["bytes_per_second"], one["flops_per_second"], one["intensity"]), ("loop", 4e9, 2e9, 0.5))
        self.assertEqual((one["share"], one["in_cache"]), (0.5, False))
        small = {"loop": {"seconds": 0.2, "calls": 10000, "bytes": 8e9, "flops": 4e9}}
        one = configuration(record(seconds=2.0, regions=small))  # 8e5 bytes a call fit: 40 of 80 GB/s
        self.assertEqual((one["share"], one["in_cache"]), (0.5, True))
        dense = {"loop": {"seconds": 1.0, "calls": 1, "bytes": 1e9, "flops": 50e9}}
        one = configuration(record(seconds=2.0, regions=dense))  # under the flat roof: 50 of 100 Gflop/s
        self.assertAlmostEqual(one["share"], 0.5, places=12)

    def test_hot_region(self):
        regions = {"whole_run": {"seconds": 9, "bytes": 9e9}, "solve": {"seconds": 2, "bytes": 8e9, "calls": 1}, "product": {"seconds": 1, "bytes": 5e9}}
        self.assertEqual(figures.hot_region({"regions": regions}), "product")
        regions["product"]["bytes"] = 3e9
        self.assertEqual(figures.hot_region({"regions": regions}), "solve")
        self.assertIsNone(figures.hot_region({"regions": {"whole_run": {"seconds": 9, "bytes": 0}}}))
        # the solve is called once; an iteration of the five moves 1.6e9 bytes, beyond a cache of 2e9 bytes only if all are counted
        limit = {("n1", "openmp", 2): {**LIMIT, "cache_bytes": 2e9}}
        self.assertTrue(configuration(record(regions=regions), known=limit)["in_cache"])

    def test_limits_that_a_run_needs(self):
        self.assertEqual(limits.need_of(record()), ("n1", "openmp", 2))
        self.assertEqual(limits.need_of(record("serial", threads=1)), ("n1", "serial", 1))
        self.assertEqual(limits.need_of(record("serial", ranks=4, threads=1)), ("n1", "openmp", 4))
        self.assertEqual(limits.need_of(record("openmp", ranks=4, threads=8, nodes=2)), ("n1", "openmp", 16))
        self.assertEqual(limits.need_of(record("cuda", ranks=4, threads=1)), ("n1", "cuda", 1))
        self.assertIsNone(limits.need_of(record("simt")))
        self.assertIsNone(limits.need_of(record("serial:order=shuffled")))
        self.assertEqual((limits.devices_of(record("cuda")), limits.devices_of(record(nodes=2))), (1, 2))

    def test_gpus(self):
        """Two ranks on one GPU have the limits of one; where nobody knows how many GPUs there are, several ranks have none."""
        for gpus, nodes, expected in ((1, 1, 1), (4, 1, 2), (1, 2, 2), (None, 1, None)):
            one = {**record("cuda", ranks=2, threads=1, nodes=nodes), "gpus": gpus}
            self.assertEqual(limits.devices_of(one), expected)
        one = {**record("cuda", ranks=2, threads=1), "gpus": None}
        self.assertIsNone(configuration(one, known={("n1", "cuda", 1): LIMIT})["share"])
        self.assertEqual(machine.gpus_here({"CUDA_VISIBLE_DEVICES": "0,2"}), 2)

    def test_speed_up(self):
        some = [configuration(record("serial", 6.0, threads=1)), configuration(record(seconds=2.0)), configuration(record(seconds=2.0, row="other"))]
        figures.add_speed_up(some)
        self.assertEqual([one["speed_up"] for one in some], [1, 3, None])

    def test_speed_up_of_each_way(self):
        """Ways whose answers may be compared share a row, and each has a serial run of its own."""
        ways = (({"variant": "rows"}, 6.0), ({"variant": "half"}, 4.0), ({"sizes": "n=2"}, 10.0), ({"precision": "mixed"}, 8.0))
        some = [configuration(record(backend, seconds, threads=1, **way))
                for way, serial in ways for backend, seconds in (("serial", serial), ("openmp", 2.0))]
        figures.add_speed_up(some)
        self.assertEqual([one["speed_up"] for one in some], [1, 3, 1, 2, 1, 5, 1, 4])

    def test_hosts(self):
        """Repeats on two hosts are two configurations, and the table names the hosts."""
        class Folder:
            path, limits = Path("folder"), Path("nowhere")

        found = figures.of_folder(Folder, [record(seconds=2.0), record(seconds=4.0, host="n2")])
        self.assertEqual([(one["host"], one["solve_seconds"], one["runs"]) for one in found], [("n1", 2.0, 1), ("n2", 4.0, 1)])
        shown = io.StringIO()
        with redirect_stdout(shown):
            table.show(found, [])
        self.assertEqual([line.split()[4] for line in shown.getvalue().splitlines()[2:]], ["n1", "n2"])

    def test_two_curves_with_one_point(self):
        """A run that a strong and a weak curve have in common is a point of both."""
        def member(kind):
            return {"case": kind, "scaling": kind, "row": "r", "variant": "", "problem": "", "sizes": "", "axis": {}}

        base = configuration(record(seconds=8.0, threads=1, memberships=[member("strong"), member("weak")]))
        some = [base, configuration(record(seconds=4.0, threads=2, memberships=[member("strong")])),
                configuration(record(seconds=10.0, work=2, ranks=2, threads=1, memberships=[member("weak")]))]
        curves = {curve["scaling"]: [point["efficiency"] for point in curve["points"]] for curve in figures.scaling(some)}
        self.assertEqual(curves, {"strong": [1, 1], "weak": [1, 0.8]})

    def test_lines_of_ranks_and_threads(self):
        """Lines of one backend that differ in ranks and threads look different."""
        some = [configuration(record(seconds=n / threads, threads=threads, axis={"n": n}, sizes=f"n={n}"))
                for n in (1, 2) for threads in (1, 2)]
        traces = plots.size_charts(some)[0]["traces"]
        self.assertEqual(len({(trace["line"]["dash"], trace["marker"]["symbol"]) for trace in traces}), 2)

    def test_words(self):
        self.assertEqual([table.change(value) for value in (-0.0, 0.0001, -0.0001, 0.02)], ["0.0 %", "0.0 %", "0.0 %", "+2.0 %"])
        self.assertEqual([table.runs(number) for number in (0, 1, 2)], ["0 runs", "1 run", "2 runs"])
        self.assertEqual(report.cut_note(plots.MAX_BARS), "")
        self.assertIn(f"{plots.MAX_BARS} of the 25 configurations", report.cut_note(25))

    def test_scaling(self):
        strong = [configuration(record(seconds=8.0 / n, threads=n, scaling="strong")) for n in (1, 2, 4)]
        # the problem on two ranks is twice as large and needs 1.5 times the iterations: three times the work in 1.875 times the time
        weak = [configuration(record(seconds=s, work=w, ranks=n, threads=1, scaling="weak")) for n, s, w in ((1, 4.0, 1), (2, 7.5, 3))]
        curves = {curve["scaling"]: curve["points"] for curve in figures.scaling(strong + weak)}
        self.assertEqual([(p["processors"], p["speed_up"], p["efficiency"]) for p in curves["strong"]], [(1, 1, 1), (2, 2, 1), (4, 4, 1)])
        self.assertEqual([(p["processors"], p["efficiency"]) for p in curves["weak"]], [(1, 1), (2, 0.8)])
        self.assertEqual(figures.scaling(strong[:1]), [])

    def test_wrong_layouts(self):
        own = configuration(record(seconds=2.0, layout="right", axis={"layout": "right"}))
        wrong = configuration(record(seconds=6.0, layout="left", own_layout=False, axis={"layout": "left"}))
        found = figures.wrong_layouts([own, wrong])
        self.assertEqual([(one["own"], one["ratio"]) for one in found], [("right", 3)])
        self.assertEqual(figures.wrong_layouts([own]), [])

    def test_layouts_of_gpus(self):
        self.assertEqual([matrix.own_layout(backend, "left") for backend in ("cuda", "hip:device=1", "openmp")], [True, True, False])

    def test_p3(self):
        rows = export.p3_rows([configuration(record(seconds=2.0)), configuration(record(seconds=1.0, threads=4))])
        self.assertEqual(rows, [{"date": "2026-01-01", "application": "tealeaf", "problem": "tealeaf: pipe, 100 cells",
                                 "platform": "CPU / openmp", "fom": 1.0}])
        text = export.as_csv(export.P3_COLUMNS, rows)
        self.assertEqual(list(csv.DictReader(io.StringIO(text)))[0]["platform"], "CPU / openmp")

    def test_array_indices(self):
        self.assertEqual(slurm.compress([3, 0, 1, 2, 7, 9, 10]), "0-3,7,9-10")

    def test_labels(self):
        self.assertEqual(plots.unique(["a", "b", "a"]), ["a", "b", "a (2)"])
        self.assertTrue(all(len(line) <= plots.LABEL for line in plots.wrap("x" * 80 + " and words " * 5)))

    def test_accepted_differences(self):
        lines = ["  PASS  /fields/a    equal", "  FAIL  /input/list    text differs", "  FAIL  /fields/b   1 of 2", "comparison: FAIL"]
        self.assertEqual(agreement.differences(lines, set()), ["/input/list: text differs", "/fields/b: 1 of 2"])
        self.assertEqual(agreement.differences(lines, {"/input/list"}), ["/fields/b: 1 of 2"])

    def test_groups(self):
        def judge(values):
            records = [record(backend, seconds=float(n), answer=value) for n, (backend, value) in enumerate(values, 1)]
            agreement.judge_row(records, lambda group, one: "" if group[0]["summary"]["answer"] == one["summary"]["answer"] else "x")
            return [one["outcome"] for one in records]

        self.assertEqual(judge([("a", 1), ("b", 1), ("c", 2)]), ["passed", "passed", "differs"])
        self.assertEqual(judge([("a", 2), ("b", 1), ("c", 1)]), ["differs", "passed", "passed"])
        self.assertEqual(judge([("a", 1), ("b", 2)]), ["differs", "differs"])
        # repeats of one configuration are one vote
        self.assertEqual(judge([("a", 1), ("a", 1), ("a", 1), ("b", 2)]), ["differs"] * 4)


class Launcher(unittest.TestCase):
    def test_binding(self):
        """Ranks that the launcher does not bind must not be bound by OpenMP, each as if it were alone."""
        env = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores", "OMP_NUM_THREADS": "1"}
        words = [launch.launcher_words("mpirun", options, {"ranks": ranks, "threads": 1}, False, env)
                 for options, ranks in (([], 2), ([], 1), (["--bind-to", "core"], 2))]
        self.assertEqual(words[0][:5], ["env", "-u", "OMP_PROC_BIND", "-u", "OMP_PLACES"])
        self.assertNotIn("env", words[1] + words[2])


class Baseline(unittest.TestCase):
    def compare(self, new, old):
        lines = baseline.compare([configuration(*(record(seconds=s) for s in new))], [configuration(*(record(seconds=s) for s in old))])["lines"]
        return lines[0]["slower"]

    def test_slower(self):
        self.assertTrue(self.compare([2.2], [2.0]))
        self.assertFalse(self.compare([2.02], [2.0]))  # a single run: less than 2 %
        self.assertFalse(self.compare([1.0], [2.0]))
        self.assertFalse(self.compare([2.2, 2.2, 2.2], [1.8, 2.0, 2.3]))  # within the spread
        self.assertTrue(self.compare([3.0, 3.0, 3.1], [1.8, 2.0, 2.3]))

    def test_lower_is_better(self):
        new, old = configuration(record()), configuration(record())
        for one, value in ((new, 3.0), (old, 2.0)):
            one.update(fom=value, higher_is_better=False)
        self.assertAlmostEqual(baseline.loss(new, old), 0.5, places=15)

    def test_what_one_lacks(self):
        found = baseline.compare([configuration(record("serial"))], [configuration(record())])
        self.assertEqual((len(found["lines"]), len(found["only_old"]), len(found["only_new"])), (0, 1, 1))

    def test_order(self):
        some = [configuration(record(backend)) for backend in ("openmp", "serial", "cuda")]
        found = baseline.compare(some, some)
        self.assertEqual([line["one"]["backend"] for line in found["lines"]], ["cuda", "openmp", "serial"])
        self.assertEqual([one["backend"] for one in baseline.compare([], some)["only_old"]], ["cuda", "openmp", "serial"])


class Merge(house.House):
    """Folders of two machines, by the tool."""

    def folders(self, second=""):
        self.run_plan(out="laptop", env={"FAKE_HOST": "laptop", "FAKE_CPU": "Laptop CPU"})
        text = house.PLAN.replace("threads = [1, 2]", "threads = 2")
        return self.run_plan(text + second, out="node", env={"FAKE_HOST": "node", "FAKE_CPU": "Node CPU", "FAKE_SPEED": "4"})

    def merged(self):
        from minx_compare import merge

        return merge.load([self.folder / "laptop", self.folder / "node"])

    def test_merge(self):
        self.folders()
        merged = self.merged()
        self.assertEqual(len(merged["configurations"]), 5)
        self.assertEqual({one["host"] for one in merged["configurations"]}, {"laptop", "node"})
        self.assertEqual(merged["across"], [])
        line = figures.portability(merged["configurations"])[0]
        self.assertEqual(line["platforms"], ["Laptop CPU / openmp", "Laptop CPU / serial", "Node CPU / openmp", "Node CPU / serial"])
        self.assertIsNone(line["pp_application"])  # one way: it is the fastest everywhere

    def test_same_host_name(self):
        """Two machines with one host name: their processors tell them apart, and neither is the base of the other's speed-up."""
        for folder, more in (("laptop", {"FAKE_CPU": "AMD(R) Small CPU"}), ("node", {"FAKE_CPU": "Large(TM) Processor", "FAKE_SPEED": "4"})):
            self.run_plan(out=folder, env={"FAKE_HOST": "vm", **more})
        merged = self.merged()
        self.assertEqual({one["host"] for one in merged["configurations"]}, {"vm (AMD Small)", "vm (Large)"})
        self.assertTrue(all(abs(one["speed_up"] - 1) < 0.1 for one in merged["configurations"] if one["backend"] == "serial"))
        self.assertEqual({export.run_row(part, record)["host"] for part in merged["parts"] for record in part["records"]},
                         {"vm (AMD Small)", "vm (Large)"})
        self.assertIn("Roofline of vm (Large)", report.build(merged, None, "two") if self.has_plotly() else "Roofline of vm (Large)")

    def test_answers_across(self):
        """The second folder has another answer: both are left out."""
        self.folders()
        for path in (self.folder / "node/runs").glob("*/results.h5"):
            path.write_text(path.read_text().replace('"/fields/answer": 42', '"/fields/answer": 41'))
            record_path = path.with_name("run.json")
            content = json.loads(record_path.read_text())
            from minx_compare import launch

            content["results"].update(launch.stamp_of(path), digest=launch.file_digest(path))
            record_path.write_text(json.dumps(content))
        merged = self.merged()
        self.assertEqual(merged["configurations"], [])
        reasons = {record["reason"].split(":")[0] for part in merged["parts"] for record in part["records"]}
        self.assertEqual(reasons, {f"its answer differs from that in {self.folder / name}" for name in ("laptop", "node")})

    def test_the_odd_folder(self):
        """Of three folders one has another answer: it alone is left out."""
        for name, more in (("laptop", ""), ("gpu", ""), ("node", "wrong")):
            text = house.PLAN.replace("n=1", "n=1 trouble=variable")
            self.run_plan(text, out=name, env={"FAKE_HOST": name, "FAKE_TROUBLE": more})
        from minx_compare import merge

        merged = merge.load([self.folder / name for name in ("node", "laptop", "gpu")])
        self.assertEqual({one["host"] for one in merged["configurations"]}, {"laptop", "gpu"})
        self.assertEqual({record["outcome"] for record in merged["parts"][0]["records"]}, {"differs"})

    def test_without_results_files(self):
        """Records are small, and may come without the results files."""
        self.folders()
        for path in (self.folder / "node/runs").glob("*/results.h5"):
            path.unlink()
        merged = self.merged()
        self.assertEqual(len(merged["configurations"]), 5)
        self.assertEqual(len(merged["across"]), 1)
        self.assertIn("was not compared", merged["across"][0])

    def test_baseline(self):
        self.run_plan(out="old")
        shutil.copytree(self.folder / "old", self.folder / "same")
        self.run_plan(out="slow", env={"FAKE_SPEED": "0.5"})
        code = 0 if self.has_plotly() else 3
        _, said = self.call("report", "same", "--baseline", "old", expect=code)
        self.assertNotIn("slower", said)
        if code == 0:
            _, said = self.call("report", "slow", "--baseline", "old", expect=1)
            self.assertEqual(said.count("slower than the baseline by"), 3)
            self.assertIn("tealeaf one n=1 on serial, 1 x 1", said)
            self.run_plan(house.PLAN.replace("n=1", "n=2"), out="another")
            _, said = self.call("report", "another", "--baseline", "old", expect=1)
            self.assertIn("nothing was compared with the baseline", said)

    @staticmethod
    def has_plotly():
        import importlib.util

        return importlib.util.find_spec("plotly") is not None


if __name__ == "__main__":
    house.main()
