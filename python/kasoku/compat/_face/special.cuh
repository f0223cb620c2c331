// Special functions that CUDA lacks: for a kernel special.py takes the function that is asked for and those that it calls, each
// between empty lines.
//
// They are computed in double. Sums go on until a term is too small to count; where a formula would lose digits (a power that
// is too large, what is subtracted from 1) another stands beside it.

__device__ double digamma(double x) {
  // From where the asymptotic series holds, down by psi(x) = psi(x + 1) - 1 / x, and by reflection for negative numbers.
  if (x == 0) return copysign(INFINITY, -x);
  double reflected = 0;
  if (x < 0) {
    if (x == floor(x)) return NAN;
    reflected = -M_PI / tan(M_PI * (x - rint(x)));
    x = 1 - x;
  }
  double below = 0;
  for (; x < 12; x += 1) below += 1 / x;
  const double z = 1 / (x * x);
  const double series = z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * 691. / 32760)))));
  return log(x) - 0.5 / x - series - below + reflected;
}

__device__ double log1p_less(double x, double whole) {  // log(1 + x) - x, where whole is 1 + x
  if (!(fabs(x) < 0.5)) return log(whole) - x;
  const double r = x / (2 + x), square = r * r;
  double sum = 0, power = square;
  for (int k = 3; power / k > 1e-19 * square; k += 2, power *= square) sum += power / k;
  return r * (2 * sum - x);
}

__device__ double stirling(double x) {  // of log(gamma(x)) from 10 on what is beyond (x - 1/2) log(x) - x + log(2 pi) / 2
  const double z = 1 / (x * x);
  return (1. / 12 - z * (1. / 360 - z * (1. / 1260 - z * (1. / 1680 - z * (1. / 1188 - z * (691. / 360360 - z / 156)))))) / x;
}

__device__ double lgamma1p(double x) {  // log(gamma(1 + x)) for small x
  if (fabs(x) > 0.5) return lgamma(1 + x);
  const double zeta_less_1[] = {0.6449340668482264365, 0.2020569031595942854, 0.08232323371113819152, 0.03692775514336992633,
      0.01734306198444913971, 0.00834927738192282684, 0.004077356197944339379, 0.002008392826082214418, 9.945751278180853371e-4,
      4.941886041194645587e-4, 2.460865533080482986e-4, 1.227133475784891468e-4, 6.124813505870482926e-5, 3.058823630702049355e-5,
      1.528225940865187173e-5, 7.637197637899762274e-6, 3.817293264999839856e-6, 1.908212716553938926e-6, 9.539620338727961132e-7,
      4.769329867878064631e-7, 2.3845050272773299e-7, 1.192199259653110731e-7, 5.960818905125947961e-8, 2.980350351465228019e-8};
  double sum = 0;
  for (int k = 25; k >= 2; k--) sum = (sum + zeta_less_1[k - 2] / k) * -x;
  return x * (0.42278433509846713939 - sum) - log1p(x);
}

__device__ double gammasgn(double x) {
  if (x == 0) return copysign(1., x);
  if (!(x < 0)) return x > 0 ? 1 : x;
  if (x == floor(x)) return NAN;
  return fmod(floor(x), 2) == 0 ? 1 : -1;
}

__device__ double rgamma(double x) {
  if (x <= 0 && x == floor(x)) return 0;
  return fabs(x) < 170 ? 1 / tgamma(x) : gammasgn(x) * exp(-lgamma(x));
}

__device__ double loggamma(double x) { return x < 0 ? NAN : lgamma(x); }

__device__ double gamma_weight(double a, double x) {  // x^a exp(-x) / gamma(a + 1)
  if (a < 10) return x > 900 ? 0 : pow(x, a) * exp(-x) / tgamma(a + 1);
  return exp(a * log1p_less((x - a) / a, x / a) - stirling(a)) / sqrt(2 * M_PI * a);
}

