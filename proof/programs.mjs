// The proofs as programs: what each is built of, and its share in `npm run prove`, which is a part of `npm test`. What
// takes turns tries another part with every commit.

export const programs = {
  simulator: { entries: { main: 'simulator/main.ts' }, share: ['--runs', '12000'] },
  sweep: { entries: { main: 'proof/sweep/main.ts' }, share: ['--share', '2'], takesTurns: true },
  kill: {
    entries: {
      main: 'proof/kill/main.ts',
      'engine-process': 'proof/kill/engine-process.ts',
      'shard-program': 'packages/heddle/src/fleet/threads/shard-program.ts',
    },
    share: ['--kills', '25', '--fleet-kills', '25'],
  },
  served: {
    entries: {
      main: 'proof/served/main.ts',
      'server-process': 'proof/served/server-process.ts',
      'worker-process': 'proof/served/worker-process.ts',
    },
    share: ['--kills', '20'],
  },
  shared: {
    entries: { main: 'proof/shared/main.ts', 'engine-process': 'proof/shared/engine-process.ts' },
    share: ['--faults', '20'],
  },
  tenants: {
    entries: { main: 'proof/tenants/main.ts', 'server-process': 'proof/tenants/server-process.ts' },
    share: [],
  },
  power: {
    entries: { main: 'proof/power/main.ts' },
    share: ['--images', '500', '--flips', '500', '--losses', '100'],
  },
  hostile: { entries: { main: 'proof/hostile/main.ts' }, share: ['--count', '100000'] },
  upgrade: { entries: { main: 'proof/upgrade/main.ts' }, share: [] },
};
