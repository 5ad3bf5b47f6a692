// AnswerLater: makes of a store one that writes commits after whatever is due to run now, as one that writes beside the program does, so that
// turns are planned on what is not durable yet.

import type { Commit, Store } from '../packages/heddle/src/actor/ports.ts';

export function answerLater(store: Store): Store {
  const write = store.commit.bind(store);
  let last: Promise<unknown> = Promise.resolve();
  store.commit = (commit: Commit): Promise<void> => {
    const turn = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    const written = turn.then(() => write(commit));
    last = written.catch(() => undefined); // whoever asked is told
    return written;
  };
  return store;
}
