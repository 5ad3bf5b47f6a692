// Workerd: a Worker of a test in the platform's own runtime, on this machine and without a network.
//
// Always true: it is bundled as a user's bundler does it, but from the sources; what its actions do outside is seen here.

import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { kCurrentWorker, Miniflare, type MiniflareOptions, type WorkerOptions } from 'miniflare';
import { Client } from '../../packages/heddle/src/client/client.ts';
import { Transport } from '../../packages/heddle/src/client/transport.ts';
import type { ObjectNamespace } from '../../packages/heddle/src/cloudflare.ts';
import { plantedBug } from '../../proof/mutants/planted.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const compatibilityDate = '2026-04-01';
export const operatorKey = 'key-of-the-operator';

export interface WorkerdOptions {
  /** Beside this file. */
  readonly program: string;
  /** What the program finds in its environment as texts. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** A folder in which objects outlive the runtime. */
  readonly persist?: string;
  /** What the Worker asks over its binding `OUTSIDE`. */
  readonly outside?: (request: Request) => Promise<Response> | Response;
  /** The program has an entry point for other Workers. */
  readonly isBehindService?: boolean;
  readonly more?: Partial<MiniflareOptions>;
  /** Another Worker with the binding of the objects: its program, beside this file, and what else it is given. */
  readonly beside?: { readonly program: string; readonly more?: Partial<WorkerOptions> };
}

const bundles = new Map<string, Promise<string>>();

/** One file, with the engine inside. */
function bundle(program: string): Promise<string> {
  const known = bundles.get(program) ?? makeBundle(program);
  bundles.set(program, known);
  return known;
}

async function makeBundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(here, program)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    target: 'es2023',
    logLevel: 'silent',
    plugins: plantedBug(),
  });
  return outputFiles[0]?.text ?? '';
}

/** A program, as a Worker without anything else. */
const loaded = async (program: string) => ({
  modules: true,
  script: await bundle(program),
  compatibilityDate,
  compatibilityFlags: ['nodejs_compat'],
});

/** A Worker with objects, but for what it is bound to; all of it is data. */
export const loadedEngine = async (program: string, bindings: Readonly<Record<string, string>> = {}) => ({
  ...(await loaded(program)),
  durableObjects: { HEDDLE: { className: 'HeddleObject', useSQLite: true } },
  bindings: { HEDDLE_KEY: operatorKey, ...bindings },
});

/** What the runtime says of sockets that nobody reads any more, of objects that a test has killed, and of alarms that were moved, is none. */
const isNews = (line: string): boolean => !/disconnected|killed by a test|alarm handler canceled|^stack: /.test(line);

function tellNews(...streams: readonly Readable[]): void {
  for (const input of streams)
    createInterface({ input }).on('line', (line) => {
      if (isNews(line)) process.stderr.write(`workerd: ${line}\n`);
    });
}

export class Workerd {
  readonly runtime: Miniflare;

  private constructor(runtime: Miniflare) {
    this.runtime = runtime;
  }

  static async open({
    program,
    bindings,
    persist,
    outside,
    isBehindService = false,
    more,
    beside,
  }: WorkerdOptions): Promise<Workerd> {
    const worker = {
      name: 'engine',
      ...(await loadedEngine(program, bindings)),
      serviceBindings: {
        OUTSIDE: (outside ?? (() => new Response())) as never, // the same, by other types
        WORK: { name: kCurrentWorker, entrypoint: 'Work' },
        ...(isBehindService ? { SERVICE: { name: kCurrentWorker, entrypoint: 'HeddleService' } } : {}),
      },
      ...more,
    };
    const objects = { HEDDLE: { className: 'HeddleObject', scriptName: 'engine', useSQLite: true } };
    const other = beside && {
      name: 'beside',
      ...(await loaded(beside.program)),
      durableObjects: objects,
      ...beside.more,
    };
    const runtime = new Miniflare({
      cf: false,
      handleRuntimeStdio: tellNews,
      ...(persist === undefined ? {} : { durableObjectsPersist: persist }),
      ...more,
      workers: [worker, ...(other ? [other] : [])],
    } as MiniflareOptions);
    await runtime.ready;
    return new Workerd(runtime);
  }

  /** As anybody asks the Worker. */
  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.runtime.dispatchFetch(input as string, init as never) as Promise<unknown> as Promise<Response>; // as Node has them

  /** As somebody asks the other Worker. */
  async askBeside(): Promise<Response> {
    const other = (await this.runtime.getWorker('beside')) as unknown as { fetch(url: string): Promise<Response> }; // by other types
    return other.fetch('http://beside.test/');
  }

  /** The engine, as whoever has this key sees it. */
  client(key: string = operatorKey): Client {
    return new Client(new Transport({ url: 'http://heddle.test', key, fetch: this.fetch, retries: 0 }));
  }

  /** What the class of a test's program answers beside what all objects do. */
  async object<Methods>(name: string): Promise<Methods> {
    const objects = (await this.runtime.getDurableObjectNamespace('HEDDLE')) as unknown as ObjectNamespace; // as Workers see it
    return objects.get(objects.idFromName(name)) as Methods; // of the program
  }

  close(): Promise<void> {
    return this.runtime.dispose();
  }
}

/** What an action has told. */
interface Told {
  readonly runId: string;
  readonly workflow?: string;
}

/** What actions tell outside: known without a question to their object. */
export class Outside {
  readonly #told: Told[] = [];
  readonly #waiting = new Set<() => void>();

  readonly answer = async (request: Request): Promise<Response> => {
    this.#told.push((await request.json()) as Told); // as the program's actions send it
    for (const look of this.#waiting) look();
    return new Response();
  };

  hasHeard(runId: string): boolean {
    return this.#told.some((told) => told.runId === runId);
  }

  /** When something of a run was told. */
  async hears(runId: string): Promise<void> {
    await this.#find((told) => told.runId === runId);
  }

  /** The first run of a workflow that told something. */
  async hearsOf(workflow: string): Promise<string> {
    return (await this.#find((told) => told.workflow === workflow)).runId;
  }

  #find(isIt: (told: Told) => boolean): Promise<Told> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.#told.find(isIt);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
