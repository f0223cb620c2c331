"""Messages about a kernel's text name the user's own file and line."""

import re
import textwrap

import numpy as np
import pytest

import kasoku as ks


def line_of(path, text):
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def run(path, text, **names):
    path.write_text(textwrap.dedent(text))
    exec(compile(path.read_text(), str(path), "exec"), {"ks": ks, "np": np, **names})


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "program.py"


def test_the_line_of_a_literal(program, device):
    with ks.default_device(device), pytest.raises(ks.CompileError) as error:
        run(program, '''
            x = 1
            module = ks.RawModule(code="""
            __global__ void f(float *x)
            {
              int i = threadIdx.x;
              x[i] = undeclared;   // here
            }
            """)
            module.get_function("f")
            ''')  # fmt: skip
    assert f"program.py:{line_of(program, '// here')}:" in str(error.value)
    assert "undeclared" in str(error.value) and "kernel.cu" not in str(error.value)


def test_text_that_is_filled_in_or_put_together(program, device):
    with pytest.raises(ks.CompileError) as error:
        run(program, '''
            template = """
            __global__ void f(%(type)s *x)
            {
              x[0] = %(value)s;
              x[1] = nothing;   // here
            }
            """
            ks._core.SourceModule(template % {"type": "float", "value": "3"}, device=device)
            ''', device=device)  # fmt: skip
    assert f"program.py:{line_of(program, '// here')}:" in str(error.value)
    with pytest.raises(ks.CompileError) as error:
        run(program, '''
            ks._core.SourceModule(
                "__global__ void f(int *x) {\\n"
                "  x[0] = 1;\\n"
                "  x[1] = nothing;\\n"
                "}\\n", device=device)
            ''', device=device)  # fmt: skip
    assert f"program.py:{line_of(program, 'nothing')}:" in str(error.value)


def test_each_part_of_an_elementwise_kernel(program, device):
    for part, marked in [("operation", "z = nothing"), ("preamble", "__device__ int g() { return nothing; }"),
                         ("after_loop", "nothing += 1")]:  # fmt: skip
        texts = {"operation": "z = x", "preamble": "", "after_loop": "", part: marked}
        lines = [f"                {k}={v!r},  # {k}" for k, v in texts.items()]
        program.write_text(
            "kernel = ks.ElementwiseKernel(\n    'T x', 'T z',\n" + "\n".join(lines) + "\n)\n"
            "kernel(ks.ones(3, device=device))\n"
        )
        with pytest.raises(ks.CompileError) as error:
            exec(compile(program.read_text(), str(program), "exec"), {"ks": ks, "device": device})
        assert f"program.py:{line_of(program, '# ' + part)}:" in str(error.value), part


def test_a_text_of_a_module_beside_it(program, tmp_path, monkeypatch):
    (tmp_path / "texts_of_kernels.py").write_text(
        '\n\nsource = """\n__global__ void f(int *x) {\n  x[0] = nothing;\n}\n"""\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ks.CompileError) as error:
        run(program, """
            import texts_of_kernels
            ks._core.SourceModule(texts_of_kernels.source, device="cpu")
            """)  # fmt: skip
    assert "texts_of_kernels.py:5:" in str(error.value)


def test_a_text_that_stands_nowhere_keeps_its_own_lines(program):
    with pytest.raises(ks.CompileError, match=r"kernel\.cu:2:\d+: error"):
        run(program, "ks._core.SourceModule(''.join(map(chr, letters)), device='cpu')",
            letters=b"__global__ void f(int *x) {\nx[0] = nothing; }\n")  # fmt: skip


def test_findings_of_the_checker(program):
    names = {}
    run(program, '''
        kernel = ks.RawKernel(r"""
        extern "C" __global__ void neighbours(int *x, int *y) {
          const int i = threadIdx.x;
          x[i] = i;          // first
          y[i] = x[i ^ 1];   // second
        }""", "neighbours")
        keep["findings"] = ks.check(kernel, np.zeros(8, np.int32), np.zeros(8, np.int32), block=(8, 1, 1),
                                    grid=(1, 1))
        ''', keep=names)  # fmt: skip
    first, second = line_of(program, "// first"), line_of(program, "// second")
    races = [f for f in names["findings"] if f.kind == "race"]
    assert races and races[0].file == "program.py"
    assert {races[0].line, races[0].other_line} == {first, second}
    assert set(map(int, re.findall(r"\(line (\d+)\)", races[0].text))) == {first, second}
