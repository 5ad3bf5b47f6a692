// Workerd: a Worker of a test in the platform's own runtime, on this machine and without a network.
//
// Always true: it is bundled as a user's bundler does it, but from the sources; what its actions do outside is seen here.

import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { kCurrentWorker, Miniflare, type MiniflareOptions } from 'miniflare';
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

/** What a runtime is given, all of it data: its program, in one of its versions, and where its objects lie. */
export async function programOptions({
  program,
  bindings,
  persist,
}: Pick<WorkerdOptions, 'program' | 'bindings' | 'persist'>): Promise<MiniflareOptions> {
  return {
    modules: true,
    script: await bundle(program),
    compatibilityDate,
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: { HEDDLE: { className: 'HeddleObject', useSQLite: true } },
    bindings: { HEDDLE_KEY: operatorKey, ...bindings },
    cf: false,
    ...(persist === undefined ? {} : { durableObjectsPersist: persist }),
  };
}

/** What the runtime says of sockets that nobody reads any more, and of objects that a test has killed, is none. */
const isNews = (line: string): boolean => !/disconnected|killed by a test|^stack: /.test(line);

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

  static async open({ outside, isBehindService = false, more, ...of }: WorkerdOptions): Promise<Workerd> {
    const runtime = new Miniflare({
      ...(await programOptions(of)),
      serviceBindings: {
        OUTSIDE: (outside ?? (() => new Response())) as never, // the same, by other types
        WORK: { name: kCurrentWorker, entrypoint: 'Work' },
        ...(isBehindService ? { SERVICE: { name: kCurrentWorker, entrypoint: 'HeddleService' } } : {}),
      },
      handleRuntimeStdio: tellNews,
      ...more,
    } as MiniflareOptions);
    await runtime.ready;
    return new Workerd(runtime);
  }

  /** As anybody asks the Worker. */
  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    this.runtime.dispatchFetch(input as string, init as never) as Promise<unknown> as Promise<Response>; // as Node has them

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
