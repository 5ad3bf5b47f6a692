// Bugs in what guards a server: seals, keys, bodies.

export const serverMutants = [
  {
    id: 'snapshot-seal-not-compared',
    file: 'sdk/snapshot-seal.ts',
    find: "return typeof seal === 'string' && keys.some((key) => equalTexts(seal, sealOf(snapshot, key)));",
    replace: "return typeof seal === 'string' && keys.length > 0;",
    kind: 'server',
    what: 'Any text is taken for the seal of a snapshot.',
    caughtBy: 'tests',
    hint: { tests: 'tests/acceptance/thread-snapshot.test.ts' },
  },
];