__device__ double gamma_of_many(double a, double x, bool upper) {  // for large a: Temme's series around the normal distribution
  const double mu = (x - a) / a;
  if (fabs(mu) > 0.15) return (x > a) == upper ? 0 : 1;
  const double half = -log1p_less(mu, 1 + mu), eta = copysign(sqrt(2 * half), mu);
  const double c0[] = {-0.3333333333333333333, 0.08333333333333333333, -0.01481481481481481481, 0.001157407407407407407,
      3.527336860670194004e-4, -1.787551440329218107e-4, 3.919263178522437782e-5, -2.185448510679992161e-6, -1.854062210715159961e-6,
      8.296711340953086005e-7, -1.76659527368260793e-7, 6.70785354340149858e-9, 1.026180978424030804e-8, -4.382036018453353187e-9};
  const double c1[] = {-0.001851851851851851852, -0.003472222222222222222, 0.002645502645502645503, -9.902263374485596708e-4,
      2.057613168724279835e-4, -4.018775720164609053e-7, -1.809855033448997784e-5};
  const double c2[] = {0.004133597883597883598, -0.00268132716049382716, 7.716049382716049383e-4};
  double sum0 = 0, sum1 = 0, sum2 = 0;
  for (int k = 13; k >= 0; k--) sum0 = sum0 * eta + c0[k];
  for (int k = 6; k >= 0; k--) sum1 = sum1 * eta + c1[k];
  for (int k = 2; k >= 0; k--) sum2 = sum2 * eta + c2[k];
  const double rest = exp(-a * half) / sqrt(2 * M_PI * a) * (sum0 + (sum1 + sum2 / a) / a);
  return upper ? 0.5 * erfc(eta * sqrt(a / 2)) + rest : 0.5 * erfc(-eta * sqrt(a / 2)) - rest;
}

template <class Top> __device__ double fraction(double b, Top top) {  // 1 / (b + top(1) / (b + 2 + top(2) / (b + 4 + ...)))
  double c = 1e300, d = 1 / b, product = d;
  for (int k = 1; k < 100000; k++) {
    b += 2;
    d = 1 / (top(k) * d + b);
    c = b + top(k) / c;
    product *= c * d;
    if (fabs(c * d - 1) < 1e-16) break;
  }
  return product;
}

__device__ double gamma_part(double a, double x, bool upper) {
  if (!(a >= 0 && x >= 0)) return NAN;
  if (a == 0) return x > 0 ? upper ? 0 : 1 : NAN;
  if (x == 0) return upper ? 1 : 0;
  if (isinf(a)) return isinf(x) ? NAN : upper ? 1 : 0;
  if (isinf(x)) return upper ? 0 : 1;
  if (a > 1e5) return gamma_of_many(a, x, upper);
  if (upper && a < 1 && x < 1.1) {
    double sum = 0, term = 1;
    for (int k = 1; fabs(term) > 1e-18 * fabs(sum); k++) {
      term *= -x / k;
      sum += term / (a + k);
    }
    const double power = a * log(x) - lgamma1p(a);
    return -expm1(power) - exp(power) * a * sum;
  }
  const double weight = gamma_weight(a, x);
  if (x < a + 1 && !(upper && a < 1)) {
    double sum = 1, term = 1;
    for (double k = a + 1; term > 1e-17 * sum; k += 1) {
      term *= x / k;
      sum += term;
    }
    return upper ? 1 - weight * sum : weight * sum;
  }
  const double above = weight * a * fraction(x + 1 - a, [=](double k) { return -k * (k - a); });
  return upper ? above : 1 - above;
}

__device__ double gammainc(double a, double x) { return gamma_part(a, x, false); }

__device__ double gammaincc(double a, double x) { return gamma_part(a, x, true); }

__device__ double log_gammas_less(double a, double b) {  // log(gamma(b)) - log(gamma(a + b)) for b from 10 on
  return -(b - 0.5) * log1p(a / b) - a * log(a + b) + a + stirling(b) - stirling(a + b);
}

__device__ double betaln(double a, double b) {
  if (a > b) return betaln(b, a);
  if (a <= 0 && a == floor(a))  // a pole, unless the sum is one too
    return b == floor(b) && 1 - a - b > 0 ? betaln(1 - a - b, b) : a != a || b != b ? NAN : INFINITY;
  if (a > 0 && isinf(b) || a + b <= 0 && a + b == floor(a + b)) return -INFINITY;
  if (a >= 10)
    return 0.91893853320467274178 - 0.5 * log(b) + (a - 0.5) * log(a / (a + b)) - b * log1p(a / b) + stirling(a) + stirling(b) - stirling(a + b);
  if (b >= 10 && a + b >= 10) return lgamma(a) + log_gammas_less(a, b);
  return fabs(a) < 10 && fabs(b) < 100 && fabs(a + b) < 100 ? log(fabs(tgamma(a) / tgamma(a + b) * tgamma(b))) : lgamma(a) + lgamma(b) - lgamma(a + b);
}

