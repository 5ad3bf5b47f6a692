// Walk: through a recording, change by change: what the disk is sure of, and what is known outside, at every moment.

import { Disk } from './disk.ts';
import type { Change } from './trace.ts';

/** What was known outside when the power failed. */
export interface Knowledge {
  readonly opened: boolean;
  /** Numbers of commits: the last that had begun, and the last that was acknowledged. */
  readonly begun: number;
  readonly committed: number;
  readonly sent: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  /** Backups that were said to be there. */
  readonly copies: ReadonlySet<string>;
}

export class Walk {
  readonly disk: Disk;
  readonly #changes: readonly Change[];
  #position = 0;
  #opened = false;
  #begun = 0;
  #committed = 0;
  readonly #sent = new Set<string>();
  readonly #acknowledged = new Set<string>();
  readonly #copies = new Set<string>();

  /** `folder` is what names in the changes begin with. */
  constructor(folder: string, changes: readonly Change[]) {
    this.disk = new Disk(folder);
    this.#changes = changes;
  }

  /** Only ever onwards. */
  goTo(position: number): void {
    for (; this.#position < position; this.#position++) {
      const change = this.#changes[this.#position] as Change; // `position` is at most their number.
      this.disk.change(change);
      this.#hear(change);
    }
  }

  /** As of now: it changes with the next step. */
  get knowledge(): Knowledge {
    return {
      opened: this.#opened,
      begun: this.#begun,
      committed: this.#committed,
      sent: this.#sent,
      acknowledged: this.#acknowledged,
      copies: this.#copies,
    };
  }

  #hear(change: Change): void {
    // What the next process finds has a number of its own: after a loss it may be as after an earlier commit.
    if (change.type === 'restarted' || change.type === 'lost') this.#begun++;
    if (change.type !== 'marked') return;
    const { mark } = change;
    switch (mark.type) {
      case 'opened':
        this.#opened = true;
        this.#committed = this.#begun;
        return;
      case 'begun':
        this.#begun++;
        return;
      case 'committed':
        this.#committed = this.#begun;
        return;
      case 'sent':
        this.#sent.add(mark.nonce);
        return;
      case 'acknowledged':
        this.#acknowledged.add(mark.nonce);
        return;
      case 'copied':
        this.#copies.add(mark.name);
        return;
    }
  }
}
