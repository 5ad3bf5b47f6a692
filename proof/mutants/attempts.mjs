// Attempts: with which small counts each proof is to find a bug, one after the other. The hint of a mutant, which only
// says where to look first, comes first.

const counted = (flag, counts, ...rest) => counts.map((count) => [flag, String(count), ...rest]);

export const attempts = {
  simulator: {
    argsFor: ({ seed, args = [] }) => [
      ...(seed === undefined ? [] : [['--worlds', '1', '--seed', String(seed), ...args, '--quick']]),
      ...counted('--runs', [3_000], '--quick'),
    ],
  },
  sweep: { argsFor: ({ only }) => [...(only === undefined ? [] : [['--only', only]]), []] },
  power: { argsFor: () => counted('--images', [10, 100], '--flips', '0', '--losses', '0') },
  flips: {
    program: 'power',
    argsFor: ({ flip }) => [
      ...(flip === undefined ? [] : [['--images', '0', '--flips', '2000', '--flip', String(flip)]]),
      ...counted('--flips', [50, 400], '--images', '0', '--losses', '0'),
    ],
  },
  losses: {
    program: 'power',
    argsFor: ({ loss }) => [
      ...(loss === undefined ? [] : [['--images', '0', '--flips', '0', '--losses', '120', '--loss', String(loss)]]),
      ...counted('--losses', [50, 400], '--images', '0', '--flips', '0'),
    ],
  },
  hostile: {
    argsFor: ({ kind }) => [
      ...(kind === undefined ? [] : counted('--count', [100, 600], '--kind', kind)),
      ...counted('--count', [5_000]),
    ],
  },
  kill: { argsFor: ({ kills = 5 }) => counted('--kills', [kills, 4 * kills]) },
  tenants: { argsFor: ({ part }) => [...(part === undefined ? [] : counted('--rounds', [1, 3], '--part', part))] },
  /** A file of tests, which the hint names. */
  tests: { argsFor: ({ id, hint }) => [id, hint.tests] },
  upgrade: { argsFor: () => [[]] },
};
