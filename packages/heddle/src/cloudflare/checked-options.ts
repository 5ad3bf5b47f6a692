// Checked options: what is wrong with what a program says of its engine, or with what wrangler.jsonc and the secrets give it, as
// sentences that say what to do. What the environment has is known when somebody asks.

import { HeddleError } from '../base/heddle-error.ts';
import type { Problem } from '../base/problem.ts';
import { invalidOption, refuseUnknown, shown } from '../base/refuse-options.ts';
import { type HeddleOptions, optionNames } from './options.ts';
import type { QueuedAction, TaskQueue } from './task-queue.ts';

const functions = [
  'objects',
  'key',
  'engine',
  'queues',
  'artifacts',
  'secretKey',
  'pages',
  'projection',
  'onError',
] as const;
const needed = new Set<string>(['objects', 'key']);

/** The same, whose functions give what is expected of them, or say what is missing. */
export function checkedOptions<Env>(options: HeddleOptions<Env>): HeddleOptions<Env> {
  refuseUnknown('heddle', options, optionNames);
  for (const name of functions) {
    const given: unknown = options[name];
    if (given === undefined && !needed.has(name)) continue;
    const expected = name === 'onError' ? 'a function' : `a function of env, as ${name}: (env) => …`;
    if (typeof given !== 'function') throw invalidOption(name, expected, given);
  }
  const { objects, key, secretKey, pages, definitions, queues } = options;
  if (definitions !== undefined && !Array.isArray(definitions))
    throw invalidOption('definitions', 'a list', definitions);
  return {
    ...options,
    objects: (env) => mustHave(objects(env), 'idFromName', objectsMissing),
    key: (env) => mustBeSecret(key(env), 'key', 'a key of the operator'),
    ...(secretKey
      ? { secretKey: (env: Env) => mustBeSecret(secretKey(env), 'secretKey', 'a secret to seal with') }
      : {}),
    ...(queues ? { queues: (env: Env) => mustHaveQueues(queues(env)) } : {}),
    ...(pages ? { pages: (env: Env) => mustHave(pages(env), 'fetch', pagesMissing) } : {}),
  };
}

const objectsMissing =
  'Name it in wrangler.jsonc as the program does: "durable_objects": { "bindings": [{ "name": "HEDDLE", "class_name": "HeddleObject" }] } ' +
  'for objects: (env) => env.HEDDLE.';
const queueMissing =
  'Name it in wrangler.jsonc as the program does: "queues": { "producers": [{ "queue": "tasks", "binding": "TASKS" }] } ' +
  'for queues: (env) => ({ action: { queue: env.TASKS } }).';
const pagesMissing =
  'Name it in wrangler.jsonc as the program does: "assets": { "directory": "node_modules/heddle/dist/web", "binding": "ASSETS", ' +
  '"run_worker_first": true } for pages: (env) => env.ASSETS.';

/** A binding that has another name in wrangler.jsonc is absent here. */
function mustHave<Binding extends object>(binding: Binding, method: keyof Binding & string, what: string): Binding {
  const given: unknown = binding;
  if (typeof given === 'object' && given !== null && typeof binding[method] === 'function') return binding;
  // A binding that is called from afar has any method that it is asked for.
  if (typeof given === 'function') return binding;
  throw new HeddleError('BINDING_MISSING', `Expected a binding of the environment, but found ${shown(given)}. ${what}`);
}

function mustHaveQueues(queues: Readonly<Record<string, QueuedAction>>): Readonly<Record<string, QueuedAction>> {
  for (const queued of Object.values<Partial<QueuedAction> | undefined>(queues))
    mustHave(queued?.queue as TaskQueue, 'sendBatch', queueMissing); // if it is one
  return queues;
}

/** Without one everybody would be in, or nobody; or what was sealed with it could not be opened. */
function mustBeSecret(secret: unknown, option: string, what: string): string {
  if (typeof secret === 'string' && secret.length > 0) return secret;
  throw new HeddleError(
    'KEY_NEEDED',
    `Expected ${what}, but the environment has none. Set the secret that \`${option}\` names: in .dev.vars while you develop, ` +
      'and with `npx wrangler secret put` where it is deployed.',
  );
}

/** Of the program, which is not registered. */
export function refusedDefinition(definition: object, problems: readonly Problem[]): HeddleError {
  const { id } = definition as { readonly id?: unknown }; // it may have one
  const message = `Expected the definition ${shown(id)} to be right, but it was refused; what is registered of it stays in use`;
  return new HeddleError('DEFINITION_INVALID', message, { problems });
}
