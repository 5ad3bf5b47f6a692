// `heddle demo`: a run in another process, on a file, that is killed in the middle of a step and resumes. This process
// only watches: it reads the file beside the one that writes it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from 'heddle';
import type { Heddle } from 'heddle/client';
import { CommandError, exitCodes } from './command-error.ts';
import { type DemoProject, writeDemoProject } from './demo-project.ts';
import { withPlace } from './place.ts';
import { type Progress, showProgress } from './progress.ts';
import { count, prettyJson, output as terminal } from './terminal.ts';

const lookMs = 100;
const killAfterMs = 900;
const silenceMs = 1_500;
/** For what hangs: the machine may be busy with other things. */
const patienceMs = 600_000;

const { paint } = terminal;

export async function demoCommand(): Promise<number> {
  const project = writeDemoProject();
  const demo = new Demo(project);
  const stop = () => {
    demo.end();
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  terminal.line();
  terminal.line(
    `${paint('bold', 'Heddle')}  an order is packed, paid and confirmed; its process will be killed on the way.`,
  );
  terminal.line(paint('dim', `        Everything is in ${project.folder}`));
  terminal.line();
  try {
    await demo.play();
  } finally {
    demo.end();
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  }
  await conclude(project, demo.output);
  return exitCodes.done;
}

class Demo {
  readonly #project: DemoProject;
  readonly #progress: Progress;
  #worker: ChildProcess | null = null;
  #printed = '';
  /** When time stood still, because nobody works on the run. */
  #deadSince: number | null = null;

  constructor(project: DemoProject) {
    this.#project = project;
    this.#progress = showProgress(terminal, { stoppedAt: () => this.#deadSince });
  }

  get output(): unknown {
    const last = this.#printed.trim().split('\n').at(-1) ?? '';
    return (JSON.parse(last) as { readonly output: unknown }).output; // the last line of `--json`
  }

  async play(): Promise<void> {
    this.#progress.say(`  ${paint('cyan', '▶')} heddle run workflow.json --store heddle.db --idempotency-key demo …`);
    const first = this.#start();
    await this.#watchUntil(() => this.#isCharging(killAfterMs), first);
    first.kill('SIGKILL');
    await once(first, 'exit');
    await this.#look();
    this.#deadSince = Date.now();
    this.#progress.say(
      `  ${paint('red', '✗')} kill -9 ${first.pid}: the process is gone, in the middle of ${paint('bold', 'charge')}`,
    );
    await sleep(silenceMs);
    this.#progress.say(`  ${paint('cyan', '▶')} the same command again, on the same file: what was done stays done`);
    this.#deadSince = null;
    const second = this.#start();
    await this.#watchUntil(() => second.exitCode !== null, second);
    await this.#look();
  }

  end(): void {
    this.#progress.stop();
    this.#worker?.kill('SIGKILL');
  }

  #start(): ChildProcess {
    const { path } = this.#project;
    const definitions = [path('workflow.json'), '--register', path('receipt.json'), '--actions', path('actions.mjs')];
    const run = ['--store', path('heddle.db'), '--idempotency-key', 'demo', '--input', `@${path('input.json')}`];
    const command = [process.argv[1] ?? '', 'run', ...definitions, ...run, '--json', '--quiet'];
    const worker = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    worker.stdout.on('data', (chunk: Buffer) => {
      this.#printed += chunk.toString();
    });
    this.#worker = worker;
    return worker;
  }

  async #watchUntil(isTime: () => boolean, worker: ChildProcess): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!isTime()) {
      if (worker.exitCode || Date.now() > deadline) {
        const message = `Expected the demo's run to resume, but it did not; look into ${this.#project.folder}.`;
        throw new CommandError('DEMO_FAILED', message, exitCodes.notCompleted);
      }
      await sleep(lookMs);
      await this.#look();
    }
  }

  #isCharging(forMs: number): boolean {
    const tokens = [...this.#progress.board.runs.values()].flatMap(({ tokens: all }) => [...all.values()]);
    return tokens.some(
      ({ node, phase, since }) => node === 'charge' && phase === 'running' && Date.now() - since > forMs,
    );
  }

  /** Takes in what is new in the journals. */
  async #look(): Promise<void> {
    try {
      await withPlace({ store: this.#project.path('heddle.db') }, 'look', ({ heddle }) => this.#read(heddle));
    } catch (error) {
      // The file is not there yet, or is just being made: look again.
      if (!(error instanceof StoreError) && !(error instanceof CommandError)) throw error;
    }
  }

  async #read(engine: Heddle): Promise<void> {
    const { board } = this.#progress;
    const runs = await engine.runs({ limit: 10 });
    // Callers before those whom they called.
    for (const { runId } of runs.toSorted((a, b) => a.createdAt - b.createdAt)) {
      const after = board.lastSeen(runId);
      const options = { follow: false, ...(after === undefined ? {} : { after }) };
      for await (const event of engine.run(runId).events(options)) this.#progress.add(event);
    }
  }
}

async function conclude(project: DemoProject, output: unknown): Promise<void> {
  const store = project.path('heddle.db');
  const { runs, rows, problems } = await withPlace({ store }, 'look', ({ heddle }) => heddle.audit());
  if (problems.length > 0) {
    throw new CommandError(
      'DEMO_FAILED',
      `Expected a clean audit, but: ${problems[0]?.message}`,
      exitCodes.notCompleted,
    );
  }
  const calls = readFileSync(project.path('bank.log'), 'utf8').trim().split('\n');
  const keys = new Set(calls.map((call) => call.split(' ')[0]));
  const fact = (name: string, text: string) => terminal.line(`  ${paint('green', name.padEnd(7))} ${text}`);
  terminal.line();
  fact('output', prettyJson(output, 1_000));
  fact(
    'bank',
    `asked ${calls.length} times, always with key ${[...keys].join(' and ')}: it can tell that this is one payment`,
  );
  fact('audit', `clean: ${count(runs, 'run')}, ${count(rows, 'journal row')}; the journals replay to the stored state`);
  terminal.line();
  terminal.line(paint('bold', 'Try next'));
  for (const [command, why] of tryNext(project)) terminal.line(`  npx heddle ${command}   ${paint('dim', `# ${why}`)}`);
  terminal.line();
}

/** The course is in the repository, not in the package. */
function tryNext(project: DemoProject): readonly (readonly [string, string])[] {
  const course = 'examples/01-linear/workflow.json';
  const first = existsSync(course)
    ? ([`run ${course} --input '{"name": "Ada"}'`, 'examples/README.md is a course'] as const)
    : ([`run ${project.path('receipt.json')} --input '{"paid": 7}'`, 'the files are yours to change'] as const);
  return [
    [`show last --store ${project.path('heddle.db')}`, 'every token and its times'],
    first,
    ['--help', 'what else there is'],
  ];
}
