"""torch.stft and torch.istft: the spectra of windows of a signal, the engine's transforms."""

import kasoku as ks

from ._table import functions
from ._tensor import Tensor

_stft_first = "stft requires the return_complex parameter be given for real inputs"


def _window_of(window, n_fft, win_length, like):
    """The window in the middle of n_fft places; ones if there is none."""
    length = n_fft if win_length is None else int(win_length)
    if not 0 < length <= n_fft:
        raise RuntimeError(f"expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is None:
        made = ks.ones(length, str(like.dtype) if like.dtype.kind == "f" else "float32", like.device)
    else:
        made = window._a
        if made.shape != (length,):
            raise RuntimeError(
                f"expected a 1D window tensor of size equal to win_length={length}, but got window with size {list(made.shape)}"
            )
    left = (n_fft - length) // 2
    return ks.pad(made, (left, n_fft - length - left)) if length < n_fft else made


@functions.row("tensors")
def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
         onesided=None, return_complex=None, align_to_window=None):  # fmt: skip
    """Spectra of windows of so many places, `hop_length` apart, as columns."""
    x = input._a
    has_complex = x.dtype.kind == "c" or (window is not None and window.dtype.is_complex)
    if return_complex is None and not has_complex:
        raise RuntimeError(_stft_first)
    if x.ndim not in (1, 2):
        raise RuntimeError(f"expected a 1D or 2D tensor, not one of {x.ndim} dimensions")
    hop = n_fft // 4 if hop_length is None else int(hop_length)
    if hop <= 0:
        raise RuntimeError(f"expected hop_length > 0, but got hop_length={hop}")
    if center:
        x = ks.pad(x, [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)], mode="edge" if pad_mode == "replicate" else
                   {"circular": "wrap"}.get(pad_mode, pad_mode))  # fmt: skip
    if not 0 < n_fft <= x.shape[-1]:
        raise RuntimeError(f"expected 0 < n_fft <= {x.shape[-1]}, but got n_fft={n_fft}")
    frames = ks.lib.stride_tricks.sliding_window_view(x, n_fft, axis=-1)[..., ::hop, :]
    frames = frames * _window_of(window, n_fft, win_length, x)
    is_half = not has_complex if onesided is None else onesided
    found = (ks.fft.rfft if is_half else ks.fft.fft)(frames, norm="ortho" if normalized else None)
    found = Tensor(ks.moveaxis(found, -1, -2).copy())
    return found if return_complex or return_complex is None else functions.view_as_real(found)


def _overlapped(frames, hop):
    """The sum of frames that begin `hop` places apart, piece by piece of that length."""
    *front, count, length = frames.shape
    pieces = -(-length // hop)
    frames = ks.pad(frames, [(0, 0)] * (len(front) + 1) + [(0, pieces * hop - length)])
    total = ks.zeros((*front, (count + pieces) * hop), str(frames.dtype), frames.device)
    for k in range(pieces):
        total[..., k * hop : (k + count) * hop] += frames[..., k * hop : (k + 1) * hop].reshape(*front, count * hop)
    return total[..., : (count - 1) * hop + length]


@functions.row("tensors")
def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None,
          length=None, return_complex=False):  # fmt: skip
    """The signal whose stft() that is, where the windows' squares do not vanish."""
    spectra = ks.moveaxis(input._a, -1, -2)
    hop = n_fft // 4 if hop_length is None else int(hop_length)
    weights = _window_of(window, n_fft, win_length, spectra.real)
    is_half = spectra.shape[-1] != n_fft if onesided is None else onesided
    norm = "ortho" if normalized else None
    frames = ks.fft.irfft(spectra, n_fft, norm=norm) if is_half else ks.fft.ifft(spectra, norm=norm)
    frames = frames if return_complex else frames.real
    total = _overlapped(frames * weights, hop)
    squares = _overlapped(ks.broadcast_to(weights * weights, frames.shape[-2:]).copy(), hop)
    first = n_fft // 2 if center else 0
    last = total.shape[-1] - first if length is None else min(first + int(length), total.shape[-1])
    squares = squares[first:last]
    if bool((ks.abs(squares) < 1e-11).any()):
        raise RuntimeError("istft: the windows' squares overlap to 0 at some place")
    made = total[..., first:last] / squares
    if length is not None and made.shape[-1] < length:
        made = ks.pad(made, [(0, 0)] * (made.ndim - 1) + [(0, int(length) - made.shape[-1])])
    return Tensor(made.astype(str(frames.dtype)))
