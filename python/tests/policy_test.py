"""Policies written in Python, inside the C++ simulator."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import fairlead
import numpy as np
from fairlead.__main__ import main
from support import BUSY, without_clocks


class EarliestDeadline(fairlead.Policy):
    """Earliest deadline first, each to the idle accelerator where it is fastest."""

    def decide(self, view, plan):
        idle = [one for one in view.accelerators if one.idle]
        for ready in sorted(view.ready, key=lambda one: (one.deadline, one.request, one.segment)):
            if not idle:
                return
            best = min(idle, key=lambda one: (view.latency(ready, one), one.name))
            plan.start(ready, best)
            idle.remove(best)


class WithTables:
    """The same, in NumPy."""

    name = "edf-numpy"

    def decide(self, view, plan):
        ready, latencies = view.ready_table(), view.latencies()
        latencies[:, ~view.accelerator_table()["idle"]] = np.inf
        names = [one.name for one in view.accelerators]
        for row in np.lexsort((ready["segment"], ready["request"], ready["deadline"])):
            if not np.isfinite(latencies[row]).any():
                return
            best = min(np.flatnonzero(latencies[row] == latencies[row].min()), key=lambda i: names[i])
            plan.start(row, best)
            latencies[:, best] = np.inf


class Policies(unittest.TestCase):
    def test_one_runs_beside_built_in_ones(self):
        result = fairlead.simulate(BUSY, policies=["edf-h", EarliestDeadline, "fcfs-h"], seeds=2)
        self.assertEqual([run["policy"] for run in result["runs"]],
                         ["edf-h", "edf-h", "EarliestDeadline", "EarliestDeadline", "fcfs-h", "fcfs-h"])
        rates = [run["hit_rate"] for run in result["runs"]]
        self.assertAlmostEqual(rates[2], rates[0], delta=0.2)
        self.assertGreater(rates[2], 0.3)

    def test_tables_say_what_attributes_say(self):
        one = fairlead.simulate(BUSY, policies=EarliestDeadline)["runs"][0]
        other = fairlead.simulate(BUSY, policies=WithTables)["runs"][0]
        for run in (one, other):
            run.pop("policy")
        self.assertEqual(without_clocks(one), without_clocks(other))

    def test_equal_seeds_give_equal_runs(self):
        once = fairlead.simulate(BUSY, policies=EarliestDeadline, seeds=[5])
        self.assertEqual(without_clocks(once),
                         without_clocks(fairlead.simulate(BUSY, policies=EarliestDeadline, seeds=[5])))

    def test_an_object_is_used_as_it_is_and_told_when_a_run_begins(self):
        class Counting(EarliestDeadline):
            def __init__(self):
                self.seeds, self.decisions = [], 0

            def begin(self, seed):
                self.seeds.append(seed)

            def decide(self, view, plan):
                self.decisions += 1
                super().decide(view, plan)

        policy = Counting()
        result = fairlead.simulate(BUSY, policies=[policy], seeds=[3, 4])
        self.assertEqual(policy.seeds, [3, 4])
        self.assertGreater(policy.decisions, sum(run["requests"] for run in result["runs"]))

    def test_events_are_observed(self):
        seen = {}

        class Watching(EarliestDeadline):
            def observe(self, view, event):
                seen[event.kind] = seen.get(event.kind, 0) + 1
                if event.kind == "job_finished":
                    assert event.outcome in ("hit", "miss", "dropped", "rejected"), event.outcome
                    assert event.agreement < len(view.agreements)

        run = fairlead.simulate(BUSY, policies=Watching)["runs"][0]
        self.assertEqual(seen["job_finished"], seen["job_arrived"])
        self.assertEqual(seen["job_finished"], run["requests"])
        self.assertEqual(seen["segment_started"], seen["segment_finished"])

    def test_all_verbs_reach_the_engine(self):
        class Refusing(fairlead.Policy):
            def decide(self, view, plan):
                if not view.ready:
                    plan.wake(view.now + 1_000_000)
                idle = [one for one in view.accelerators if one.idle]
                hopeless = {one.job: one for one in view.ready if one.deadline < view.now + one.shortest_tail}
                for ready in hopeless.values():
                    plan.give_up(ready)
                for ready in sorted(view.ready, key=lambda one: (one.deadline, one.request, one.segment)):
                    if idle and ready.job not in hopeless:
                        plan.start(ready, idle.pop())

        late = fairlead.simulate(BUSY, policies=[Refusing], set={"load": 2.0}, bounds=False)["runs"][0]
        self.assertGreater(late["dropped"], 0)
        self.assertGreater(late["rejected"], 0)
        self.assertGreater(late["hits"], 0)

    def test_segments_wait_in_queues(self):
        class Enqueueing(fairlead.Policy):
            def decide(self, view, plan):
                for ready in view.ready:
                    plan.enqueue(ready, (ready.request + ready.segment) % len(view.accelerators))

        run = fairlead.simulate(BUSY, policies=[Enqueueing], bounds=False)["runs"][0]
        self.assertEqual(run["requests"], run["hits"] + run["misses"])

    def test_what_a_view_tells(self):
        told = {}

        class Curious(EarliestDeadline):
            def decide(self, view, plan):
                told.update(tenants=view.tenant_names, networks=view.network_names, kinds=view.kind_names,
                            targets=[one.target for one in view.agreements],
                            table=view.agreement_table(), shape=view.latencies().shape, ready=len(view.ready))
                super().decide(view, plan)

        fairlead.simulate(BUSY, policies=Curious)
        self.assertEqual(sorted(told["kinds"]), ["eyeriss", "simba"])
        self.assertEqual(sorted(told["networks"]), ["alexnet", "inception-v3", "resnet50"])
        self.assertEqual(len(told["tenants"]), 6)
        self.assertEqual(told["targets"], [0.8] * 6)
        self.assertEqual(told["table"]["target"].tolist(), [0.8] * 6)
        self.assertEqual(told["shape"], (told["ready"], 4))


class Failures(unittest.TestCase):
    def fails(self, decide, error, message):
        with self.assertRaisesRegex(error, message):
            fairlead.simulate(BUSY, policies=[type("Failing", (), {"decide": decide})])

    def test_what_a_policy_raises_comes_out(self):
        def decide(self, view, plan):
            raise LookupError("nothing found")

        self.fails(decide, LookupError, "nothing found")

    def test_with_its_traceback(self):
        def decide(self, view, plan):
            return [][1]

        try:
            fairlead.simulate(BUSY, policies=[type("Failing", (), {"decide": decide})])
        except IndexError as error:
            frames = []
            trace = error.__traceback__
            while trace:
                frames.append(trace.tb_frame.f_code.co_name)
                trace = trace.tb_next
            self.assertEqual(frames[-1], "decide")
        else:
            self.fail("nothing was raised")

    def test_ctrl_c_in_a_policy(self):
        def decide(self, view, plan):
            raise KeyboardInterrupt

        self.fails(decide, KeyboardInterrupt, "")

    def test_a_wrong_plan_is_printed(self):
        def decide(self, view, plan):
            for accelerator in view.accelerators:
                plan.start(0, 0)

        self.fails(decide, fairlead.RunError, "policy Failing made a wrong plan at .*\n(.*\n)*The plan:")

    def test_a_policy_that_does_nothing(self):
        self.fails(lambda self, view, plan: None, fairlead.RunError, "left .* jobs waiting")

    def test_things_that_are_not_there(self):
        self.fails(lambda self, view, plan: plan.start(10**6, 0), IndexError, "view.ready has no")
        self.fails(lambda self, view, plan: plan.start(0, 99), IndexError, "no accelerator 99")
        self.fails(lambda self, view, plan: plan.start("first", 0), TypeError, "segment of view.ready")
        self.fails(lambda self, view, plan: plan.drop(0, "whim"), ValueError, "unknown reason 'whim'")

    def test_a_view_is_over_with_its_decision(self):
        kept = []

        class Keeping(EarliestDeadline):
            def decide(self, view, plan):
                kept.append((view, plan, view.ready))
                super().decide(view, plan)

        fairlead.simulate(BUSY, policies=Keeping)
        view, plan, ready = kept[0]
        for use in (lambda: view.now, lambda: plan.wake(5), lambda: ready[0].deadline, lambda: view.ready_table()):
            with self.assertRaisesRegex(RuntimeError, "is over"):
                use()

    def test_an_old_segment_is_refused_in_a_new_plan(self):
        class Mixing(EarliestDeadline):
            old = None

            def decide(self, view, plan):
                if self.old is not None:
                    plan.start(self.old, 0)
                self.old = view.ready[0] if view.ready else None
                super().decide(view, plan)

        with self.assertRaisesRegex(RuntimeError, "is over"):
            fairlead.simulate(BUSY, policies=Mixing)

    def test_what_is_no_policy(self):
        with self.assertRaisesRegex(fairlead.InputError, "has no decide"):
            fairlead.simulate(BUSY, policies=[object()])

    def test_names(self):
        taken = type("Taken", (EarliestDeadline,), {"name": "edf-h"})
        with self.assertRaisesRegex(fairlead.InputError, "built in"):
            fairlead.simulate(BUSY, policies=[taken])
        with self.assertRaisesRegex(fairlead.InputError, "stands twice"):
            fairlead.simulate(BUSY, policies=[EarliestDeadline, EarliestDeadline()])


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(one) for one in arguments])
        return status, out.getvalue(), err.getvalue()

    def test_a_policy_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            scenario, mine = pathlib.Path(folder, "busy.yaml"), pathlib.Path(folder, "mine.py")
            scenario.write_text(json.dumps(BUSY))
            mine.write_text("class Mine:\n    def decide(self, view, plan):\n        for a in view.accelerators:\n"
                            "            if a.idle and len(view.ready) > len(plan):\n"
                            "                plan.start(len(plan), a)\n")
            status, out, _ = self.run_main("simulate", scenario, "--policy", f"edf-h,{mine}", "-o", "json")
            self.assertEqual(status, 0)
            self.assertEqual([run["policy"] for run in json.loads(out)["runs"]], ["edf-h", "Mine"])
            status, out, _ = self.run_main("simulate", scenario, "--policy", f"{mine}:Mine", "--require", "worst>=100%")
            self.assertEqual(status, 1)
            self.assertIn("Mine", out)
            status, _, err = self.run_main("simulate", scenario, "--policy", f"{mine}:Other")
            self.assertEqual(status, 2)
            self.assertIn("has no Other", err)


if __name__ == "__main__":
    unittest.main()
