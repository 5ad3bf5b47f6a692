// WatchedStore: a store that tells of every call of its port, before and after it.

import type { ArtifactStore, Store } from '../../packages/heddle/src/actor/ports.ts';
import type { CrashPoints } from './crash-points.ts';

export function watchedStore(store: Store, points: CrashPoints): Store {
  return watched({ ...store, artifacts: watched<ArtifactStore>(store.artifacts, 'artifacts.', points) }, '', points);
}

function watched<Port extends object>(port: Port, prefix: string, points: CrashPoints): Port {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      // The hash is no call of the world.
      if (typeof value !== 'function' || key === 'hash') return value;
      const name = `${prefix}${String(key)}`;
      return (...given: unknown[]) => {
        points.pass(`before ${name}`);
        const answer: unknown = Reflect.apply(value, target, given);
        if (!(answer instanceof Promise)) {
          points.pass(`after ${name}`);
          return answer;
        }
        return answer.finally(() => points.pass(`after ${name}`));
      };
    },
  });
}
