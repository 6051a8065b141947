"""Environments: Gymnasium's rules, equal runs for equal seeds, many in one, rewards."""

import copy
import os
import pickle
import subprocess
import sys
import unittest
import warnings

import fairlead
import numpy as np
from environment_rules import check_environment, same
from fairlead import gym
from support import BUSY

SHORT = {**BUSY, "horizon": "20ms"}


def first_come(env):
    """An action that leaves everything to the frame: least slack first, where it finishes soonest."""
    return np.zeros(env.action_space.shape, np.float32)


def episode(env, act, **reset):
    """All steps until the end, as (reward, discount) each, and the last info."""
    _, info = env.reset(**reset)
    steps = []
    while True:
        _, reward, terminated, truncated, info = env.step(act(env))
        steps.append((reward, info["discount"]))
        if terminated or truncated:
            return steps, info


class Rules(unittest.TestCase):
    def test_an_environment_keeps_gymnasiums_rules(self):
        check_environment(lambda mode: gym.FairleadEnv(BUSY, render_mode=mode))

    def test_so_does_one_that_knows_no_promises(self):
        check_environment(lambda mode: gym.FairleadEnv(BUSY, aware=False, rows=5, reward="hits", render_mode=mode))

    @unittest.skipIf(gym.gymnasium is None, "Gymnasium is not installed")
    def test_gymnasium_itself_agrees(self):
        from gymnasium.utils.env_checker import check_env
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            check_env(gym.FairleadEnv(BUSY))
            check_env(gym.FairleadEnv(fairlead.load(BUSY), aware=False, render_mode="ansi"))
            check_env(gym.gymnasium.make("Fairlead-v0", scenario=BUSY).unwrapped)

    @unittest.skipUnless(hasattr(gym.gymnasium, "vector") and hasattr(gym.gymnasium.vector, "AutoresetMode"),
                         "Gymnasium 1.1 is not installed")
    def test_gymnasium_makes_many_in_one(self):
        from gymnasium.vector.utils import batch_space
        envs = gym.gymnasium.make_vec("Fairlead-v0", num_envs=3, scenario=SHORT, max_steps=2,
                                      vectorization_mode="vector_entry_point")
        self.assertIsInstance(envs, gym.FairleadVectorEnv)
        self.assertEqual(envs.observation_space, batch_space(envs.single_observation_space, 3))
        self.assertEqual(envs.action_space, batch_space(envs.single_action_space, 3))
        envs = gym.gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
        envs.reset(seed=1)
        for _ in range(5):
            envs.step(first_come(envs))
        self.assertEqual(list(envs.length_queue), [2] * 3 + [2] * 3)

    @unittest.skipUnless(gym.gymnasium is None, "Gymnasium is installed, and has been tried above")
    def test_one_derives_from_gymnasium_where_that_can_be_imported(self):
        tried = subprocess.run([sys.executable, "gymnasium_shape.py"], cwd=os.path.dirname(os.path.abspath(__file__)),
                               capture_output=True, text=True, check=False)
        self.assertEqual((tried.stdout, tried.stderr), ("kept\n", ""))

    def test_observations_stay_within_their_bounds_to_the_end(self):
        env = gym.FairleadEnv({**SHORT, "load": 2.5}, rows=8)
        env.action_space.seed(1)
        observation, _ = env.reset(seed=1)
        over = False
        while not over:
            self.assertIn(observation, env.observation_space)
            observation, _, over, _, _ = env.step(env.action_space.sample())
        self.assertIn(observation, env.observation_space)


