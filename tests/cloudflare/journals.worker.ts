// The program of SH7 on objects: plays programs of the simulator inside an object, on its storage.

import { DurableObject } from 'cloudflare:workers';
import { type ObjectStorage, openObjectStore } from '../../packages/heddle/src/cloudflare.ts';
import { journalsOf, type ProgramKind } from '../../simulator/journals-of.ts';

export class HeddleObject extends DurableObject<unknown> {
  journals(kind: ProgramKind, seed: number): Promise<readonly string[]> {
    const { storage } = (this as unknown as { ctx: { storage: ObjectStorage } }).ctx; // every object has it
    return journalsOf(kind, seed, { makeStore: () => openObjectStore(storage).store });
  }

  /** The world of a program has a time of its own. */
  override async alarm(): Promise<void> {
    await Promise.resolve();
  }
}

export default { fetch: (): Response => new Response() };