__device__ double beta(double a, double b) {
  if (a > b) return beta(b, a);
  if (a <= 0 && a == floor(a)) {
    if (!(b == floor(b) && 1 - a - b > 0)) return a != a || b != b ? NAN : INFINITY;
    return fmod(b, 2) == 0 ? beta(1 - a - b, b) : -beta(1 - a - b, b);
  }
  if (a + b <= 0 && a + b == floor(a + b)) return 0;
  if (fabs(a) < 100 && fabs(b) < 100 && fabs(a + b) < 100) return tgamma(a) / tgamma(a + b) * tgamma(b);
  return gammasgn(a) * gammasgn(b) * gammasgn(a + b) * exp(betaln(a, b));
}

__device__ double beta_weight(double a, double b, double x, double y) {  // x^a y^b / beta(a, b), where x + y = 1
  if (a >= 10 && b >= 10) {
    const double off = x * b - y * a;
    return sqrt(a * b / (2 * M_PI * (a + b))) * exp(a * log1p_less(off / a, x * (a + b) / a) + b * log1p_less(-off / b, y * (a + b) / b) + stirling(a + b) - stirling(a) - stirling(b));
  }
  const double log_x = x < 0.5 ? log(x) : log1p(-y), log_y = y < 0.5 ? log(y) : log1p(-x);
  return exp(a * log_x + b * log_y - betaln(a, b));
}

__device__ double beta_part(double a, double b, double x, double y, bool upper) {
  if (!(a >= 0 && b >= 0 && x >= 0 && y >= 0)) return NAN;
  if (a == 0 && b == 0 || isinf(a) && isinf(b)) return NAN;
  if (x == 0 || y == 0) return (x == 0) == upper ? 1 : 0;
  if (a == 0 || isinf(b) || b == 0 || isinf(a)) return (a == 0 || isinf(b)) == upper ? 0 : 1;
  const double off = a * y - b * x;
  if (off < 0) return beta_part(b, a, y, x, !upper);
  double b_k = a / (a + 1) * (off + 1), c = 1e300, d = 1 / b_k, fraction = d;
  for (int k = 1; k < 100000; k++) {
    const double below = a + 2 * k - 1, top = (a + k - 1) / below * k * ((a + b + k - 1) / below * x) * ((b - k) * x);
    b_k = k + k * (b - k) * x / below + (a + k) / (below + 2) * (off + 1 + k * (1 + y));
    d = 1 / (top * d + b_k);
    c = b_k + top / c;
    fraction *= c * d;
    if (fabs(c * d - 1) < 1e-16) break;
  }
  const double part = beta_weight(a, b, x, y) * fraction;
  return upper ? fmax(1 - part, 0.) : part;
}

__device__ double betainc(double a, double b, double x) { return beta_part(a, b, x, 1 - x, false); }

__device__ double betaincc(double a, double b, double x) { return beta_part(a, b, x, 1 - x, true); }

template <class Function> __device__ double root(Function function, double t, double low, double high) {
  // Where a growing function is 0: Newton's steps, halves of the interval where one leaves it.
  for (int k = 0; k < 200; k++) {
    double slope;
    const double value = function(t, slope);
    if (value == 0) break;
    (value < 0 ? low : high) = t;
    double next = t - value / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (fabs(next - t) <= 1e-16 * (1 + fabs(next))) break;
    t = next;
  }
  return t;
}

__device__ double gamma_inverse(double a, double p, double q) {  // x whose part below is p, above it q
  if (!(a >= 0 && p >= 0 && q >= 0)) return NAN;
  if (p == 0 || q == 0) return p == 0 ? 0 : INFINITY;
  if (a == 0) return 0;
  const double wanted = log(fmin(p, q)), third = 1 - 1 / (9 * a) + normcdfinv(p) / (3 * sqrt(a));
  const double start = a > 1 && third > 0.1 ? log(a) + 3 * log(third) : (log(p) + lgamma1p(a)) / a;
  return exp(root([=](double t, double &slope) {
    const double x = exp(t), part = gamma_part(a, x, q < p);
    slope = gamma_weight(a, x) * a / part;
    return q < p ? wanted - log(part) : log(part) - wanted;
  }, fmin(start, 700.), -745 / fmin(a, 1.) - 800, 710));
}

__device__ double gammaincinv(double a, double p) { return gamma_inverse(a, p, 1 - p); }

__device__ double gammainccinv(double a, double q) { return gamma_inverse(a, 1 - q, q); }