class Environment(unittest.TestCase):
    def test_an_episode_is_a_run_of_the_simulator(self):
        env = gym.FairleadEnv(SHORT)
        _, info = episode(env, first_come, options={"run_seed": 3})
        agent = gym.Agent(lambda seen: np.zeros((len(seen["segments"]), 5)), rows=64)
        run = fairlead.simulate(SHORT, policies=[agent], seeds=[3])["runs"][0]
        self.assertEqual(run["policy"], "agent")
        self.assertEqual((info["hits"], info["ended"]), (run["hits"], run["requests"]))

    def test_a_plain_reward_sums_to_hits_less_failures(self):
        env = gym.FairleadEnv(SHORT, reward="hits", tau="10000h")
        steps, info = episode(env, first_come, seed=1)
        self.assertAlmostEqual(sum(reward for reward, _ in steps), 2 * info["hits"] - info["ended"], places=3)

    def test_discounts_are_of_simulated_time(self):
        env = gym.FairleadEnv(SHORT, tau="1ms")
        env.reset(seed=1)
        for _ in range(20):
            *_, info = env.step(first_come(env))
            self.assertAlmostEqual(info["discount"], np.exp(-info["elapsed"] / 1e-3), places=9)

    def test_awareness_adds_two_columns(self):
        aware, unaware = gym.FairleadEnv(SHORT), gym.FairleadEnv(SHORT, aware=False)
        self.assertEqual(aware.observation_space["segments"].shape[1],
                         unaware.observation_space["segments"].shape[1] + 2)

    def test_a_limit_of_steps_truncates(self):
        env = gym.FairleadEnv(SHORT, max_steps=3)
        env.reset(seed=1)
        ends = [env.step(first_come(env))[2:4] for _ in range(3)]
        self.assertEqual(ends, [(False, False), (False, False), (False, True)])

    def test_choices_matter(self):
        def backwards(env):
            action = first_come(env)
            action[:, 0] = np.linspace(-0.5, 1, action.shape[0])  # the least urgent first
            return action

        env = gym.FairleadEnv({**BUSY, "load": 1.2}, reward="hits", tau="10000h")
        one, other = (episode(env, act, options={"run_seed": 1})[1]["hits"] for act in (first_come, backwards))
        self.assertNotEqual(one, other)

    def test_a_copy_has_not_begun(self):
        env = gym.FairleadEnv(SHORT, rows=7, aware=False, render_mode="ansi")
        first, _ = env.reset(seed=3)
        for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            self.assertEqual((twin.render_mode, twin.observation_space), ("ansi", env.observation_space))
            with self.assertRaisesRegex(fairlead.RunError, "reset"):
                twin.step(first_come(twin))
            self.assertTrue(same(twin.reset(seed=3)[0], first))
        many = pickle.loads(pickle.dumps(gym.FairleadVectorEnv(2, SHORT, rows=7, aware=False)))
        self.assertTrue(same({key: value[0] for key, value in many.reset(seed=3)[0].items()}, first))
        world = fairlead.load(SHORT)
        self.assertIs(copy.deepcopy({"scenario": world})["scenario"], world)

    def test_mistakes(self):
        env = gym.FairleadEnv(SHORT)
        with self.assertRaisesRegex(fairlead.RunError, "reset"):
            env.step(first_come(env))
        env.reset(seed=1)
        with self.assertRaisesRegex(ValueError, "shape"):
            env.step(np.zeros(3))
        with self.assertRaisesRegex(fairlead.RunError, "not a number"):
            env.step(np.full(env.action_space.shape, np.nan))
        for wrong in ({"reward": "money"}, {"rows": 0}, {"tau": "5"}, {"render_mode": "human"}):
            with self.assertRaises(fairlead.InputError):
                gym.FairleadEnv(SHORT, **wrong)
        with self.assertRaisesRegex(fairlead.InputError, "unknown speed"):
            env.reset(options={"speed": 1})

    def test_what_an_agent_raises_comes_out(self):
        def act(seen):
            raise LookupError("no answer")

        with self.assertRaisesRegex(LookupError, "no answer"):
            fairlead.simulate(SHORT, policies=[gym.Agent(act)])
        with self.assertRaisesRegex(ValueError, "expected an action of"):
            fairlead.simulate(SHORT, policies=[gym.Agent(lambda seen: np.zeros(3))])


class ManyInOne(unittest.TestCase):
    def test_each_is_the_single_one_with_its_seed(self):
        for threads in (1, 3):
            many = gym.FairleadVectorEnv(5, SHORT, threads=threads)
            many.action_space.seed(4)
            singles = [gym.FairleadEnv(SHORT) for _ in range(5)]
            seen, _ = many.reset(seed=10)
            self.assertIn(seen, many.observation_space)
            for i, env in enumerate(singles):
                observation, _ = env.reset(seed=10 + i)
                self.assertTrue(same(observation, {key: seen[key][i] for key in seen}))
            for _ in range(100):
                actions = many.action_space.sample()
                seen, rewards, over, truncated, info = many.step(actions)
                self.assertFalse(truncated.any())
                for i, env in enumerate(singles):
                    observation, reward, terminated, _, told = env.step(actions[i])
                    self.assertTrue(same(observation, {key: seen[key][i] for key in seen}))
                    self.assertEqual((reward, terminated), (rewards[i], over[i]))
                    self.assertEqual(told["discount"], info["discount"][i])

    def test_the_step_after_the_end_begins_anew(self):
        many = gym.FairleadVectorEnv(3, SHORT, max_steps=4)
        many.reset(seed=1)
        ends = []
        for _ in range(10):
            seen, rewards, over, truncated, _ = many.step(first_come(many))
            ends.append((over | truncated).tolist())
            self.assertTrue((seen["mask"].sum(axis=1) > 0).all())
        self.assertEqual([all(one) for one in ends], [False] * 3 + [True] + [False] * 4 + [True] + [False])
        self.assertEqual(many.told(0)["ended"] >= 0, True)

    def test_the_action_before_it_is_ignored(self):
        many, other = (gym.FairleadVectorEnv(2, SHORT, max_steps=2) for _ in range(2))
        for envs in (many, other):
            envs.reset(seed=[np.int64(1), 2])
            for _ in range(2):
                envs.step(first_come(envs))
        nothing = np.full(many.action_space.shape, np.nan, np.float32)
        self.assertTrue(same(many.step(nothing), other.step(first_come(other))))
        self.assertTrue(np.isnan(nothing).all())
        with self.assertRaisesRegex(ValueError, "shape"):
            many.step(first_come(many).reshape(-1))

    def test_ended_runs_begin_with_other_seeds(self):
        many = gym.FairleadVectorEnv(2, {**BUSY, "horizon": "2ms"})
        first, _ = many.reset(seed=1)
        began, finished = [], np.zeros(2, bool)
        for _ in range(2000):
            seen, rewards, over, _, _ = many.step(first_come(many))
            if finished.all():
                began.append(seen["segments"][0].copy())
                break
            finished |= over
        self.assertTrue(finished.all())

    def test_samples_fit(self):
        many = gym.FairleadVectorEnv(4, SHORT)
        self.assertEqual(many.action_space.sample().shape, (4, *many.single_action_space.shape))
        self.assertEqual(many.observation_space["mask"].shape, (4, 64))


if __name__ == "__main__":
    unittest.main()
