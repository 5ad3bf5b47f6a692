// A real second process that writes to a store, for tests of locks and of sudden death. It prints `open`, then the number
// of each commit once that is durable; a refusal ends it with its code.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const program = `
  import { writeSync } from 'node:fs';
  import { openSqliteStore } from './open.ts';
  const [file, commits, pauseMs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
  const store = await openSqliteStore(file, { lockWaitMs: 0 }).catch((error) => {
    writeSync(1, error.code + '\\n');
    process.exit(1);
  });
  writeSync(1, 'open\\n');
  const row = { runId: 'run-a', workflow: 'w', version: 1, status: 'running', head: '', nextTimerAt: null, hasWork: true,
    createdAt: 1, updatedAt: 1, endedAt: null, parentRunId: null, rootRunId: 'run-a', tags: {}, result: null, quarantine: null };
  const events = JSON.stringify(['x'.repeat(3000)]);
  let seq = (await store.readRun('run-a'))?.seq ?? 0;
  for (let done = 0; done < commits; done += 1) {
    seq += 1;
    store.commit({
      runs: [{ row: { ...row, seq }, isNew: seq === 1 }],
      journal: [{ runId: 'run-a', seq, at: seq, events, hash: '' }],
      outboxAdded: [{ id: String(seq).padStart(9, '0'), to: 'run-b', message: '{}' }],
      outboxDone: [], keys: [], records: [],
    });
    writeSync(1, seq + '\\n');
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  setInterval(() => {}, 1000);
`;

/** Writes the program, as JavaScript that any Node runs, into the folder. */
export async function buildWriter(folder: string): Promise<string> {
  const outfile = path.join(folder, 'writer.mjs');
  const packaged = pathToFileURL(createRequire(import.meta.url).resolve('@photostructure/sqlite')).href;
  await build({
    stdin: { contents: program, resolveDir: path.dirname(fileURLToPath(import.meta.url)), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    plugins: [
      {
        name: 'package-where-it-is',
        setup: (builder) =>
          builder.onResolve({ filter: /^@photostructure/ }, () => ({ path: packaged, external: true })),
      },
    ],
  });
  return outfile;
}

export interface WriterProcess {
  /** The next line it prints; null at its end. */
  nextLine(): Promise<string | null>;
  /** SIGKILL: no handler, no flush, no farewell. All lines it had printed come back. */
  kill(): Promise<string[]>;
}

export function startWriter(writer: string, file: string, { commits = 0, pauseMs = 0 } = {}): WriterProcess {
  const args = [writer, file, String(commits), String(pauseMs)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const printed: string[] = [];
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done === true) return null;
    printed.push(value);
    return value;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
    while ((await nextLine()) !== null);
    return printed;
  };
  return { nextLine, kill };
}