__device__ double beta_inverse(double a, double b, double p, double q) {  // log(x / (1 - x)) of the x whose part below is p
  if (!(a > 0 && b > 0 && p >= 0 && q >= 0)) return NAN;
  if (p == 0 || q == 0) return p == 0 ? -INFINITY : INFINITY;
  const double wanted = log(fmin(p, q));
  const double spread = sqrt(1 / a + 1 / b), normal = log(a / b) + spread * normcdfinv(p);
  const double start = a > 1 && b > 1 ? normal : fmin(fmax((log(p) + log(a) + betaln(a, b)) / a, -700.), 0.5);
  return root([=](double t, double &slope) {
    const double x = 1 / (1 + exp(-t)), y = 1 / (1 + exp(t)), part = beta_part(a, b, x, y, q < p);
    slope = beta_weight(a, b, x, y) / part;
    return q < p ? wanted - log(part) : log(part) - wanted;
  }, start, -745, 745);
}

__device__ double betaincinv(double a, double b, double p) { return 1 / (1 + exp(-beta_inverse(a, b, p, 1 - p))); }

__device__ double betainccinv(double a, double b, double q) { return 1 / (1 + exp(-beta_inverse(a, b, 1 - q, q))); }

__device__ double hurwitz(double x, double q) {  // the sum of (q + k)^-x, by Euler's and Maclaurin's formula from 10 + x on
  double sum = 0, power = pow(q, -x);
  for (; q < 10 + x; power = pow(q, -x)) {
    sum += power;
    q += 1;
    if (q > 1 && power <= 1e-18 * sum) return sum;
  }
  sum += power * (q / (x - 1) + 0.5);
  const double bernoulli[] = {0.08333333333333333333, -0.001388888888888888889, 3.306878306878306878e-5, -8.267195767195767196e-7,
      2.087675698786809898e-8, -5.284190138687493185e-10, 1.338253653068467883e-11, -3.389680296322582867e-13, 8.586062056277844564e-15,
      -2.174868698558061873e-16, 5.509002828360229515e-18, -1.395446468581252334e-19};
  double factor = x * power / q;
  for (int k = 0; k < 12 && bernoulli[k] * factor != 0; k++) {
    sum += bernoulli[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return sum;
}

__device__ double zeta(double x, double q) {
  if (x != x || q != q || x < 1) return NAN;
  if (x == 1) return INFINITY;
  if (q <= 0) return q == floor(q) ? INFINITY : x != floor(x) ? NAN : hurwitz(x, q);
  return isinf(x) ? q < 1 ? INFINITY : q == 1 ? 1 : 0 : isinf(q) ? 0 : hurwitz(x, q);
}

__device__ double zetac(double x) {
  if (x == 1 || isinf(x)) return x == 1 ? INFINITY : x > 0 ? 0 : NAN;
  if (x >= 0) return hurwitz(x, 2);
  if (fmod(x, 2) == 0) return -1;
  return 2 * pow(2 * M_PI, x - 1) * sin(M_PI / 2 * fmod(x, 4)) * tgamma(1 - x) * hurwitz(1 - x, 1) - 1;
}

__device__ double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || n != floor(n)) return NAN;
  return (fmod(n, 2) == 0 ? -1 : 1) * tgamma(n + 1) * zeta(n + 1, x);
}

__device__ double poch(double a, double m) {
  double product = 1;
  for (; m >= 1 && m < 1e3; m -= 1) product *= a + m - 1;  // as many factors as there are
  for (; m <= -1 && m > -1e3; m += 1) product /= a + m;
  if (m == 0) return product;
  const bool below = a <= 0 && a == floor(a), end = a + m <= 0 && a + m == floor(a + m);
  if (end && !below) return INFINITY;
  if (below && !end) return 0;
  if (a > 10 && a + m > 10) return product * exp(-log_gammas_less(m, a));
  return product * gammasgn(a) * gammasgn(a + m) * exp(lgamma(a + m) - lgamma(a));
}

__device__ double binom(double n, double k) {
  if (n != n || k != k || n < 0 && n == floor(n)) return NAN;
  if (k == floor(k) && (fabs(n) > 1e-8 || n == 0)) {
    double few = n == floor(n) && n > 0 && k > n / 2 ? n - k : k;
    if (few < 0 && n == floor(n)) return 0;
    if (few >= 0 && few < 20) {
      double top = 1, bottom = 1;
      for (int i = 1; i <= few; i++) {
        top *= i + n - few;
        bottom *= i;
      }
      return top / bottom;
    }
  }
  if (n >= 10 * k && k > 0) return exp(-betaln(1 + n - k, 1 + k) - log1p(n));
  if (n < 0 || k > n || k < 0) {  // by reflection: gamma(1 + k) and gamma(1 + n - k) may be negative or have poles
    const double sign = gammasgn(n + 1) * gammasgn(k + 1) * gammasgn(n - k + 1);
    if (k < 0 && k == floor(k) || n - k < 0 && n - k == floor(n - k)) return 0;
    return sign * exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
  }
  return 1 / (n + 1) / beta(1 + n - k, 1 + k);
}

