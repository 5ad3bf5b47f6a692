// Target: where a mapping or a merge writes. Rules DF22 and DF23.
//
// Always true: no path leads through a key that could reach a prototype.

import { forbiddenKeys, type Path } from '../base/path.ts';
import { shorten } from './shape.ts';

export type Target =
  | { readonly path: Path }
  | { readonly problem: { readonly message: string; readonly hint?: string | undefined } };

/** Keys in one target: deeper data is built by an action. */
const keysMax = 32;

// DF22: output mappings and merges write below `state` or `output`, never the whole section, never what the engine
// keeps (`input`, `result`, `_branch`, `state._last_error`, `state._failure`).
export function parseSectionTarget(target: string): Target {
  const parsed = parseKeys(target);
  if ('problem' in parsed) return parsed;
  const [section = '', first] = parsed.path;
  if (kept.has(section)) return refuse(target, `a target that can be written (${section} cannot)`);
  if (section !== 'state' && section !== 'output') {
    return refuse(target, 'a target that begins with "state." or "output."', `Did you mean "state.${target}"?`);
  }
  if (first === undefined) return refuse(target, `a target below "${section}"`, `Write "${section}.<key>".`);
  if (section === 'state' && (first === '_last_error' || first === '_failure')) {
    return refuse(target, `a target that can be written (state.${first} is set by the engine)`);
  }
  return parsed;
}

const kept: ReadonlySet<string> = new Set(['input', 'result', '_branch', '_trigger', '_batch']);

// DF23: input mappings and the output mapping of a definition write plain dotted keys.
export function parseKeys(target: string): Target {
  const path = target.split('.');
  if (path.some((key) => key === '')) return refuse(target, 'keys joined by dots');
  if (/[[\]\p{Cc}]/u.test(target)) return refuse(target, 'keys joined by dots', 'Write "a.b", not "a[b]".');
  const forbidden = path.find((key) => forbiddenKeys.has(key));
  if (forbidden !== undefined) return refuse(target, `a target without the key "${forbidden}"`);
  if (path.length > keysMax) return refuse(target, `at most ${keysMax} keys`);
  return { path };
}

function refuse(target: string, what: string, hint?: string): Target {
  return { problem: { message: `Expected ${what}, but found ${shorten(JSON.stringify(target))}`, hint } };
}
