// Library: every function of the language by name. `x.f(y)` is `f(x, y)` for all of them.

import type { LibraryFunction } from './library-function.ts';
import { listFunctions } from './list-functions.ts';
import { numberFunctions } from './number-functions.ts';
import { objectFunctions } from './object-functions.ts';
import { textFunctions } from './text-functions.ts';

export const library: ReadonlyMap<string, LibraryFunction> = new Map(
  Object.entries({ ...numberFunctions, ...textFunctions, ...listFunctions, ...objectFunctions }),
);

/** All that can be called: also what is translated on its own, because it takes a pattern, or a path that may be missing. */
export const functionNames: readonly string[] = [...library.keys(), 'matches', 'has'];
