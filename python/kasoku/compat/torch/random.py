"""torch.manual_seed, torch.Generator."""

import kasoku as ks


class Generator:
    def __init__(self, device="cpu"):
        self.device = device
        self.seed()

    def manual_seed(self, seed):
        self._seed = int(seed)
        self._g = ks.random.default_rng(self._seed % 2**64)
        return self

    def seed(self):
        self._g = ks.random.default_rng()
        self._seed = self._g.seed
        return self._seed

    def initial_seed(self):
        return self._seed


default_generator = Generator()
manual_seed, seed = default_generator.manual_seed, default_generator.seed
initial_seed = default_generator.initial_seed


def source(generator=None):
    """The engine's generator behind a torch one."""
    return (generator or default_generator)._g
