"""Floats, doubles, halves and bfloat16 of any bits, by operations that round once and in a named direction.

What C and PTX leave open is not asked: the sign and bits of NaN, the sign of a zero that is a minimum."""

from fuzz.mixed.integers import Integers


class Floats(Integers):
    def fexpr(self, d=2):
        return self.pick("1.5f", "-2.0f", "0.1f") if self.nest > 7 else self.deeper(self.fexpr_, d)

    def fexpr_(self, d):
        if d <= 0 or self.chance(15):
            k = self.random.randrange(8)
            fs = [n for n, t in self.fvars if t == "float"]
            if k < 4 and fs:
                return self.random.choice(fs)
            if k == 4:
                return self.pick(
                    "0.0f",
                    "-0.0f",
                    "1.0f",
                    "1.5f",
                    "0.1f",
                    "-3.7f",
                    "1e38f",
                    "1e-39f",
                    "1e-45f",
                    "16777217.0f",
                    "2147483648.0f",
                    "-2147483649.0f",
                    "4294967296.0f",
                    "9.3e18f",
                    "INFINITY",
                    "NAN",
                    "-INFINITY",
                    "0.5f",
                    "2.5f",
                    "-0.5f",
                    "65504.0f",
                    "3.4028234e38f",
                )
            if k == 5:
                return f"(float)({self.expr(1).text})"
            return f"__uint_as_float({self.cast(self.expr(1), 'unsigned').text})"
        one = lambda: self.fexpr(d - 1)
        k = self.random.randrange(22)
        if k < 3:
            return f"({one()} {self.pick('+', '-', '/')} {one()})"
        if k < 6:
            return f"{self.pick('__fadd', '__fsub', '__fmul', '__fdiv')}_{self.pick('rn', 'rz', 'ru', 'rd')}({one()}, {one()})"
        if k == 6:
            return f"__fmaf_{self.pick('rn', 'rz', 'ru', 'rd', 'rn')}({one()}, {one()}, {one()})"
        if k == 7 and self.chance(30):
            return f"({self.pick('fminf', 'fmaxf')}({one()}, {one()}) + 0.0f)"
        if k == 7:
            return f"{self.pick('fmodf', 'cps', 'fdimf', 'nextafterf', 'remainderf')}({one()}, {one()})"
        if k == 8:
            return (
                f"{self.pick('floorf', 'ceilf', 'truncf', 'rintf', 'roundf', 'fabsf', 'sqrtf', 'nearbyintf')}({one()})"
            )
        if k == 9:
            return f"(float)({self.dexpr(d - 1)})"
        if k == 10:
            return f"({self.cond(1)} ? {one()} : {one()})"
        if k == 11:
            return f"__{self.pick('int2float', 'int2float', 'll2float', 'uint2float', 'ull2float')}_{self.pick('rn', 'rz', 'rd', 'ru')}({self.expr(1).text})".replace(
                "(", "(", 1
            )
        if k == 12:
            return f"ldexpf({one()}, (int)(({self.expr(1).text}) & 511) - 256)"
        if k == 13:
            return f"(- {one()})"
        if k == 14:
            return f"(float)({self.expr(1).text})"
        if k == 15 and self.has("half"):
            return f"__half2float({self.hexpr(1)})"
        if k == 16 and self.has("half"):
            return f"__bfloat162float({self.bexpr(1)})"
        if k == 17:
            return f"__f{self.pick('sqrt', 'rcp')}_{self.pick('rn', 'rz', 'ru', 'rd')}({one()})"
        if k == 18:
            return f"__double2float_{self.pick('rn', 'rz', 'ru', 'rd')}({self.dexpr(d - 1)})"
        if k == 19 and self.ffuncs and not self.infunc:
            return f"{self.random.choice(self.ffuncs)}({one()}, {one()})"
        return self.fexpr(d - 1)

    def dexpr(self, d=2):
        return self.pick("1.5", "-2.25", "0.1") if self.nest > 7 else self.deeper(self.dexpr_, d)

    def dexpr_(self, d):
        if d <= 0 or self.chance(15):
            ds = [n for n, t in self.fvars if t == "double"]
            if self.chance(60) and ds:
                return self.random.choice(ds)
            return self.pick(
                "0.0",
                "-0.0",
                "0.1",
                "1e308",
                "5e-324",
                "1e-310",
                "2147483648.5",
                "-2147483649.0",
                "9.3e18",
                "1.9e19",
                f"(double)({self.expr(1).text})",
                f"__longlong_as_double({self.cast(self.expr(1), 'long long').text})",
                "4503599627370497.5",
            )
        one = lambda: self.dexpr(d - 1)
        k = self.random.randrange(14)
        if k < 3:
            return f"({one()} {self.pick('+', '-', '/')} {one()})"
        if k < 5:
            return f"__d{self.pick('add', 'mul', 'sub', 'div')}_{self.pick('rn', 'rz', 'ru', 'rd')}({one()}, {one()})"
        if k == 5 and self.chance(30):
            return f"({self.pick('fmin', 'fmax')}({one()}, {one()}) + 0.0)"
        if k == 5:
            return f"{self.pick('fmod', 'cpd', 'fdim', 'nextafter')}({one()}, {one()})"
        if k == 6:
            return f"{self.pick('floor', 'ceil', 'trunc', 'rint', 'round', 'fabs', 'sqrt')}({one()})"
        if k == 7:
            return f"(double)({self.fexpr(d - 1)})"
        if k == 8:
            return f"({self.cond(1)} ? {one()} : {one()})"
        if k == 9:
            return f"__fma_{self.pick('rn', 'rz', 'ru', 'rd')}({one()}, {one()}, {one()})"
        if k == 10:
            return f"(double)({self.expr(1).text})"
        if k == 11:
            return f"__ll2double_{self.pick('rn', 'rz', 'ru', 'rd')}({self.cast(self.expr(1), 'long long').text})"
        if k == 12:
            return f"__hiloint2double({self.cast(self.expr(1), 'int').text}, {self.cast(self.expr(1), 'int').text})"
        return self.dexpr(d - 1)

    def hexpr(self, d=2):
        return "__float2half(1.5f)" if self.nest > 7 else self.deeper(self.hexpr_, d)

    def hexpr_(self, d):
        if d <= 0:
            hs = [n for n, t in self.fvars if t == "__half"]
            if hs and self.chance(60):
                return self.random.choice(hs)
            return self.pick(
                f"__float2half_{self.pick('rn', 'rz', 'ru', 'rd')}({self.fexpr(1)})",
                f"__ushort_as_half({self.cast(self.expr(1), 'unsigned short').text})",
                f"__int2half_rn({self.cast(self.expr(1), 'int').text})",
                f"__double2half({self.dexpr(0)})",
                f"__ull2half_rn({self.cast(self.expr(1), 'unsigned long long').text})",
            )
        one = lambda: self.hexpr(d - 1)
        k = self.random.randrange(7)
        if k < 3:
            return f"{self.pick('__hadd', '__hsub', '__hmul', '__hdiv', '__hadd_sat', '__hmul_sat')}({one()}, {one()})"
        if k == 3:
            return f"__hfma({one()}, {one()}, {one()})"
        if k == 4 and self.chance(50):
            return f"__hadd({self.pick('__hmin', '__hmax')}({one()}, {one()}), __float2half(0.0f))"
        if k == 4:
            return f"{self.pick('__hneg', '__habs', 'hsqrt', 'hfloor', 'hceil', 'htrunc', 'hrint')}({one()})"
        if k == 5:
            two = lambda: f"__halves2half2({one()}, {one()})"
            f = self.pick("__hadd2", "__hsub2", "__hmul2")
            return f"{self.pick('__low2half', '__high2half')}({f}({two()}, {two()}))"
        return f"({self.pick('__heq', '__hlt', '__hge', '__hne', '__hgtu')}({one()}, {one()}) ? {one()} : {one()})"

    def bexpr(self, d=2):
        return "__float2bfloat16(0.3f)" if self.nest > 7 else self.deeper(self.bexpr_, d)

    def bexpr_(self, d):
        if d <= 0:
            return self.pick(
                f"__float2bfloat16({self.fexpr(1)})",
                f"__ushort_as_bfloat16({self.cast(self.expr(1), 'unsigned short').text})",
                f"__float2bfloat16_rz({self.fexpr(0)})",
            )
        one = lambda: self.bexpr(d - 1)
        k = self.random.randrange(4)
        if k < 2:
            return f"{self.pick('__hadd', '__hsub', '__hmul', '__hdiv')}({one()}, {one()})"
        if k == 2 and self.chance(40):
            return f"__hadd({self.pick('__hmax', '__hmin')}({one()}, {one()}), __float2bfloat16(0.0f))"
        if k == 2:
            return f"__hneg({one()})"
        return f"__hfma({one()}, {one()}, {one()})"
