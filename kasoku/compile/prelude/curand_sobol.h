// Sobol sequences, plain and scrambled, of 32 and 64 bits: the direction vectors are the
// caller's, so the numbers are cuRAND's own.
#pragma once

template <class Word, int bits> struct ks_sobol {
  Word i, x, c;
  Word direction_vectors[bits];
};
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
#define KS_SOBOL_STATE(name, Word, bits)              \
  struct curandState##name : ks_sobol<Word, bits> {}; \
  typedef curandState##name curandState##name##_t;
KS_SOBOL_STATE(Sobol32, unsigned int, 32)
KS_SOBOL_STATE(ScrambledSobol32, unsigned int, 32)
KS_SOBOL_STATE(Sobol64, unsigned long long, 64)
KS_SOBOL_STATE(ScrambledSobol64, unsigned long long, 64)
#undef KS_SOBOL_STATE

// The element behind another differs in one direction, that of the first zero of its number.
template <class Word, int bits> ks_inline void skipahead(Word n, ks_sobol<Word, bits>* s) {
  s->i += n, s->x = s->c;
  const Word gray = s->i ^ (s->i >> 1);
  for (int k = 0; k < bits; ++k)
    if (gray >> k & 1) s->x ^= s->direction_vectors[k];
}
template <class Word, int bits> ks_inline void ks_sobol_init(const Word* vectors, Word scramble, Word offset, ks_sobol<Word, bits>* s) {
  for (int k = 0; k < bits; ++k) s->direction_vectors[k] = vectors[k];
  s->i = 0, s->c = scramble;
  skipahead(offset, s);
}
#define KS_SOBOL_INIT(name, Word)                                                                          \
  ks_inline void curand_init(Word* vectors, Word offset, curandState##name* s) { ks_sobol_init(vectors, (Word)0, offset, s); } \
  ks_inline void curand_init(Word* vectors, Word c, Word offset, curandStateScrambled##name* s) { ks_sobol_init(vectors, c, offset, s); }
KS_SOBOL_INIT(Sobol32, unsigned int)
KS_SOBOL_INIT(Sobol64, unsigned long long)
#undef KS_SOBOL_INIT
template <class Word, int bits> ks_inline Word curand(ks_sobol<Word, bits>* s) {
  const Word x = s->x, rest = ~s->i;
  s->x ^= s->direction_vectors[rest ? __builtin_ctzll(rest) : bits - 1];
  ++s->i;
  return x;
}
template <class Word, int bits> ks_inline float curand_uniform(ks_sobol<Word, bits>* s) {
  return _curand_uniform((unsigned)(curand(s) >> (bits - 32)));
}
ks_inline double curand_uniform_double(ks_sobol<unsigned int, 32>* s) { return _curand_uniform_double(curand(s)); }
ks_inline double curand_uniform_double(ks_sobol<unsigned long long, 64>* s) {
  return __builtin_fma((double)(curand(s) >> 11), 1.1102230246251565e-16, 1.1102230246251565e-16 / 2.0);
}
template <class Word, int bits> ks_inline float curand_normal(ks_sobol<Word, bits>* s) { return normcdfinvf(curand_uniform(s)); }
template <class Word, int bits> ks_inline double curand_normal_double(ks_sobol<Word, bits>* s) { return normcdfinv(curand_uniform_double(s)); }
template <class Word, int bits> ks_inline float curand_log_normal(ks_sobol<Word, bits>* s, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(s));
}
