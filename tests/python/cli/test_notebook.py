"""In Jupyter: `%load_ext kasoku`, a kernel's printf, a cell run again, an interrupt."""

import asyncio

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")


@pytest.fixture
def notebook(tmp_path):
    """Runs cells in a real Jupyter kernel; gives their outputs."""

    def run(*cells, allow_errors=False, interrupt_after=None):
        v4 = nbformat.v4
        content = v4.new_notebook(cells=[v4.new_code_cell(text) for text in cells])
        client = nbclient.NotebookClient(
            content,
            timeout=120,
            kernel_name="python3",
            allow_errors=allow_errors,
            resources={"metadata": {"path": str(tmp_path)}},
        )

        async def execute():
            async with client.async_setup_kernel():
                for index, cell in enumerate(client.nb.cells):
                    task = asyncio.ensure_future(client.async_execute_cell(cell, index))
                    if index == interrupt_after:
                        await asyncio.sleep(2.0)
                        await client.km.interrupt_kernel()
                    await task

        asyncio.run(execute())
        return [cell.outputs for cell in client.nb.cells]

    run.folder = tmp_path
    return run


def text_of(outputs):
    """What a cell shows: its streams and its value."""
    parts = []
    for output in outputs:
        parts.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    return "".join(parts)


load = "%load_ext kasoku"


def test_cells_and_modules_beside_the_notebook_get_the_faces(notebook):
    (notebook.folder / "beside.py").write_text("import tensorflow\nname = tensorflow.__spec__.name\n")
    outputs = notebook(load, "import tensorflow, beside\n(tensorflow.__spec__.name, beside.name)")
    assert text_of(outputs[1]) == "('kasoku.compat.tensorflow', 'kasoku.compat.tensorflow')"


prints = r"""
import kasoku as ks
says = ks.RawModule(code=r'''__global__ void says(int n) { printf("thread %d of %d\n", threadIdx.x, n); }''')
says.get_function("says")((1,), (2,), (2,))
"""


def test_a_kernels_printf_is_the_cells_output(notebook):
    outputs = notebook(load, prints)
    assert sorted(text_of(outputs[1]).splitlines()) == ["thread 0 of 2", "thread 1 of 2"]


def test_a_cell_can_be_run_again(notebook):
    outputs = notebook(load, prints, prints, "%reload_ext kasoku\nimport tensorflow\ntensorflow.__spec__.name")
    assert text_of(outputs[1]).count("thread") == text_of(outputs[2]).count("thread") == 2
    assert "kasoku" in text_of(outputs[3])


endless = r"""
import kasoku as ks, numpy as np
spin = ks.RawModule(code='''__global__ void spin(long long n, double *x) {
  double s = x[0];
  for (long long i = 0; i < n; ++i) s = s * 0.999 + 1.0;
  x[blockIdx.x] = s;
}''').get_function("spin")
x = ks.array(np.zeros(1 << 16))
for _ in range(1000):
    spin((1 << 16,), (1,), (1 << 16, x))
"""


def test_an_interrupt_ends_a_long_launch_and_the_kernel_goes_on(notebook):
    outputs = notebook(load, endless, "1 + 1", allow_errors=True, interrupt_after=1)
    assert [o.ename for o in outputs[1] if o.output_type == "error"] == ["KeyboardInterrupt"]
    assert text_of(outputs[2]) == "2"


def test_an_error_shows_the_users_cell(notebook):
    text = "import kasoku as ks\nks.Device('tpu')"
    outputs = notebook(load, text, allow_errors=True)
    (error,) = [o for o in outputs[1] if o.output_type == "error"]
    assert error.ename == "ValueError" and "tpu" in error.evalue
