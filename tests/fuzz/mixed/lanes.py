"""What lanes of a warp or a tile do together, all of them or those that a vote let into a branch."""

from fuzz.mixed.memory import Memory


class Lanes(Memory):
    def full(self):
        return self.threads % 32 == 0

    def warp(self):
        t = self.pick("int", "unsigned", "long long", "unsigned long long", "float", "double")
        if self.full():
            m = "0xffffffffu"
        else:
            m = "wm"
        n, _ = self.target()
        k = self.random.randrange(9)
        e = self.fexpr(2) if t == "float" else self.dexpr(2) if t == "double" else self.cast(self.expr(2), t).text
        bitsof = lambda x: f"fbits({x})" if t == "float" else f"dbits({x})" if t == "double" else x
        w = self.pick(32, 32, 16, 8, 4, 2)
        if k < 3:
            if self.full():
                f, by = self.pick(
                    ("__shfl_sync", f"(int)({self.expr(1).text} & 31)"),
                    ("__shfl_xor_sync", str(self.random.randrange(w))),
                    ("__shfl_up_sync", self.pick("1u", "2u", "5u", "0u")),
                    ("__shfl_down_sync", self.pick("1u", "4u", "16u", "7u")),
                )
                self.line(f"{n} ^= {bitsof(f'{f}({m}, {e}, {by}, {w})')};")
            else:
                self.line(f"{n} ^= {bitsof(f'__shfl_sync({m}, {e}, 0)')};")
        elif k == 3:
            self.line(f"{n} ^= __ballot_sync({m}, {self.cond(2)});")
        elif k == 4:
            self.line(f"{n} ^= {self.pick('__any_sync', '__all_sync')}({m}, {self.cond(2)});")
        elif k == 5:
            self.line(
                f"{n} ^= __match_any_sync({m}, {self.cast(self.expr(1), self.pick('unsigned', 'unsigned long long', 'int')).text} & 3);"
            )
        elif k == 6:
            self.line(
                f"{n} ^= __reduce_{self.pick('add', 'min', 'max')}_sync({m}, {self.cast(self.expr(2), self.pick('int', 'unsigned')).text});"
            )
        elif k == 7 and self.full():
            x = self.name("x")
            u = self.pick("unsigned", "unsigned long long")
            self.line(f"{u} {x} = {self.expr(2).text};")
            self.line(
                self.pick(
                    f"for (int d = 16; d; d >>= 1) {x} += __shfl_down_sync({m}, {x}, d);",
                    f"for (int d = 1; d < 32; d *= 2) {{ {u} y = __shfl_up_sync({m}, {x}, d); if (lane >= d) {x} += y; }}",
                    f"for (int d = 1; d < 32; d <<= 1) {{ {u} y = __shfl_xor_sync({m}, {x}, d); {x} = (lane & d) ? max({x}, y) : min({x}, y); }}",
                )
            )
            self.vars.append((x, u))
        else:
            self.line(
                f"{n} ^= __reduce_{self.pick('and', 'or', 'xor')}_sync({m}, {self.cast(self.expr(2), 'unsigned').text});"
            )

    def warp_masked(self):
        """Some lanes go together into a branch, with the mask that a vote gave."""
        m, n = self.name("m"), self.target()[0]
        c = self.name("c")
        base = "0xffffffffu" if self.full() else "wm"
        self.line(f"const bool {c} = {self.cond(2)};")
        self.line(f"const unsigned {m} = __ballot_sync({base}, {c});")
        x = self.cast(self.expr(1), "unsigned").text

        def arm(mask):
            k = self.random.randrange(5)
            if self.chance(50):
                self.nested(1)
            src = f"(__ffs({mask}) - 1)"
            if k == 0:
                self.line(f"{n} ^= __shfl_sync({mask}, {x}, {src});")
            elif k == 1:
                self.line(f"{n} ^= __reduce_add_sync({mask}, {x});")
            elif k == 2:
                self.line(f"{n} ^= __ballot_sync({mask}, {self.cond(1)});")
            elif k == 3:
                self.line(f"{n} ^= __match_any_sync({mask}, {x} & 1u);")
            else:
                self.line(
                    f"{n} ^= __popc({mask} & ((1u << lane) - 1u)) + __shfl_sync({mask}, {x}, 31 - __clz({mask}));"
                )

        self.scope(f"if ({c})", lambda: arm(m))
        if self.chance(50):
            self.lines.pop()
            self.scope("} else", lambda: arm(f"({base} & ~{m})"))
        self.line(f"__syncwarp({base});")

    def tile(self):
        if not self.full():
            return self.assign()
        N = self.pick(2, 4, 8, 16, 32)
        g = self.name("tl")
        self.line(f"auto {g} = cg::tiled_partition<{N}>(cg::this_thread_block());")
        t = self.pick("unsigned", "int", "unsigned long long")
        x = self.name("x")
        self.line(f"{t} {x} = {self.expr(2).text};")
        for _ in range(self.random.randrange(1, 3)):
            k = self.random.randrange(6)
            if k == 0:
                self.line(f"{x} ^= {g}.shfl({x}, ({self.expr(1).text}) & {N - 1});")
            elif k == 1:
                self.line(f"{x} ^= {g}.shfl_xor({x}, {self.random.randrange(N)});")
            elif k == 2:
                self.line(f"{x} ^= {g}.ballot({self.cond(1)});")
            elif k == 3:
                self.line(f"{x} ^= {g}.{self.pick('any', 'all')}({self.cond(1)});")
            elif k == 4:
                self.line(
                    f"{{ unsigned y = {x}; {x} ^= cg::reduce({g}, y, cg::{self.pick('plus', 'less', 'greater', 'bit_xor')}<unsigned>()); }}"
                )
            else:
                self.line(
                    f"if ({g}.thread_rank() == {self.random.randrange(N)}) {x} ^= {g}.meta_group_rank() + {g}.size();"
                )
        self.vars.append((x, t))
