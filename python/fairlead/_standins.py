"""Stand-ins for the parts of Gymnasium that `fairlead.gym` uses, where Gymnasium is not installed.

They have the names, signatures and behaviour that Gymnasium documents, no more: environments derive from its own
classes wherever it can be imported.
"""

from collections import OrderedDict
from types import SimpleNamespace

import numpy as np


def np_random(seed=None):
    """A generator and the seed that it was made from."""
    if seed is not None and not (isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0):
        raise ValueError(f"a seed is a non-negative integer or omitted, not {seed!r}")
    sequence = np.random.SeedSequence(None if seed is None else int(seed))
    return np.random.Generator(np.random.PCG64(sequence)), sequence.entropy


class _Random:
    _np_random = None
    _np_random_seed = None

    @property
    def np_random(self):
        if self._np_random is None:
            self._np_random, self._np_random_seed = np_random()
        return self._np_random

    @np_random.setter
    def np_random(self, value):
        self._np_random, self._np_random_seed = value, -1


class Env(_Random):
    metadata = {"render_modes": []}
    render_mode = None
    spec = None

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._np_random, self._np_random_seed = np_random(seed)

    @property
    def np_random_seed(self):
        self.np_random  # noqa: B018: makes one
        return self._np_random_seed

    def render(self):
        raise NotImplementedError

    def close(self):
        pass

    @property
    def unwrapped(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        return False


class VectorEnv(Env):
    num_envs = 0
    closed = False

    def close(self, **_):
        self.closed = True


class Space(_Random):
    def __init__(self, shape=None, dtype=None, seed=None):
        self._shape = None if shape is None else tuple(shape)
        self.dtype = None if dtype is None else np.dtype(dtype)
        if seed is not None:
            self.seed(seed)

    @property
    def shape(self):
        return self._shape

    def seed(self, seed=None):
        self._np_random, self._np_random_seed = np_random(seed)
        return self._np_random_seed

    def contains(self, x):
        raise NotImplementedError

    def __contains__(self, x):
        return self.contains(x)


class Box(Space):
    """All arrays of a shape whose numbers lie between `low` and `high`, both included."""

    def __init__(self, low, high, shape=None, dtype=np.float32, seed=None):
        if shape is None:
            shape = np.broadcast(np.asarray(low), np.asarray(high)).shape
        super().__init__(shape, dtype, seed)
        self.low = np.full(self.shape, low, dtype=self.dtype) if np.isscalar(low) else np.asarray(low, self.dtype)
        self.high = np.full(self.shape, high, dtype=self.dtype) if np.isscalar(high) else np.asarray(high, self.dtype)
        if self.low.shape != self.shape or self.high.shape != self.shape:
            raise ValueError("low and high have the shape of the box")

    def sample(self, mask=None):
        if mask is not None:
            raise ValueError("a Box has no mask")
        if np.issubdtype(self.dtype, np.floating):
            drawn = self.np_random.uniform(self.low.astype(np.float64), self.high.astype(np.float64))
        else:
            drawn = self.np_random.integers(self.low.astype(np.int64), self.high.astype(np.int64), endpoint=True)
        return np.asarray(drawn).astype(self.dtype)

    def contains(self, x):
        if not isinstance(x, np.ndarray):
            return False
        return bool(np.can_cast(x.dtype, self.dtype) and x.shape == self.shape and np.all(x >= self.low)
                    and np.all(x <= self.high))

    def __eq__(self, other):
        return (isinstance(other, Box) and self.shape == other.shape and self.dtype == other.dtype
                and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))

    def __repr__(self):
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


class MultiBinary(Space):
    """All arrays of a shape whose numbers are 0 or 1."""

    def __init__(self, n, seed=None):
        self.n = n if isinstance(n, int) else tuple(n)
        super().__init__((n,) if isinstance(n, int) else tuple(n), np.int8, seed)

    def sample(self, mask=None):
        return self.np_random.integers(0, 2, self.shape, dtype=self.dtype)

    def contains(self, x):
        return bool(isinstance(x, np.ndarray) and x.shape == self.shape and np.all((x == 0) | (x == 1)))

    def __eq__(self, other):
        return isinstance(other, MultiBinary) and self.shape == other.shape

    def __repr__(self):
        return f"MultiBinary({self.n})"


class Dict(Space):
    """Dictionaries with a value of each space, by key; keys are in order."""

    def __init__(self, spaces, seed=None):
        self.spaces = OrderedDict(sorted(spaces.items()))
        super().__init__(None, None, None)
        if seed is not None:
            self.seed(seed)

    def seed(self, seed=None):
        super().seed(seed)
        for space in self.spaces.values():
            space.seed(int(self.np_random.integers(2**31 - 1)))
        return self._np_random_seed

    def sample(self, mask=None):
        return OrderedDict((key, space.sample()) for key, space in self.spaces.items())

    def contains(self, x):
        return isinstance(x, dict) and x.keys() == self.spaces.keys() and all(
            x[key] in space for key, space in self.spaces.items())

    def __getitem__(self, key):
        return self.spaces[key]

    def keys(self):
        return self.spaces.keys()

    def values(self):
        return self.spaces.values()

    def items(self):
        return self.spaces.items()

    def __len__(self):
        return len(self.spaces)

    def __iter__(self):
        return iter(self.spaces)

    def __eq__(self, other):
        return isinstance(other, Dict) and self.spaces == other.spaces

    def __repr__(self):
        return f"Dict({', '.join(f'{key!r}: {space}' for key, space in self.spaces.items())})"


spaces = SimpleNamespace(Box=Box, Dict=Dict, MultiBinary=MultiBinary, Space=Space)
