// Outside: where the actions of the tests' programs tell what they do, and a workerd whose objects fail as a test says.

import type { Client } from '../../packages/heddle/src/client/client.ts';
import type { FaultsSeen, Told } from './faults.ts';
import { Workerd, type WorkerdOptions } from './workerd.testsuite.ts';

/** What an action has told. */
export interface Effect {
  readonly tenant: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly tokenId: number;
  readonly key: string;
  readonly attempt: number;
  /** Which version of the program it was. */
  readonly program: string;
}

export class Outside {
  readonly effects: Effect[] = [];
  readonly #waiting = new Set<() => void>();

  readonly answer = async (request: Request): Promise<Response> => {
    this.effects.push((await request.json()) as Effect);
    for (const look of this.#waiting) look();
    return new Response();
  };

  /** When something is true of what was told. Nobody asks an object meanwhile. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isTrue()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** When that node of the run has told. */
  hears(runId: string, nodeId = 'end'): Promise<void> {
    return this.until(() => this.effects.some((effect) => effect.runId === runId && effect.nodeId === nodeId));
  }

  of(tenant: string): readonly Effect[] {
    return this.effects.filter((effect) => effect.tenant === tenant);
  }
}

/** What an object answers to its test alone. */
export interface FaultyObject {
  do(what: 'die' | 'loseAlarm' | 'ringTwice' | 'alarmAt', at?: number): Promise<number | null>;
  do(what: 'aside'): Promise<readonly object[]>;
}

export class FaultyWorkerd {
  readonly workerd: Workerd;
  readonly outside: Outside;

  private constructor(workerd: Workerd, outside: Outside) {
    this.workerd = workerd;
    this.outside = outside;
  }

  static async open(
    options: Omit<WorkerdOptions, 'program' | 'outside'> = {},
    outside = new Outside(),
  ): Promise<FaultyWorkerd> {
    const workerd = await Workerd.open({ ...options, program: 'faults.worker.ts', outside: outside.answer });
    return new FaultyWorkerd(workerd, outside);
  }

  /** A tenant that has a key, but no object yet. */
  async tenant(name: string): Promise<Client> {
    return this.workerd.client(await this.keyOf(name));
  }

  /** A new one. */
  async keyOf(tenant: string): Promise<string> {
    return (await this.workerd.client().call('createKey', { name: tenant, scopes: ['*'], tenant })).key;
  }

  /** Tells what becomes of the objects of a tenant; answers with what has become of them. */
  async faults(tenant: string, told?: Partial<Told>): Promise<FaultsSeen> {
    const url = `http://heddle.test/faults?tenant=${encodeURIComponent(tenant)}`;
    const response = await this.workerd.fetch(url, told ? { method: 'POST', body: JSON.stringify(told) } : {});
    return (await response.json()) as FaultsSeen;
  }

  object(name: string): Promise<FaultyObject> {
    return this.workerd.object<FaultyObject>(name);
  }

  close(): Promise<void> {
    return this.workerd.close();
  }
}
