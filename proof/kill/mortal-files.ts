// MortalFiles: the files beside a store (artifacts, the key, copies of it) in a process that is to die: comes to the points between
// the steps by which they are written.
//
// Always true: it wraps what Node offers, so that the store's own code runs as it is.

import fs from 'node:fs';
import fsPromises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Death } from './death.ts';

const artifactPattern = /-artifacts.[0-9a-f]{2}.[0-9a-f]{62}$/;

export function makeFilesMortal(death: Death): void {
  const { open, rename, rm } = fsPromises;
  const { createWriteStream } = fs;
  const openMortal: typeof open = async (file, flags, mode) => {
    const handle = await open(file, flags, mode);
    if (String(flags).startsWith('w')) writeMortally(handle, death);
    return handle;
  };
  const renameMortal: typeof rename = async (from, to) => {
    // A copy of the store is the only database that gets its name so.
    const isCopy = String(to).endsWith('.db');
    death.reach(isCopy ? 'backup-unnamed' : 'file-synced');
    await rename(from, to);
    if (isCopy) death.reach('copy-named');
    death.reach('file-renamed');
  };
  const streamMortal: typeof createWriteStream = (...given) => {
    death.reach('backup-begun'); // Only copies are written so, and the key comes first.
    return createWriteStream(...given);
  };
  const removeMortal: typeof rm = (file, options) => {
    if (artifactPattern.test(String(file))) death.reach('removing-file');
    return rm(file, options);
  };
  Object.assign(fsPromises, { open: openMortal, rename: renameMortal, rm: removeMortal });
  Object.assign(fs, { createWriteStream: streamMortal });
  syncBuiltinESMExports();
}

function writeMortally(handle: FileHandle, death: Death): void {
  const write = handle.writeFile.bind(handle);
  const sync = handle.sync.bind(handle);
  const writeFile: typeof write = (...given) => {
    death.reach('file-made');
    return write(...given);
  };
  const syncMortal: typeof sync = () => {
    death.reach('file-written');
    return sync();
  };
  Object.assign(handle, { writeFile, sync: syncMortal });
}
