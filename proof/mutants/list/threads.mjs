// Bugs in the main thread of a fleet whose shards are in threads of their own.

const threadTests = { tests: 'fleet/threads/threads.test.ts' };

export const threadMutants = [
  {
    id: 'threads-have-limits-of-their-own',
    in: 'MainSide.join',
    find: 'crew: this.#crew',
    replace: 'crew: new Crew()',
    what: 'As many actions run for each thread as are allowed for all.',
    caughtBy: 'tests',
    hint: threadTests,
  },
  {
    id: 'thread-is-given-a-clock',
    in: 'SH15',
    find: "(clock && 'a clock') ||",
    what: 'A clock that the threads cannot have is taken, and never asked.',
    caughtBy: 'tests',
    hint: threadTests,
  },
  {
    id: 'cancelled-by-a-thread-in-vain',
    in: 'ShardTasks.abort',
    find: 'this.router.abort(runId, tokenId);',
    what: 'The action of a run that was cancelled goes on in the main thread.',
    caughtBy: 'tests',
    hint: threadTests,
  },
  {
    id: 'thread-keeps-the-process',
    in: 'ShardThread.hear',
    find: 'this.#worker.unref();',
    replace: '{}',
    what: 'A process with nothing to do does not leave, for a thread that waits keeps it.',
    caughtBy: 'tests',
    hint: { tests: 'fleet/threads/shard-thread.test.ts' },
  },
  {
    id: 'working-thread-does-not-keep-the-process',
    in: 'ShardThread.hear',
    find: 'seen === this.#sent && ',
    what: 'A process leaves although it has asked a thread something.',
    caughtBy: 'tests',
    hint: { tests: 'fleet/threads/shard-thread.test.ts' },
  },
  {
    id: 'who-asks-a-dead-thread-waits',
    in: 'SH17',
    find: 'this.line.cut(error);',
    what: 'Whoever has asked a shard whose thread has died waits for ever.',
    caughtBy: 'tests',
    hint: threadTests,
  },
  {
    id: 'dead-thread-leaves-its-actions',
    in: 'FarShard.lose',
    find: 'this.#tasks.abortAll();',
    what: 'Actions of a shard whose thread has died are not told that nobody waits for them.',
    caughtBy: 'tests',
    hint: threadTests,
  },
  {
    id: 'dead-thread-not-missing',
    in: 'FarShard.lose',
    find: 'this.#absence = error;',
    what: 'A shard whose thread has died is given new runs.',
    caughtBy: 'tests',
    hint: threadTests,
  },
];
