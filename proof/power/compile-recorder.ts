// CompileRecorder: makes the library that records writes, with the C compiler of the machine; gets one first where that is
// allowed.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const source = 'proof/power/record-writes.c';
const compiler = 'cc';
const installer = 'apt-get';

/** Answers with the library; throws a sentence that says what is missing. */
export function compileRecorder(folder: string): string {
  if (process.platform !== 'linux')
    throw new Error(`Expected Linux to record writes on, but found ${process.platform}`);
  if (!existsSync(source)) throw new Error(`Expected to run at the root of the repository, but ${source} is not there`);
  if (!hasCompiler()) installCompiler();
  const library = path.join(folder, 'record-writes.so');
  const { status, stderr } = spawnSync(
    compiler,
    ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread'],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`Expected ${source} to compile, but the C compiler says: ${stderr}`);
  return library;
}

const hasCompiler = (): boolean => spawnSync(compiler, ['--version']).status === 0;

function installCompiler(): void {
  const missing = 'Expected a C compiler (cc) to record writes with, but there is none';
  if (process.getuid?.() !== 0) throw new Error(`${missing}; install gcc and libc6-dev`);
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'gcc', 'libc6-dev']])
    spawnSync(installer, ['-q', ...args], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  if (!hasCompiler()) throw new Error(`${missing}, and apt-get could not install gcc and libc6-dev`);
}
