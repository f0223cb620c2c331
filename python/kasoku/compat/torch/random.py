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


def deviation(std):
    """The standard deviation of a draw. Raises RuntimeError below zero and for NaN; -0.0 is 0.0, as in PyTorch."""
    on_gpu = getattr(getattr(std, "device", None), "type", "cpu") != "cpu"  # whose values are not read for a test
    holds = std >= 0
    if not (on_gpu or (holds.all() if hasattr(holds, "all") else holds)):
        raise RuntimeError(f"normal: std has to be >= 0, not {std}")
    return std + 0.0
