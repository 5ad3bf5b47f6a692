// Attempts: with which small counts each proof is to find a bug, one after the other. The hint of a mutant, which only
// says where to look first, comes first.

const counted = (flag, counts, ...rest) => counts.map((count) => [flag, String(count), ...rest]);

/** With the seed of the hint, if there is one, and so few; then with as many as it takes. */
const seeded =
  (flag, few, many, ...rest) =>
  (hint) => [
    ...(hint.seed === undefined ? [] : counted(flag, [few], '--seed', String(hint.seed), ...rest)),
    ...counted(flag, [many], ...rest),
  ];

export const attempts = {
  simulator: { argsFor: seeded('--runs', 1, 1_500, '--quick'), patienceMs: 30_000 },
  sweep: { argsFor: ({ only }) => [...(only === undefined ? [] : [['--only', only]]), []], patienceMs: 120_000 },
  power: { argsFor: () => counted('--images', [10, 100], '--flips', '0'), patienceMs: 60_000 },
  flips: {
    program: 'power',
    argsFor: ({ flip }) => [
      ...(flip === undefined ? [] : [['--images', '0', '--flips', '2000', '--flip', String(flip)]]),
      ...counted('--flips', [50, 400], '--images', '0'),
    ],
    patienceMs: 60_000,
  },
  hostile: {
    argsFor: ({ kind }) => [
      ...(kind === undefined ? [] : counted('--count', [100, 600], '--kind', kind)),
      ...counted('--count', [5_000]),
    ],
    patienceMs: 60_000,
  },
  kill: { argsFor: () => counted('--kills', [5]), patienceMs: 60_000 },
  upgrade: { argsFor: () => [[]], patienceMs: 30_000 },
};