__device__ double expn(double n, double x) {
  n = trunc(n);
  if (!(n >= 0 && x >= 0)) return NAN;
  if (x == 0) return n < 2 ? INFINITY : 1 / (n - 1);
  if (isinf(x)) return 0;
  if (n == 0) return exp(-x) / x;
  if (x > 1 || n > 20) return exp(-x) * fraction(x + n, [=](double k) { return -k * (n - 1 + k); });
  double sum = n == 1 ? 0 : 1 / (1 - n), harmonic = -0.57721566490153286061 - log(x), power = 1;
  for (int k = 1; k < n; k++) harmonic += 1. / k;
  for (int k = 1; k < n + 30; k++) {
    power *= -x / k;
    if (k != n - 1) sum += power / (k - n + 1);
  }
  double factor = 1;
  for (int k = 1; k < n; k++) factor *= -x / k;
  return factor * harmonic - sum;
}

__device__ double exp1(double x) { return expn(1, x); }

__device__ double expi(double x) {
  if (x <= 0) return x == 0 ? -INFINITY : -expn(1, -x);
  if (x < 40) {  // around the function's zero, in whose sum all terms have one sign
    const double zero = 0.3725074107813666, off = x - zero - 1.3140183414386028e-17;
    double sum = x < 0.1 ? log(x) + 0.98749834664534185184 : log1p(off / zero), power = 1, power_of_zero = 1, less = 0;
    for (int k = 1; k < 200; k++) {
      less = (less * x + off * power_of_zero) / k;
      power_of_zero *= zero / k;
      sum += less / k;
      if (fabs(less / k) < 1e-18 * fabs(sum)) break;
    }
    return sum;
  }
  double sum = 1, term = 1;
  for (int k = 1; k < x && term > 1e-17; k++) sum += term *= k / x;
  return isinf(x) ? x : exp(x - log(x)) * sum;
}

__device__ double bessel_k(double order, double x, bool scaled) {  // the integral of exp(-x cosh t) cosh(order t), by sums that converge fast
  if (!(x > 0)) return x == 0 ? INFINITY : NAN;
  if (x < 1e-9) return (scaled ? 1 + x : 1) * (order == 0 ? -log(x / 2) - 0.57721566490153286061 : 1 / x);
  if (isinf(x)) return 0;
  const double step = fmin(0.2, 0.7 / sqrt(x));
  double sum = 0.5;
  for (double t = step;; t += step) {
    const double s = sinh(t / 2), power = x * 2 * s * s;
    if (power > 800) break;
    const double term = exp(-power) * (order == 0 ? 1 : cosh(order * t));
    sum += term;
    if (term < 1e-18 * sum) break;
  }
  return step * sum * (scaled ? 1 : exp(-x));
}

__device__ double k0(double x) { return bessel_k(0, x, false); }

__device__ double k0e(double x) { return bessel_k(0, x, true); }

__device__ double k1(double x) { return bessel_k(1, x, false); }

__device__ double k1e(double x) { return bessel_k(1, x, true); }

__device__ double bessel_ie(int order, double x) {  // exp(-|x|) times the modified Bessel function
  const double y = fabs(x);
  double sum = 1, term = 1;
  if (y < 30) {
    for (int k = 1; term > 1e-18 * sum; k++) sum += term *= y / 2 * (y / 2) / (k * (k + order));
    return exp(-y) * sum * (order ? x / 2 : 1);
  }
  for (int k = 1; fabs(term) > 1e-18; k++) sum += term *= -(4. * order - (2 * k - 1) * (2 * k - 1)) / (8 * k * y);
  return (order ? copysign(1., x) : 1) * sum / sqrt(2 * M_PI * y);
}

__device__ double i0e(double x) { return x != x ? x : bessel_ie(0, x); }

__device__ double i1e(double x) { return x != x ? x : bessel_ie(1, x); }

__device__ double bessel_y(double n, double x) {
  if (n != n || x != x) return NAN;
  const int order = abs((int)n);
  return n < 0 && order % 2 ? -yn(order, x) : yn(order, x);
}

