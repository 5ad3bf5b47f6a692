// Durable Objects for tests: a program in Cloudflare's runtime, which is asked over HTTP. An object is named by a header of the
// request, and is there as soon as it is asked; all share one bucket, `BUCKET`.
//
// Always true: storage outlives its object, and ends with the process that asked for the runtime; what a program is made of has
// nothing of Node's but what the runtime has itself.

import { fork } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { plantedBug } from '../proof/mutants/planted.mjs';

/** The header that names an object. */
export const objectHeader = 'x-object';

const front = (className: string): string => `
  export default {
    fetch(request, { OBJECTS }) {
      const id = OBJECTS.idFromName(request.headers.get('${objectHeader}'));
      return OBJECTS.get(id).fetch(request);
    },
  };
  export { ${className} };
`;

/** Starts a program that has a class of this name; answers where its objects are asked. */
export async function startObjects(className: string, program: { text: string; folder: string }): Promise<string> {
  const script = await bundle(`${program.text}${front(className)}`, program.folder);
  const env = { ...process.env, TMPDIR: findFolder() };
  const child = fork(fileURLToPath(new URL('workerd.mjs', import.meta.url)), { env });
  child.send({ script, className });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (told) => resolve((told as { readonly url: string }).url)); // all that it tells
    child.once('exit', (code) => reject(new Error(`Expected a runtime for objects, but it ended with ${code}`)));
  });
  child.unref();
  child.channel?.unref();
  return url;
}

const memory = '/dev/shm';
const bytesMin = 1_073_741_824;

/** Memory, where there is enough of it as a folder: a new object takes 1 ms there and 11 on a disk, which nothing here is about. */
function findFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > bytesMin ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function bundle(contents: string, resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: plantedBug(),
  });
  return outputFiles.map(({ text }) => text).join('');
}
