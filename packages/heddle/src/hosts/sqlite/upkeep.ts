// Upkeep: the care of a store on a disk: how large it is, giving space back, a copy of it.

import { stat } from 'node:fs/promises';
import type { StoreSizes, StoreUpkeep } from '../../actor/ports.ts';
import { measureArtifacts } from './artifact-copy.ts';
import { backUpStore } from './back-up.ts';
import type { SqlDriver } from './driver.ts';
import { isMissing, toFileError } from './file-fault.ts';
import { markLog, unmarkLog } from './log-mark.ts';

/** Where a store lies. */
export interface StoreFiles {
  readonly file: string;
  readonly keyFile: string;
  readonly artifactFolder: string;
}

/** What `auto_vacuum` says of a file that gives space back in steps. */
const incremental = 2;

export function makeUpkeep(driver: SqlDriver, files: StoreFiles): StoreUpkeep {
  const read = (name: string): number =>
    driver.prepare<{ value: number }>(`SELECT ${name} AS value FROM pragma_${name}`).get()?.value ?? 0;
  return {
    sizes: async (): Promise<StoreSizes> => ({
      fileBytes: await measureFile(files.file),
      walBytes: await measureFile(`${files.file}-wal`),
      freeBytes: read('freelist_count') * read('page_size'),
      artifacts: await measureArtifacts(files.artifactFolder),
    }),
    // KP6: the space of what was deleted is given back in small steps; an older file needs `vacuum` once for that.
    shrink: (pages) => {
      const free = read('freelist_count');
      if (free === 0 || read('auto_vacuum') !== incremental) return false;
      driver.exec(`PRAGMA incremental_vacuum(${pages})`);
      const left = read('freelist_count');
      return left > 0 && left < free;
    },
    // The log is empty for a moment, and must not be missed if the process is killed then.
    vacuum: () => {
      driver.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
      unmarkLog(driver);
      driver.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      markLog(driver, files.file);
    },
    backup: (path) => backUpStore(files, path),
  };
}

async function measureFile(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw toFileError(error, file);
  }
}