__device__ double spherical_yn(double n, double x) {
  if (x != x || n < 0) return NAN;
  if (x < 0) return (fmod(n, 2) == 0 ? -1 : 1) * spherical_yn(n, -x);
  if (x == 0) return -INFINITY;
  if (isinf(x)) return 0;
  double before = sin(x) / x, y = -cos(x) / x;  // of the orders -1 and 0
  for (int k = 0; k < n && !isinf(y); k++) {
    const double next = (2 * k + 1) * y / x - before;
    before = y;
    y = next;
  }
  return y;
}

__device__ double log_ndtr(double x) { return x < -1 ? log(erfcx(-x * M_SQRT1_2) / 2) - x * x / 2 : log1p(-erfc(x * M_SQRT1_2) / 2); }

__device__ double dawsn(double x) {  // Rybicki's sum of exp(-(x - k h)^2) / k over odd k
  const double y = fabs(x), h = 0.2;
  if (!(y < 1e8)) return 0.5 / x;
  if (y < 0.2) {
    double sum = 1, term = 1;
    for (int k = 1; fabs(term) > 1e-18; k++) sum += term *= -2 * y * y / (2 * k + 1);
    return x * sum;
  }
  if (y > 50) return 0.5 / x * (1 + 0.5 / (x * x) * (1 + 1.5 / (x * x) * (1 + 2.5 / (x * x) * (1 + 3.5 / (x * x)))));
  const int middle = 2 * (int)rint(0.5 * y / h);
  double sum = 0;
  for (int k = middle - 33; k <= middle + 33; k += 2) sum += exp(-(y - k * h) * (y - k * h)) / k;
  return copysign(sum * 0.56418958354775628695, x);
}

__device__ double erfi(double x) { return fabs(x) > 27 ? copysign(INFINITY, x) : x == 0 ? x : 1.12837916709551257390 * exp(x * x) * dawsn(x); }

__device__ double ellipkm1(double p) {
  if (!(p >= 0)) return NAN;
  if (p == 0) return INFINITY;
  if (isinf(p)) return 0;
  double a = 1, b = sqrt(p);
  for (int k = 0; k < 60 && fabs(a - b) > 1e-16 * a; k++) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return M_PI_2 / a;
}

__device__ double ellipk(double m) { return ellipkm1(1 - m); }

__device__ double ellipj_phase(double u, double m) {  // by descending means of 1 and sqrt(1 - m)
  if (!(m >= 0 && m <= 1) || u != u) return NAN;
  if (m == 1) return 2 * atan(tanh(u / 2));
  double a[16] = {1}, c[16] = {sqrt(m)}, b = sqrt(1 - m);
  int n = 0;
  for (; n < 15 && fabs(c[n]) > 1e-17 * a[n]; n++) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = sqrt(a[n] * b);
  }
  double phase = ldexp(a[n] * u, n);
  for (; n > 0; n--) phase = (phase + asin(c[n] * sin(phase) / a[n])) / 2;
  return phase;
}

__device__ void exponential_at_i(double x, double &re, double &im) {  // E1(i x), by a continued fraction
  double b = x, c_re = 1e300, c_im = 0, norm = 1 + b * b, d_re = 1 / norm, d_im = -b / norm, h_re = d_re, h_im = d_im, real = 1;
  for (int k = 1; k < 1000; k++) {
    const double a = -(double)k * k;
    real += 2;
    const double below_re = a * d_re + real, below_im = a * d_im + b, below = below_re * below_re + below_im * below_im;
    d_re = below_re / below;
    d_im = -below_im / below;
    const double size = c_re * c_re + c_im * c_im, over_re = isinf(size) ? 0 : a * c_re / size, over_im = isinf(size) ? 0 : -a * c_im / size;
    c_re = real + over_re;
    c_im = b + over_im;
    const double times_re = c_re * d_re - c_im * d_im, times_im = c_re * d_im + c_im * d_re, kept = h_re;
    h_re = kept * times_re - h_im * times_im;
    h_im = kept * times_im + h_im * times_re;
    if (fabs(times_re - 1) + fabs(times_im) < 1e-16) break;
  }
  re = cos(x) * h_re + sin(x) * h_im;
  im = cos(x) * h_im - sin(x) * h_re;
}

__device__ double sine_integral(double x) {
  const double y = fabs(x);
  if (y <= 4) {
    double sum = x, term = x;
    for (int k = 1; fabs(term) > 1e-18 * fabs(sum); k++) sum += (term *= -x * x / ((2 * k) * (2 * k + 1))) / (2 * k + 1);
    return sum;
  }
  if (isinf(x)) return copysign(M_PI_2, x);
  double re, im;
  exponential_at_i(y, re, im);
  return copysign(M_PI_2 + im, x);
}

