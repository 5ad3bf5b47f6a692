// Announcement: what a worker says of an action that it does: the settings that a local action has, in JSON.

import { copyToJson } from '../base/check-json.ts';
import { given } from '../base/given.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import { reservedPrefix } from '../definition/built-in-actions.ts';
import { checkObject } from '../definition/check-shape.ts';
import type { JsonSchema, RetryDefinition } from '../definition/definition.ts';
import type { Limits } from '../definition/limits.ts';
import { actionName, isName } from '../definition/names.ts';
import { Reporter } from '../definition/reporter.ts';
import type { NodeTypeFacts } from '../dialects/catalogue/entry.ts';
import { checkFacts } from '../dialects/catalogue/given-type.ts';
import { portsShape } from '../dialects/dataflow/fields.ts';
import type { Action } from '../executor/action.ts';
import { type CompiledAction, compileAction } from '../executor/compile-action.ts';

export interface AnnouncedAction {
  readonly name: string;
  readonly description?: string;
  /** For people: nodes that ask for a version are given to whoever asks for the action, with that version. */
  readonly version?: number;
  /** What one execution costs, in whole credits, for nodes that do not say. */
  readonly cost?: number;
  /** For nodes that have none; counted from the lease. */
  readonly timeoutMs?: number;
  /** For nodes that have none. */
  readonly retry?: RetryDefinition;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** For nodes of drawn graphs: `{ inputs, outputs }`, lists of ports as nodes of a dataflow have them. */
  readonly ports?: JsonObject;
  /** For editors, and for nodes of drawn graphs: what else is known of it as a node type. */
  readonly catalogue?: AnnouncedFacts;
}

/** Version and description of an action are those of the node type. */
export type AnnouncedFacts = Omit<NodeTypeFacts, 'version' | 'description'>;

export interface Announcement {
  readonly action: AnnouncedAction;
  readonly compiled: CompiledAction;
}

const descriptionLengthMax = 2_000;
const neverCalled = (): never => {
  throw new Error('Expected a worker to do this action, but it was called in the process');
};

/** WK13: an announcement is checked as a local action is; what is wrong with it is told at once. */
export function readAnnouncement(
  announced: unknown,
  { limits, pointer }: { readonly limits: Limits; readonly pointer: string },
): Announcement | readonly Problem[] {
  const { announcementBytesMax: bytesMax, jsonDepthMax: depthMax } = limits;
  const json = copyToJson(announced, { bytesMax, depthMax, limitName: 'announcementBytesMax' });
  const refuse = (code: string, message: string): readonly Problem[] => [{ severity: 'error', code, pointer, message }];
  if (!json.ok) return refuse('NOT_JSON', `In the action: ${json.message}`);
  if (!isJsonObject(json.value))
    return refuse('WRONG_TYPE', 'Expected an action to be an object with a name, but it is none');
  const { name, description, ports, catalogue, ...settings } = json.value;
  if (typeof name !== 'string' || !isName(actionName, name) || name.startsWith(reservedPrefix))
    return refuse('INVALID_NAME', `Expected the name of an action. ${actionName.hint ?? ''}`);
  if (description !== undefined && !(typeof description === 'string' && description.length <= descriptionLengthMax))
    return refuse('WRONG_TYPE', `Expected a description of at most ${descriptionLengthMax} characters`);
  const problems = [
    ...(ports === undefined ? [] : checkPorts(ports, { limits, pointer: `${pointer}/ports`, name })),
    ...(catalogue === undefined
      ? []
      : checkCatalogue(catalogue, settings, { limits, pointer: `${pointer}/catalogue` })),
  ];
  const action = { ...settings, run: neverCalled } as unknown as Action; // what it is, the check tells
  const compiled = compileAction({ name, action, pointer }, limits);
  if ('problems' in compiled) return [...compiled.problems, ...problems];
  if (problems.length > 0) return problems;
  // Every member was checked.
  return { action: json.value as unknown as AnnouncedAction, compiled: withoutVersion(compiled.action) };
}

/** Several versions may be at work at one time: whoever asks for the action is told which one a node wants. */
const withoutVersion = (action: CompiledAction): CompiledAction => ({ ...action, version: null });

function checkPorts(ports: Json, place: { limits: Limits; pointer: string; name: string }): readonly Problem[] {
  const reporter = new Reporter();
  const { limits, pointer, name } = place;
  checkObject({ limits, reporter }, portsShape([]), ports, { pointer, name });
  return reporter.problems.filter(({ severity }) => severity === 'error');
}

/** CT3: what a worker says of a node type is checked as what a program says. */
function checkCatalogue(catalogue: Json, { version }: JsonObject, place: { limits: Limits; pointer: string }) {
  const facts = isJsonObject(catalogue) ? catalogue : { title: catalogue };
  return checkFacts({ ...facts, ...given({ version: typeof version === 'number' ? version : undefined }) }, place);
}

/** What nothing was said of. */
export function unannounced(name: string): CompiledAction {
  return {
    type: 'ready',
    name,
    run: neverCalled,
    input: null,
    output: null,
    timeoutMs: null,
    retry: null,
    concurrency: Infinity,
    rate: null,
    cost: 0,
    version: null,
  };
}
