// The regularized incomplete beta function: the one special function that binomial tails and
// Student's t need. Ours because the standard library has none, and Boost's is no better
// (docs/decisions/0001).
//
// Written with Stirling's error and deviances (Loader, 2000) instead of differences of log-gammas,
// so that it keeps nine digits for arguments of ten million too; the continued fraction
// (Lentz's method) then takes a number of steps that grows with the square root of the arguments.
#pragma once

namespace fairlead {

// I_x(a, b) for a, b > 0. The complement y = 1 - x is handed in, since whoever knows that x is
// close to 1 knows y better than 1 - x does.
double RegularizedIncompleteBeta(double a, double b, double x, double y);

}  // namespace fairlead