__device__ double cosine_integral(double x) {
  if (!(x >= 0)) return NAN;
  if (x == 0 || isinf(x)) return x == 0 ? -INFINITY : 0;
  if (x <= 4) {
    double sum = 0.57721566490153286061 + log(x), term = 1;
    for (int k = 1; k < 30; k++) sum += (term *= -x * x / ((2 * k - 1) * (2 * k))) / (2 * k);
    return sum;
  }
  double re, im;
  exponential_at_i(x, re, im);
  return -re;
}

__device__ double hyperbolic_sine_integral(double x) {
  if (fabs(x) > 40) return copysign(expi(fabs(x)) / 2, x);
  double sum = x, term = x;
  for (int k = 1; fabs(term) > 1e-18 * fabs(sum); k++) sum += (term *= x * x / ((2 * k) * (2 * k + 1))) / (2 * k + 1);
  return sum;
}

__device__ double hyperbolic_cosine_integral(double x) {
  const double y = fabs(x);
  if (y == 0) return -INFINITY;
  if (y > 40) return expi(y) / 2;
  double sum = 0.57721566490153286061 + log(y), term = 1;
  for (int k = 1; k < 100; k++) sum += (term *= y * y / ((2 * k - 1) * (2 * k))) / (2 * k);
  return sum;
}

__device__ double bdtr(double k, double n, double p) {
  k = floor(k);
  if (!(p >= 0 && p <= 1) || !(k >= 0) || !(n >= k)) return NAN;
  return k == n ? 1 : beta_part(n - k, k + 1, 1 - p, p, false);
}

__device__ double bdtrc(double k, double n, double p) {
  k = floor(k);
  if (!(p >= 0 && p <= 1) || k != k || !(n >= k)) return NAN;
  return k < 0 ? 1 : k == n ? 0 : beta_part(n - k, k + 1, 1 - p, p, true);
}

__device__ double bdtri(double k, double n, double y) {
  k = floor(k);
  if (!(y >= 0 && y <= 1) || !(k >= 0) || !(n > k)) return NAN;
  return 1 / (1 + exp(beta_inverse(n - k, k + 1, y, 1 - y)));
}

__device__ double btdtr(double a, double b, double x) { return betainc(a, b, x); }

__device__ double btdtri(double a, double b, double p) { return betaincinv(a, b, p); }

__device__ double fdtr(double n, double d, double x) { return !(n > 0 && d > 0 && x >= 0) ? NAN : beta_part(n / 2, d / 2, n * x / (d + n * x), d / (d + n * x), false); }

__device__ double fdtrc(double n, double d, double x) { return !(n > 0 && d > 0 && x >= 0) ? NAN : beta_part(n / 2, d / 2, n * x / (d + n * x), d / (d + n * x), true); }

__device__ double fdtri(double n, double d, double p) { return !(p >= 0 && p <= 1) ? NAN : d / n * exp(beta_inverse(n / 2, d / 2, p, 1 - p)); }

__device__ double gdtr(double a, double b, double x) { return x < 0 ? NAN : gamma_part(b, a * x, false); }

__device__ double gdtrc(double a, double b, double x) { return x < 0 ? NAN : gamma_part(b, a * x, true); }

__device__ double nbdtr(double k, double n, double p) { return !(p >= 0 && p <= 1 && k >= 0 && n > 0) ? NAN : beta_part(n, floor(k) + 1, p, 1 - p, false); }

__device__ double nbdtrc(double k, double n, double p) { return !(p >= 0 && p <= 1 && k >= 0 && n > 0) ? NAN : beta_part(n, floor(k) + 1, p, 1 - p, true); }

__device__ double nbdtri(double k, double n, double y) { return !(y >= 0 && y <= 1 && k >= 0) ? NAN : betaincinv(n, floor(k) + 1, y); }

__device__ double pdtr(double k, double m) { return !(k >= 0 && m >= 0) ? NAN : m == 0 ? 1 : gamma_part(floor(k) + 1, m, true); }

__device__ double pdtrc(double k, double m) { return !(k >= 0 && m >= 0) ? NAN : m == 0 ? 0 : gamma_part(floor(k) + 1, m, false); }

__device__ double pdtri(double k, double y) { return !(k >= 0 && y >= 0 && y < 1) ? NAN : gamma_inverse(floor(k) + 1, 1 - y, y); }

__device__ double chdtr(double v, double x) { return gamma_part(v / 2, x / 2, false); }

