// Watch: what one engine process has said, and waiting for it to say more.

import type { EngineProcess } from './processes.ts';
import type { Line } from './protocol.ts';

export class Watch {
  isOpening = false;
  isOpened = false;
  /** Why not, and when. */
  notOpened: string | null = null;
  notOpenedAt = 0;
  isAtPoint = false;
  isPastPoint = false;
  isClosed = false;
  hasEnded = false;
  readonly #waiters = new Set<() => void>();

  constructor(process: Pick<EngineProcess, 'listen' | 'ended'>) {
    process.listen((line) => {
      this.#note(line);
      this.#wake();
    });
    void process.ended.then(() => {
      this.hasEnded = true;
      this.#wake();
    });
  }

  /** When it holds, or the time is over: whether it holds. */
  until(condition: (watch: this) => boolean, timeoutMs: number): Promise<boolean> {
    if (condition(this)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const stop = (holds: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(look);
        resolve(holds);
      };
      const look = (): void => {
        if (condition(this)) stop(true);
      };
      const timer = setTimeout(() => stop(false), timeoutMs);
      this.#waiters.add(look);
    });
  }

  #note(line: Line): void {
    if (line.type === 'opening') this.isOpening = true;
    if (line.type === 'opened') this.isOpened = true;
    if (line.type === 'not-opened') {
      this.notOpened = `${line.code}: ${line.message}`;
      this.notOpenedAt = line.at;
    }
    if (line.type === 'at') this.isAtPoint = true;
    if (line.type === 'past') this.isPastPoint = true;
    if (line.type === 'closed') this.isClosed = true;
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter();
  }
}
