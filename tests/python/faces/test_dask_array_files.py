"""Arrays in chunks that are stored, read and drawn."""

import numpy as np
import pytest
from dask_arrays import a, b, v, w, x, y
from kasoku.compat import dask
from kasoku.compat.dask import array as da


def test_a_folder_of_chunks_is_read_by_dask_and_by_us(tmp_path):
    da.to_npy_stack(tmp_path / "stack", x, axis=1)
    assert sorted(file.name for file in (tmp_path / "stack").iterdir()) == ["0.npy", "1.npy", "info"]
    assert (da.from_npy_stack(tmp_path / "stack").compute() == a).all()
    real = pytest.importorskip("dask.array")
    assert (real.from_npy_stack(str(tmp_path / "stack")).compute() == a).all()


def test_pictures_are_read_when_they_are_needed(tmp_path):
    for k in range(3):
        np.save(tmp_path / f"{k}.npy", a + k)
    pictures = da.image.imread(str(tmp_path / "*.npy"), imread=np.load, preprocess=lambda picture: picture[:5])
    assert pictures.shape == (3, 5, 40) and pictures.chunks[0] == (1, 1, 1)
    assert (pictures.compute() == np.stack([a[:5], a[:5] + 1, a[:5] + 2])).all()
    with pytest.raises(ValueError, match="No files found"):
        da.image.imread(str(tmp_path / "*.png"), imread=np.load)


def test_arrays_are_stored_chunk_by_chunk():
    target, other = np.zeros((60, 40)), np.zeros((200, 90))
    pieces = []

    class Watched:
        shape, dtype = target.shape, target.dtype

        def __setitem__(self, place, values):
            pieces.append(np.shape(values))
            target[place] = values

    waits = da.store(x, Watched(), compute=False)
    assert not pieces and not target.any()
    waits.compute()
    assert sorted(pieces) == sorted([(20, 25), (20, 15)] * 3) and (target == a).all()
    region = (slice(10, 70), slice(5, 85, 2))
    assert da.store([x, x + 1], [other, target], regions=[region, (slice(None),)]) is None
    assert (other[region] == a).all() and np.count_nonzero(other) == np.count_nonzero(a) and (target == a + 1).all()
    plane = np.zeros((3, 50))
    da.store(w, plane, regions=(1, slice(None)), lock=False)
    assert (plane[1] == v).all() and not plane[[0, 2]].any()
    one = np.zeros(())
    da.store(x.sum(), one)
    assert one == pytest.approx(a.sum())
    back = da.store(x, target, return_stored=True)
    assert isinstance(back, da.Array) and back.chunks == x.chunks and (back.compute() == a).all()
    with pytest.raises(ValueError, match="Different number"):
        da.store([x, y], [target])
    with pytest.raises(ZeroDivisionError):
        da.store(x.map_blocks(lambda block: 1 // 0, dtype=float), target)


def test_arrays_go_into_zarr_and_come_back(tmp_path):
    zarr = pytest.importorskip("zarr")
    place = str(tmp_path / "x.zarr")
    x.to_zarr(place)
    back = da.from_zarr(place)
    assert back.chunks == x.chunks and (back.compute() == a).all()
    assert da.from_zarr(place, chunks=(60, -1)).numblocks == (1, 1)
    da.to_zarr(x.rechunk(((7, 53), (40,))), str(tmp_path / "group.zarr"), component="one/two")
    assert (da.from_zarr(str(tmp_path / "group.zarr"), component="one/two").compute() == a).all()
    opened = zarr.open_array(place, mode="r+")
    da.to_zarr(da.zeros((20, 40), chunks=(20, 25)), opened, region=(slice(0, 20), slice(None)))
    assert not opened[:20].any() and (opened[20:] == a[20:]).all()
    waits = da.to_zarr(y, place, overwrite=True, compute=False)
    waits.compute()
    assert (da.from_zarr(zarr.open_array(place)).compute() == b).all()


def test_arrays_go_into_hdf5_and_come_back(tmp_path):
    h5py = pytest.importorskip("h5py")
    file = str(tmp_path / "x.h5")
    da.to_hdf5(file, "/one", x, compression="gzip")
    da.to_hdf5(file, {"/deep/two": y, "/three": w.sum()}, chunks=None)
    x[:5].to_hdf5(file, "/part", chunks=(1, 40))
    with h5py.File(file) as opened:
        assert opened["/one"].chunks == (20, 25) and (opened["/one"][:] == a).all()
        assert opened["/deep/two"].chunks is None and (opened["/deep/two"][:] == b).all()
        assert opened["/three"][()] == pytest.approx(v.sum()) and opened["/part"].chunks == (1, 40)
        assert (da.from_array(opened["/one"], chunks=(30, 40), lock=True) * 2).sum().compute() == pytest.approx(
            2 * a.sum()
        )
    with pytest.raises(ValueError, match="dictionary"):
        da.to_hdf5(file, x)


def test_a_lock_is_held_while_a_chunk_is_read_or_written():
    class Lock:
        taken = given = 0

        def acquire(self):
            self.taken += 1

        def release(self):
            self.given += 1

    class File:
        shape, dtype, ndim = (6,), np.dtype("f8"), 1

        def __getitem__(self, index):
            assert lock.taken == lock.given + 1
            return np.arange(6.0)[index]

    lock = Lock()
    assert da.from_array(File(), chunks=2, lock=lock, name="file").sum().compute(scheduler="sync") == 15
    assert lock.taken == lock.given == 3
    target = np.zeros(6)
    da.store(da.arange(6, chunks=3), target, lock=lock, scheduler="sync")
    assert lock.taken == lock.given == 5 and target.tolist() == list(range(6))


def test_what_store_gives():
    targets = np.zeros((60, 40)), np.zeros((60, 40))
    assert da.store([x, y], targets) is None and (targets[0] == a).all() and (targets[1] == b).all()
    later = np.zeros((60, 40))
    one = x.store(later, compute=False)
    assert isinstance(one, da.Array) and not later.any()
    assert one.compute().size == 0 and (later == a).all()
    two = da.store([x, x], [np.zeros((60, 40)), np.zeros((60, 40))], compute=False, return_stored=True)
    assert isinstance(two, tuple) and all((t == a).all() for t in dask.compute(*two))  # equal targets are two
    kept = np.zeros((60, 40))
    assert (da.store(x, dask.delayed(kept), return_stored=True).compute() == a).all() and (kept == a).all()
    wide = np.zeros((62, 80))
    da.store(x, wide, regions=(slice(1, 61), slice(0, 80, 2)))
    assert (wide[1:61, ::2] == a).all() and wide.sum() == pytest.approx(a.sum())
    rows = np.zeros((4, 50))
    da.store([w, w + 1], [rows, rows], regions=[(2,), (0, slice(None))])
    assert (rows[2] == v).all() and (rows[0] == v + 1).all() and not rows[1].any()


def test_an_array_s_page_shows_its_size_and_chunks():
    page = x._repr_html_()
    assert page.startswith("<table>") and "(60, 40)" in page and "(20, 25)" in page and "18.75 kiB" in page
    assert ("<svg" in page) == (__import__("importlib").util.find_spec("dask") is not None)
