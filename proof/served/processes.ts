// Processes: servers and workers as the supervisor has them at hand: told to begin; killed.

import { LineProcess } from '../kill/line-process.ts';
import type { Line, Order } from './protocol.ts';

export class Mortal extends LineProcess<Order, Line> {
  /** When it has begun: false if it ended before. */
  readonly ready: Promise<boolean>;
  /** What nobody foresaw. */
  onBroken: (message: string) => void = () => undefined;

  constructor(program: string) {
    super(program);
    this.ready = new Promise((resolve) => {
      this.listen((line) => {
        if (line.type === 'ready') resolve(true);
        if (line.type === 'broken') this.onBroken(line.message);
      });
      void this.ended.then(() => resolve(false));
    });
  }
}
