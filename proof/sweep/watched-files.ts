// WatchedFiles: the file system as the store sees it beside the database (its key, its artifacts), which tells of every
// step that changes a file, before and after it.

import { type FileHandle, default as files } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { CrashPoints } from './crash-points.ts';

type Step = (...given: unknown[]) => Promise<unknown>;

const steps = ['rename', 'rm', 'mkdir'] as const;
const original = { rename: files.rename, rm: files.rm, mkdir: files.mkdir, open: files.open };

/** From now on, for the whole process; the answer ends it. */
export function watchFiles(points: CrashPoints): () => void {
  for (const step of steps) {
    Object.assign(files, { [step]: watchedStep(step, original[step] as Step, points) });
  }
  const open = watchedStep('open', original.open as Step, points);
  files.open = async (...given) => watchedHandle((await open(...given)) as FileHandle, points); // what `open` answers
  syncBuiltinESMExports();
  return () => {
    Object.assign(files, original);
    syncBuiltinESMExports();
  };
}

function watchedStep(name: string, work: Step, points: CrashPoints): Step {
  return async (...given) => {
    points.pass(`before ${name}`);
    const result = await work(...given);
    points.change(name === 'writeFile' ? 'bit by bit' : 'at once');
    points.pass(`after ${name}`);
    return result;
  };
}

function watchedHandle(handle: FileHandle, points: CrashPoints): FileHandle {
  const writeFile = watchedStep('writeFile', handle.writeFile.bind(handle) as Step, points);
  return Object.assign(handle, { writeFile });
}