__device__ double chdtrc(double v, double x) { return x < 0 ? 1 : gamma_part(v / 2, x / 2, true); }

__device__ double chdtri(double v, double p) { return !(p >= 0 && p <= 1) ? NAN : 2 * gamma_inverse(v / 2, 1 - p, p); }

__device__ double xlogy(double x, double y) { return x == 0 && y == y ? 0 : x * log(y); }

__device__ double xlog1py(double x, double y) { return x == 0 && y == y ? 0 : x * log1p(y); }

__device__ double entr(double x) { return x > 0 ? -x * log(x) : x == 0 ? 0 : x < 0 ? -INFINITY : x; }

__device__ double rel_entr(double x, double y) {
  if (x != x || y != y) return NAN;
  if (x == 0 && y >= 0) return 0;
  if (!(x > 0 && y > 0)) return INFINITY;
  const double ratio = x / y;
  if (ratio > 0.5 && ratio < 2) return x * log1p((x - y) / y);
  return ratio > 1e-300 && ratio < 1e300 ? x * log(ratio) : x * (log(x) - log(y));
}

__device__ double kl_div(double x, double y) {
  if (x != x || y != y) return NAN;
  if (x == 0 && y >= 0) return y;
  if (!(x > 0 && y > 0)) return INFINITY;
  return fabs(y - x) < 0.5 * x ? -x * log1p_less((y - x) / x, y / x) : rel_entr(x, y) - x + y;
}

__device__ double huber(double delta, double r) {
  if (delta < 0) return INFINITY;
  return fabs(r) <= delta ? 0.5 * r * r : delta * (fabs(r) - 0.5 * delta);
}

__device__ double pseudo_huber(double delta, double r) {
  if (delta < 0) return INFINITY;
  return delta == 0 || r == 0 ? 0 : delta * delta * expm1(0.5 * log1p(r / delta * (r / delta)));
}

__device__ double boxcox(double x, double lmbda) { return fabs(lmbda) < 1e-19 ? log(x) : expm1(lmbda * log(x)) / lmbda; }

__device__ double boxcox1p(double x, double lmbda) { return fabs(lmbda) < 1e-19 ? log1p(x) : expm1(lmbda * log1p(x)) / lmbda; }

__device__ double inv_boxcox(double y, double lmbda) { return lmbda == 0 ? exp(y) : exp(log1p(lmbda * y) / lmbda); }

__device__ double inv_boxcox1p(double y, double lmbda) { return lmbda == 0 ? expm1(y) : fabs(lmbda * y) < 1e-154 ? y : expm1(log1p(lmbda * y) / lmbda); }

__device__ double logit(double x) { return fabs(x - 0.5) < 0.2 ? log1p((2 * x - 1) / (1 - x)) : log(x / (1 - x)); }

__device__ double log_expit(double x) { return x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x)); }

__device__ double sindg(double x) {
  const double turn = fmod(x, 360);
  return fmod(turn, 180) == 0 ? 0 : sinpi(turn / 180);
}

__device__ double cosdg(double x) {
  const double turn = fabs(fmod(x, 360));
  return sinpi((turn < 180 ? 90 - turn : turn - 270) / 180);
}

__device__ double tandg(double x) {
  const double turn = fmod(x, 180);
  return fabs(turn) == 90 ? INFINITY : sindg(turn) / cosdg(turn);
}

__device__ double cotdg(double x) {
  const double turn = fmod(x, 180);
  return turn == 0 ? INFINITY : cosdg(turn) / sindg(turn);
}

__device__ double cosm1(double x) { return -2 * sin(x / 2) * sin(x / 2); }

__device__ double exprel(double x) { return fabs(x) < 1e-16 ? 1 : x > 717 ? INFINITY : expm1(x) / x; }

__device__ double lpmv(double m, double v, double x) {  // of a whole order and a whole degree, from 0 on
  if (!(fabs(x) <= 1)) return NAN;
  const int order = (int)fabs(m);
  if (order > v) return m > 0 ? 0 : NAN;
  double before = 0, p = 1, factor = 1;
  const double root = -sqrt((1 - x) * (1 + x));
  for (int k = 1; k <= order; k++) p *= root * (2 * k - 1);
  for (int k = order + 1; k <= v; k++) {
    const double next = (x * (2 * k - 1) * p - (k + order - 1) * before) / (k - order);
    before = p;
    p = next;
  }
  if (m < 0)
    for (int k = (int)v - order + 1; k <= v + order; k++) factor /= k;
  return m < 0 && order % 2 ? -factor * p : factor * p;
}
