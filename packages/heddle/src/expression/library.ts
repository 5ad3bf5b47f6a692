// The library: every function of the language by name. `x.f(y)` is `f(x, y)` for all of them.
//
// Always true: a function gets as many arguments as it declares, all of them JSON; it never alters them, pays for
// what it walks or makes before or as it does so, and returns JSON or a fault. `matches` stands in `matching.ts`;
// macros and optionals, which do not evaluate their arguments first, in `macros.ts` and `optionals.ts`.

import type { LibraryFunction } from './library-function.ts';
import { listFunctions } from './list-functions.ts';
import { numberFunctions } from './number-functions.ts';
import { objectFunctions } from './object-functions.ts';
import { textFunctions } from './text-functions.ts';

export const library: ReadonlyMap<string, LibraryFunction> = new Map(
  Object.entries({ ...numberFunctions, ...textFunctions, ...listFunctions, ...objectFunctions }),
);
