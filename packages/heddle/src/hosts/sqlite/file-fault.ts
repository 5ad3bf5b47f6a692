// FileFault: turns what the file system throws about a file beside the store into a StoreError whose sentence says what
// to do.

import { StoreError } from '../../actor/store-error.ts';

const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const notAllowed = new Set(['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'EEXIST']);

/** What is no fault of the file system passes unchanged. */
export function toFileError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code } = error as NodeJS.ErrnoException; // those of the file system are, and others lack a code
  if (code === undefined) return error;
  const found = `the system says '${error.message}'`;
  if (noRoom.has(code))
    return new StoreError(
      'STORE_FULL',
      `Expected room on the disk for ${file}, but ${found}. Free some space and try again.`,
      { cause: error },
    );
  if (notAllowed.has(code))
    return new StoreError(
      'STORE_UNWRITABLE',
      `Expected to be able to read and write ${file}, but ${found}. Check what lies there and its permissions.`,
      { cause: error },
    );
  return new StoreError(
    'STORE_FAILED',
    `Expected the disk to read and write ${file}, but ${found}. Check the disk, then try again.`,
    { cause: error },
  );
}

/** For faults of looking: nothing lies under the name. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
