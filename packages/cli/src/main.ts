#!/usr/bin/env node
// Main: the command `heddle`. Reads the command line, and turns whatever goes wrong into one sentence and an exit code.

import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { type ErrorReport, exitCodes, memberOf, reportOf } from './command-error.ts';
import { makeProgram } from './program/program.ts';

function versionOf(): string {
  // The bundle is dist/cli/main.js of the package `heddle`, whose version this is.
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version; // npm publishes none without
}

const isJson = process.argv.includes('--json');

/** One sentence; a stack trace only for whoever asks for it. */
function complain(error: unknown): number {
  const report = reportOf(error);
  const { code, message } = report;
  if (isJson) console.log(jsonOf(report));
  console.error(`heddle: ${code}: ${message}`);
  if (process.env['HEDDLE_DEBUG']) console.error(error);
  else if (code === 'FAILED')
    console.error('heddle: This should not happen; set HEDDLE_DEBUG=1 for details to report.');
  const exitCode = memberOf(error, 'exitCode');
  return typeof exitCode === 'number' ? exitCode : exitCodes.refused;
}

/** Of commands that answer with a run, what they always answer with. */
function jsonOf({ code, message, problems }: ErrorReport): string {
  const error = { code, message, ...(problems ? { details: problems } : {}) };
  const isRun = ['run', 'resume'].includes(process.argv[2] ?? '');
  return JSON.stringify(isRun ? { runId: null, status: null, output: null, error } : { error });
}

/** Commander has said what is wrong with the command line already, to people. */
function endParsing({ exitCode, code, message }: CommanderError): number {
  if (exitCode === 0) return exitCodes.done;
  if (isJson)
    console.log(
      jsonOf({ code: 'COMMAND_INVALID', message: message.replace(/^error: /, '').replaceAll('\n', ' ') || code }),
    );
  return exitCodes.refused;
}

/** Actions may leave timers and sockets behind; what is written must be out before the process ends. */
async function leave(exitCode: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  process.exit(exitCode);
}

// Whoever reads a part only (`heddle runs | head -1`) has had enough.
process.stdout.on('error', ({ code }: { readonly code?: string }) => process.exit(code === 'EPIPE' ? 0 : 1));

try {
  await makeProgram(versionOf()).parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? endParsing(error) : complain(error);
}
await leave(Number(process.exitCode ?? 0));
