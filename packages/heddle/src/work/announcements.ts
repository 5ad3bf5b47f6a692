// Announcements: the actions that workers say they do, kept in the store so that the next engine knows them before any
// worker has come back. Rules WK13 and WK14.

import type { Background } from '../actor/background.ts';
import type { Clock, RecordRow } from '../actor/ports.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { asJson } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import type { Limits } from '../definition/limits.ts';
import type { CatalogueEntry } from '../dialects/catalogue/entry.ts';
import type { CompiledAction } from '../executor/compile-action.ts';
import { InvalidActionsError } from '../executor/registry.ts';
import { type AnnouncedAction, type Announcement, readAnnouncement, unannounced } from './announcement.ts';

/** As it is kept. */
export interface KeptAction extends AnnouncedAction {
  /** Who said so last, and when that was first said. */
  readonly worker: string;
  readonly announcedAt: number;
}

interface Known {
  readonly kept: KeptAction;
  readonly compiled: CompiledAction;
}

export const actionKind = 'action';

export interface AnnouncementsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly background: Background;
  /** Workers have these actions now, or other versions of them. */
  readonly onAnnounced: (names: readonly string[]) => void;
}

export class Announcements {
  readonly #options: AnnouncementsOptions;
  readonly #known = new Map<string, Known>();
  /** Node types that are done in the process: nobody else says what ports they have. */
  readonly #local: ReadonlySet<string>;
  readonly #ports: Record<string, CatalogueEntry>;

  /** The newest of which nothing was said. */
  #unannounced = unannounced('');

  /** `ports`: what definitions know of node types; what workers announce is added to it. */
  constructor(options: AnnouncementsOptions, ports: Record<string, CatalogueEntry>) {
    this.#options = options;
    this.#ports = ports;
    this.#local = new Set(Object.keys(ports));
  }

  names(): Iterable<string> {
    return this.#known.keys();
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** What was announced of it; null if nothing was. */
  find(name: string): AnnouncedAction | null {
    const known = this.#known.get(name);
    return known === undefined ? null : asAnnounced(known.kept);
  }

  /** With the settings that were announced, or none. */
  settingsOf(name: string): CompiledAction {
    const known = this.#known.get(name);
    if (known !== undefined) return known.compiled;
    // Asked three times for every task, most often for the same one.
    if (this.#unannounced.name !== name) this.#unannounced = unannounced(name);
    return this.#unannounced;
  }

  costOf(name: string): number {
    return this.#known.get(name)?.compiled.cost ?? 0;
  }

  /** Those that an earlier engine heard of. One that cannot be read is reported; a worker will say it again. */
  load(rows: readonly RecordRow[]): void {
    for (const { key, value } of rows) {
      try {
        const { worker, announcedAt, ...action } = JSON.parse(value) as KeptAction; // written below
        const read = this.#read(action, '');
        if ('compiled' in read) this.#add({ ...read.action, worker, announcedAt }, read.compiled);
      } catch (error) {
        this.#options.background.report(
          new Error(`Expected action ${key} to be JSON, but it is damaged`, { cause: error }),
        );
      }
    }
  }

  /** What another engine has of them by now, and no more than that. */
  replace(rows: readonly RecordRow[]): void {
    const there = new Set(rows.map(({ key }) => key));
    for (const name of this.#known.keys()) if (!there.has(name)) this.#forget(name);
    this.load(rows);
  }

  // WK14: what workers announce is durable when it is answered; who says the same again changes nothing.
  async announce(worker: string, actions: readonly unknown[]): Promise<void> {
    const { clock, background } = this.#options;
    const read = actions.map((action, index) => this.#read(action, `/${index}`));
    const problems = read.flatMap((one) => ('compiled' in one ? [] : one));
    if (problems.length > 0) throw new InvalidActionsError(problems);
    const fresh = read.filter((one): one is Announcement => 'compiled' in one && !this.#isKnown(one.action));
    this.#refuseTooMany(fresh);
    const kept = fresh.map(({ action }): KeptAction => ({ ...action, worker, announcedAt: clock.now() }));
    if (kept.length === 0) return;
    const records = kept.map((action) => ({
      kind: actionKind,
      key: action.name,
      value: JSON.stringify(action),
      dueAt: null,
    }));
    await background.commit({ records });
    // Made from the fresh ones, one for each.
    for (const [index, { compiled }] of fresh.entries()) this.#add(kept[index] as KeptAction, compiled);
    this.#options.onAnnounced(kept.map(({ name }) => name));
  }

  /** Nobody does them any more. */
  async withdraw(names: readonly string[]): Promise<void> {
    const known = names.filter((name) => this.#known.has(name));
    if (known.length === 0) return;
    const records = known.map((name) => ({ kind: actionKind, key: name, value: null, dueAt: null }));
    await this.#options.background.commit({ records });
    for (const name of known) this.#forget(name);
  }

  #forget(name: string): void {
    this.#known.delete(name);
    if (!this.#local.has(name)) delete this.#ports[name];
  }

  #read(action: unknown, pointer: string): ReturnType<typeof readAnnouncement> {
    return readAnnouncement(action, { limits: this.#options.limits, pointer });
  }

  #isKnown(action: AnnouncedAction): boolean {
    const known = this.#known.get(action.name);
    if (known === undefined) return false;
    return asText(asAnnounced(known.kept)) === asText(action);
  }

  #refuseTooMany(fresh: readonly Announcement[]): void {
    const { announcedActionsMax } = this.#options.limits;
    const added = new Set(fresh.map(({ action }) => action.name).filter((name) => !this.#known.has(name)));
    const count = this.#known.size + added.size;
    if (count <= announcedActionsMax) return;
    const message = `Expected at most ${announcedActionsMax} announced actions by the limit announcedActionsMax, but these would be ${count}; withdraw some`;
    throw new HeddleError('LIMIT_EXCEEDED', message, { limit: 'announcedActionsMax' });
  }

  #add(kept: KeptAction, compiled: CompiledAction): void {
    this.#known.set(kept.name, { kept, compiled });
    if (this.#local.has(kept.name)) return;
    const { ports = {}, catalogue = {}, version, description } = kept;
    const { inputs, outputs } = ports as Partial<CatalogueEntry>; // checked when it was read
    this.#ports[kept.name] = { ...given({ version, description }), ...catalogue, inputs, outputs };
  }
}

function asAnnounced({ worker: _worker, announcedAt: _announcedAt, ...action }: KeptAction): AnnouncedAction {
  return action;
}

const asText = (action: AnnouncedAction): string => stableStringify(asJson(action));
