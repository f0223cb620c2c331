// printf: the arguments travel as 8-byte slots, in the order of the format.
#pragma once

extern "C" int ks_rt_printf(const char* format, const void* packed);

#define KS_SLOT(T, expression) ks_inline unsigned long long ks_slot(T v) { return expression; }
KS_SLOT(bool, v)
KS_SLOT(char, (unsigned long long)(long long)v)
KS_SLOT(signed char, (unsigned long long)(long long)v)
KS_SLOT(unsigned char, v)
KS_SLOT(short, (unsigned long long)(long long)v)
KS_SLOT(unsigned short, v)
KS_SLOT(int, (unsigned long long)(long long)v)
KS_SLOT(unsigned, v)
KS_SLOT(long, (unsigned long long)v)
KS_SLOT(unsigned long, v)
KS_SLOT(long long, (unsigned long long)v)
KS_SLOT(unsigned long long, v)
KS_SLOT(double, ks_bits<unsigned long long>(v))
KS_SLOT(float, ks_bits<unsigned long long>((double)v))
KS_SLOT(const void*, (unsigned long long)v)
KS_SLOT(const volatile void*, (unsigned long long)v)
#undef KS_SLOT
template <class T, bool is_enum = __is_enum(T)>
struct ks_slot_of { ks_inline static unsigned long long get(T v) { return ks_slot(v); } };
template <class T>
struct ks_slot_of<T, true> {
  ks_inline static unsigned long long get(T v) { return ks_slot((__underlying_type(T))v); }
};

template <class... A>
ks_inline int printf(const char* format, A... args) {
  const unsigned long long slots[sizeof...(A) + 1] = {ks_slot_of<A>::get(args)..., 0};
  if (format) ks_rt_printf(format, slots);
  return format ? (int)sizeof...(A) : -1;  // of the arguments, not of the letters
}
