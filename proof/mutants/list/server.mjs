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
  {
    id: 'access-not-asked-at-delivery',
    file: 'http/event-stream.ts',
    find: 'if (!hasAccess(this.#access)) return this.refuse();',
    replace: 'void hasAccess;',
    kind: 'server',
    what: 'An event that waits for its reader is delivered although the key was lost meanwhile.',
    caughtBy: 'tests',
    hint: { tests: 'tests/http/lost-access.test.ts' },
  },
  {
    id: 'access-not-asked-after-the-body',
    file: 'http/app.ts',
    find: '    refuseLost(access);\n',
    replace: '    void refuseLost;\n',
    kind: 'server',
    what: 'A request whose key is revoked while its body comes is done all the same.',
    caughtBy: 'tests',
    hint: { tests: 'tests/http/lost-access.test.ts' },
  },
  {
    id: 'webhook-looked-up-after-its-body',
    file: 'http/handlers/admissions.ts',
    find: 'if (admission === undefined) return;',
    replace: 'if (admission !== undefined) return;',
    kind: 'server',
    what: 'The body of a call is read before it is known whether there is such a webhook.',
    caughtBy: 'tests',
    hint: { tests: 'tests/http/bodies.test.ts' },
  },
];
