// Folder watch: tells which files changed in a list of folders, a little after they did, one telling at a time.
//
// Always true: what changes during a report is in the next.

import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';

/** Editors write a file in several steps. */
const calmMs = 60;

export class FolderWatch {
  readonly #onChange: (changed: readonly string[]) => Promise<void>;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #telling: Promise<void> = Promise.resolve();
  #isStarted = false;

  constructor(onChange: (changed: readonly string[]) => Promise<void>) {
    this.#onChange = onChange;
  }

  /** Those that were not watched yet are, those that have gone are not. What changes before `start` is told then. */
  setFolders(folders: readonly string[]): void {
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#add(folder);
    for (const [folder, watcher] of this.#watchers) {
      if (folders.includes(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
  }

  start(): void {
    this.#isStarted = true;
    if (this.#changed.size > 0) this.#tellLater();
  }

  async stop(): Promise<void> {
    this.setFolders([]);
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#telling;
  }

  #add(folder: string): void {
    const watcher = watch(folder, (_, name) => this.#note(path.join(folder, name ?? '')));
    // A folder that was removed: its parent tells.
    watcher.on('error', () => undefined);
    this.#watchers.set(folder, watcher);
  }

  #note(file: string): void {
    if (path.basename(file).startsWith('.')) return;
    this.#changed.add(file);
    if (this.#isStarted) this.#tellLater();
  }

  #tellLater(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const changed = [...this.#changed];
      this.#changed.clear();
      this.#telling = this.#telling.then(() => this.#onChange(changed));
    }, calmMs);
  }
}
