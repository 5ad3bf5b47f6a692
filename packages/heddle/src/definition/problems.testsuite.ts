// Problems as lines, for tests that compare all that is said of a definition.

import { type ParseOptions, parseDefinition } from '../dialects/parse.ts';
import { defaultLimits } from './limits.ts';

export function problemsOf(source: unknown, options: Partial<ParseOptions> = {}): string[] {
  const { problems } = parseDefinition(source, { limits: defaultLimits, ...options });
  return problems.map(
    ({ severity, code, pointer, message, hint }) =>
      `${severity} ${code} ${pointer}: ${message}${hint === undefined ? '' : ` | ${hint}`}`,
  );
}
