#!/usr/bin/env python3
"""The program from outside: quote and provision.

    quote_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

from cli_program import Cli, main

JOBS = "network,layer,accelerator,latency_ns,dram_bytes,energy_pj\njob,0,x,10000000,0,0\njob,0,y,20000000,0,0\n"
WORLD = """
horizon: 10s
warm_up: 1s
networks: {profile: jobs.csv}
platform: {accelerators: [{kind: x}]}
arrivals: {process: poisson}
tenants:
  - {name: resident, networks: [job], rate: 30/s, deadline: 100ms, target: 90%}
"""
SMALL = "{name: acme, networks: [job], rate: 10/s, deadline: 100ms, target: 90%}"
LARGE = "{name: acme, networks: [job], rate: 120/s, deadline: 100ms, target: 90%}"


class QuoteAndProvision(Cli):
    def setUp(self):
        super().setUp()
        (self.folder / "jobs.csv").write_text(JOBS, encoding="utf-8")
        (self.folder / "world.yaml").write_text(WORLD, encoding="utf-8")

    def quote(self, *more):
        return self.run_json("quote", "world.yaml", "--policy", "edf-share", "--seeds", 6, *more)

    def test_json_is_what_scripts_rely_on(self):
        quote = self.quote("--agreement", SMALL)
        self.assertEqual(list(quote)[:6], ["answer", "target", "rate", "confidence", "reason", "hurts"])
        self.assertEqual((quote["answer"], quote["target"], quote["confidence"], quote["hurts"]),
                         ("yes", 0.9, 0.99, []))
        self.assertAlmostEqual(quote["rate"], 10)
        self.assertEqual(len(quote["traffic"]["simulated"]), 6)
        self.assertEqual([one["tenant"] for one in quote["agreements"]], ["resident", "acme"])

    def test_who_would_be_hurt_is_named(self):
        quote = self.quote("--agreement", LARGE)
        self.assertEqual(quote["answer"], "at-most")
        self.assertLess(quote["rate"], 80)
        self.assertEqual(quote["hurts"], [{"tenant": "resident", "network": "job"}])

    def test_several_agreements_are_asked_for_together(self):
        other = SMALL.replace("acme", "other").replace("10/s", "12/s")
        quote = self.quote("--agreement", SMALL, "--agreement", other)
        self.assertEqual((quote["answer"], quote["rate"], quote["rate_share"]), ("yes", None, 1))
        self.assertEqual([one["asked"] for one in quote["agreements"]], [False, True, True])

    def test_the_table_begins_with_the_answer(self):
        table = self.run_program("quote", "world.yaml", "--policy", "edf-share", "--seeds", 6)
        self.assertTrue(table.startswith("world: yes\nall 1 promises are kept"), table)
        self.assertIn("resident job", table)
        self.assertIn("200 traffics of 10 s were drawn (seeds 1 to 200), 6 of them simulated", table)

    def test_the_page_is_the_same_each_time(self):
        command = ["quote", "world.yaml", "--policy", "edf-share", "--seeds", 6, "--report", "page.html"]
        self.run_program(*command)
        first = self.read("page.html")
        self.run_program(*command)
        self.assertEqual(self.read("page.html"), first)
        self.assertIn(b"Shares beside promises", first)

    def test_provision_finds_the_smallest_platform(self):
        (self.folder / "world.yaml").write_text(
            WORLD.replace("{kind: x}", "{kind: x}, {kind: y}").replace("30/s", "120/s"), encoding="utf-8")
        found = self.run_json("provision", "world.yaml", "--policy", "edf-share", "--seeds", 6, "--max", 4,
                              "--cost", "x=3")
        self.assertEqual(found["platform"], {"x": 0, "y": 3})  # 108 of 120 a second take more than 2 y
        self.assertEqual(found["cost"], 3)
        self.assertEqual([next_["adds"] for next_ in found["next"]], ["x", "y"])
        self.assertGreater(found["next"][0]["margin_gain"], 0)
        self.assertTrue(all(one["verdict"] != "keeps" for one in found["tried"][:-1]))


if __name__ == "__main__":
    main()
