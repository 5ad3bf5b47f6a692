// AnswerLater: a store that writes commits after whatever is due to run now, as one that writes beside the program does, so that
// turns are planned on what is not durable yet.

import type { Commit, Store } from '../packages/heddle/src/actor/ports.ts';

export function answerLater(store: Store): Store {
  let last: Promise<unknown> = Promise.resolve();
  const commit = (given: Commit): Promise<void> => {
    const turn = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    const written = turn.then(() => store.commit(given));
    last = written.catch(() => undefined); // whoever asked is told
    return written;
  };
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'commit') return commit;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
