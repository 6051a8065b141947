#!/usr/bin/env python3
"""The program from outside: help, lists of what there is, and checks of files.

    lists_test.py path/to/fairlead

What is wrong input, and what the program says about it, is tests/bad_input's.
"""

import math

from cli_program import HERE, PROGRAM, SMALL, Cli, main

VERBS = ["simulate", "suite", "replay", "why", "cut", "check", "cost", "profile", "import", "policies",
         "networks", "accelerators"]


class Help(Cli):
    def test_what_is_printed_fits_80_columns(self):
        lists = [(name,) for name in ("policies", "networks", "accelerators", "mechanisms")]
        lists += [("networks", "densenet121"), ("networks", "yolo-v3"), ("policies", "fairlead"), ("experiment", "--list"),
                  ("cost", "alexnet", "--on", "simba"), ("cost", "alexnet", "--on", "simba,eyeriss,gemmini"),
                  ("share", str(HERE.parent / "bad_input/good/sharing.yaml"), "--envy", "--mechanism", "all"),
                  ("check", SMALL)]
        for words in lists:
            for line in self.run_program(*words).replace(PROGRAM, "fairlead").split("\n"):
                if str(HERE) not in line:  # folders may have long names
                    self.assertLessEqual(len(line), 80, f"{words}: {line}")

    def test_every_verb_explains_itself_with_an_example(self):
        top = self.run_program("--help")
        for verb in VERBS:
            self.assertIn(verb, top)
            text = self.run_program(verb, "--help")
            self.assertIn("Example", text)
            self.assertIn(f"  fairlead {verb} ", text)

    def test_simulate_lists_the_policies(self):
        text = self.run_program("simulate", "--help")
        for policy in self.run_json("policies"):
            self.assertIn(policy["name"], text)

    def test_help_is_a_verb_too(self):
        self.assertEqual(self.run_program("help"), self.run_program("--help"))
        self.assertEqual(self.run_program("help", "why"), self.run_program("why", "--help"))

    def test_version(self):
        self.assertRegex(self.run_program("--version"), r"^fairlead \d+\.\d+\.\d+\n$")


class Lists(Cli):
    def check_list(self, verb, keys, names):
        entries = self.run_json(verb)
        for entry in entries:
            self.assertLessEqual(keys, set(entry))
        self.assertLessEqual(names, {entry["name"] for entry in entries})
        text = self.run_program(verb)
        for entry in entries:
            self.assertIn(entry["name"], text)

    def test_policies(self):
        self.check_list("policies", {"name", "description"},
                        {"fcfs-h", "edf-h", "sjf", "least-laxity", "random", "round-robin",
                         "fixed-plan"})

    def test_one_policy(self):
        policy, = self.run_json("policies", "sjf")
        text = self.run_program("policies", "sjf")
        for option in policy["options"]:
            self.assertIn(f"{option['key']}={option['values']}\n      {option['default']} unless given", text)
        self.run_program("policies", "sjff", status=2, stderr="unknown policy 'sjff'; did you mean 'sjf'?\n")

    def test_networks(self):
        self.check_list("networks", {"name", "layers", "parameters", "macs", "input",
                                     "activations"},
                        {"alexnet", "densenet121", "efficientnet-b0", "googlenet", "inception-v3",
                         "mnasnet1-0", "mobilenet-v2", "mobilenet-v3-large", "resnet18",
                         "resnet50", "shufflenet-v2-x1-0", "squeezenet1-1", "vgg16",
                         "wide-resnet50-2", "yolo-v3"})

    def test_the_layers_of_a_network(self):
        for network in self.run_json("networks"):
            layers = self.run_json("networks", network["name"])
            self.assertEqual(len(layers), network["layers"])
            for key in "macs", "parameters":
                self.assertEqual(sum(layer[key] for layer in layers), network[key])
            k, p, q = zip(*(layer["output"] for layer in layers))
            self.assertEqual(sum(map(math.prod, zip(k, p, q))), network["activations"])
            text = self.run_program("networks", network["name"])
            for layer in layers:
                self.assertIn(f"\n{layer['name']} ", text)

    def test_the_layers_of_a_file(self):
        exports = HERE.parent / "onnx" / "torchvision"
        listed = self.run_json("networks", exports / "resnet18.onnx")
        built_in = self.run_json("networks", "resnet18")
        for key in "kind", "shape", "parameters", "macs", "output":
            self.assertEqual(sorted(str(layer[key]) for layer in listed),
                             sorted(str(layer[key]) for layer in built_in))

    def test_a_file_with_an_operator_that_is_not_known(self):
        path = HERE.parent / "fuzz" / "corpus" / "onnx" / "unknown.onnx"
        text = self.run_program(
            "networks", path,
            stderr=f"{path}: operator 'TopK' is not known: costs what it reads and writes (1 time: "
                   f"topk)\n{path}: dimensions of TopK's result are not known: taken as its input's "
                   f"(1 time: y)\n")
        self.assertIn("topk", text)

    def test_a_layer_says_all_about_itself(self):
        lines = self.run_program("networks", "resnet18").splitlines()
        self.assertEqual(lines[0].split(),
                         ["layer", "kind", "shape", "parameters", "MMACs", "output"])
        self.assertEqual(lines[1].split(),
                         ["conv1", "conv", "3x64", "7x7/2", "9536", "118.01", "64x112x112"])
        self.assertEqual(lines[2].split(),
                         ["pool1", "pool", "64", "3x3/2", "0", "0.00", "64x56x56"])
        self.assertIn("    after stage2.0.conv2 stage2.0.shortcut\n", "\n".join(lines))
        self.assertEqual(self.run_json("networks", "resnet18")[1], {
            "name": "pool1", "kind": "pool",
            "shape": {"n": 1, "k": 64, "c": 1, "p": 56, "q": 56, "r": 3, "s": 3, "stride": 2,
                      "groups": 1, "operands": 64 * 112 * 112},
            "parameters": 0, "macs": 0, "output": [64, 56, 56], "after": ["conv1"]})

    def test_an_accelerator_of_a_file(self):
        (self.folder / "mine.yaml").write_text("name: mine\nlike: simba\n", encoding="utf-8")
        mine, = self.run_json("accelerators", "mine.yaml")
        simba, = self.run_json("accelerators", "simba")
        self.assertEqual({**mine, "name": "simba"}, simba)
        self.assertIn("\nmine ", self.run_program("accelerators", "mine.yaml"))

    def test_mechanisms(self):
        self.check_list("mechanisms", {"name", "description", "options"},
                        {"most-token-first", "themis", "gandiva-fair", "token-game"})

    def test_accelerators(self):
        self.check_list("accelerators", {"name", "description"}, {"simba", "eyeriss"})


class Check(Cli):
    def test_it_says_what_the_scenario_has(self):
        text = " ".join(self.run_program("check", SMALL).split())
        self.assertIn("3 tenants, 4 agreements, 2 networks, 3 accelerators, load 0.600", text)

    def test_the_shipped_scenarios(self):
        for path in sorted((HERE.parent.parent / "scenarios").glob("*.yaml")):
            self.run_program("check", path)


if __name__ == "__main__":
    main()
