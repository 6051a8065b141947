"""What Gymnasium demands of an environment (its check_env), restated, so that it can be held to that without Gymnasium.

Each rule that is broken is an AssertionError, also those about which Gymnasium only warns. Written from the
documented behaviour of Gymnasium 0.29 and 1.x; where Gymnasium is installed the tests call its own check as well.
"""

import copy
import inspect

import numpy as np


def same(one, other):
    """Equal in type, structure and to the last bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return one == other


def leaves(space):
    return [leaf for sub in space.values() for leaf in leaves(sub)] if hasattr(space, "spaces") else [space]


def check_spaces(env):
    for space in leaves(env.observation_space) + leaves(env.action_space):
        assert space.shape and all(size > 0 for size in space.shape), "a space has a shape"
        if hasattr(space, "low"):
            assert space.low.shape == space.high.shape == space.shape
            assert space.low.dtype == space.high.dtype == space.dtype
            assert np.isfinite(space.low).all() and np.isfinite(space.high).all(), "bounds are finite"
            assert (space.low < space.high).all(), "bounds leave room"
        sample = space.sample()
        assert sample in space and sample.dtype == space.dtype, "a sample is in its space"
    for action in leaves(env.action_space):
        assert (np.abs(action.low) <= 1).all() and (action.low == -action.high).all(), "actions are normalised"


def check_observation(observation, space):
    assert observation in space, "an observation is in its space"
    if hasattr(space, "spaces"):
        assert type(observation) is dict and observation.keys() == space.spaces.keys()
        for key, one in space.spaces.items():
            check_observation(observation[key], one)
    else:
        assert isinstance(observation, np.ndarray) and observation.dtype == space.dtype


def check_reset(env):
    parameters = inspect.signature(env.reset).parameters
    for name in ("seed", "options"):
        assert parameters[name].default is None and parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert "return_info" not in parameters and not hasattr(env, "seed"), "words of old versions"
    result = env.reset()
    assert type(result) is tuple and len(result) == 2 and type(result[1]) is dict
    check_observation(result[0], env.observation_space)

    first, first_info = env.reset(seed=123)
    state = copy.deepcopy(env.unwrapped._np_random.bit_generator.state)
    then = env.reset()[0]
    again, again_info = env.reset(seed=123)
    assert env.unwrapped._np_random.bit_generator.state == state, "reset seeds the generator"
    assert same(first, again) and same(first_info, again_info), "equal seeds begin equally"
    assert same(then, env.reset()[0]), "and what follows without a seed is equal too"
    assert getattr(env.unwrapped, "np_random_seed", 123) == 123
    env.reset(seed=456)
    assert env.unwrapped._np_random.bit_generator.state != state, "other seeds differ"
    env.reset(options={})


def check_step(env, steps):
    env.action_space.seed(5)
    env.reset(seed=7)
    actions = [env.action_space.sample() for _ in range(steps)]
    env.reset(seed=7)
    first = [env.step(action) for action in actions]
    kept = copy.deepcopy(first)
    env.reset(seed=7)
    assert same(kept, [env.step(action) for action in actions]), "equal seeds and actions, equal steps"
    assert same(kept, first), "what was handed out does not change afterwards"
    for result in first:
        assert type(result) is tuple and len(result) == 5
        observation, reward, terminated, truncated, info = result
        check_observation(observation, env.observation_space)
        assert isinstance(reward, (float, np.floating)) and np.isfinite(reward)
        assert type(terminated) is bool and type(truncated) is bool and type(info) is dict


def check_render(make):
    modes = make(None).metadata["render_modes"]
    assert isinstance(modes, (list, tuple)) and all(isinstance(mode, str) for mode in modes)
    assert not modes or make(None).metadata["render_fps"] > 0
    for mode in [None, *modes]:
        env = make(mode)
        assert env.render_mode == mode
        env.reset(seed=1)
        shown = env.render()
        assert shown is None if mode is None else isinstance(shown, str), "ansi is text"
        env.close()
        env.close()


def check_environment(make, steps=50):
    """`make(render_mode)` makes the environment."""
    env = make(None)
    assert env.unwrapped is env
    check_spaces(env)
    check_reset(env)
    check_step(env, steps)
    check_render(make)
