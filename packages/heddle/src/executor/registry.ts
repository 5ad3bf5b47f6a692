// Registry: which action a name means. Those given at the start are compiled at once, so that a mistake shows then;
// the others are asked for, and built-in ones compiled, when they are first needed.
//
// Always true: an action is loaded at most once; a name that nobody has is not remembered; `resolve` never rejects.

import type { Clock } from '../actor/ports.ts';
import { InvariantError } from '../base/assert.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Problem } from '../base/problem.ts';
import { actionHint, reservedPrefix } from '../definition/built-in-actions.ts';
import type { KnownSchemas } from '../definition/flow/known-schemas.ts';
import type { Limits } from '../definition/limits.ts';
import { actionName } from '../definition/names.ts';
import type { Action, ActionContext, Actions } from './action.ts';
import { type ActionSource, type CompiledAction, compileAction, type ResolvedAction } from './compile-action.ts';
import { describeThrow } from './describe-throw.ts';
import { failedBy } from './outcome.ts';
import { nobodyOutside, type Outside } from './outside.ts';
import { servesVersion } from './take-input.ts';

/** Nothing, if there is no such action. */
export type LoadAction = (name: string) => Action | null | undefined | Promise<Action | null | undefined>;

/** One call of an action that is answered otherwise. */
export interface StoodInCall {
  readonly action: string;
  readonly context: ActionContext<unknown>;
  /** Does what the action itself would do. */
  readonly run: () => unknown;
}

/** Answers in place of an action, as the action would: with its result, or by throwing. */
export type StandIn = (call: StoodInCall) => unknown;

export interface RegistryOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly actions?: Actions;
  /** Besides `core.…`; an action of the user's takes the place of one by its name. */
  readonly builtIns?: Readonly<Record<string, Action>>;
  /** Asked for actions that are not among `actions`, when a task first needs one. */
  readonly loadAction?: LoadAction | undefined;
  /** To whom what nobody has here may be left. */
  readonly outside?: KnownOutside | null;
  /** What becomes of tasks whose action nobody has. Default: `fail`. */
  readonly missingActions?: MissingActions;
  /** For tests: asked in place of every action, built-in ones too. */
  readonly standIn?: StandIn | undefined;
}

/** What becomes of tasks whose action nobody has: they wait until somebody has it, or fail. */
export type MissingActions = 'wait' | 'fail';

/** The actions that a user handed in are wrong: all that is wrong, at once. */
export class InvalidActionsError extends HeddleError {
  override name = 'InvalidActionsError';

  constructor(problems: readonly Problem[]) {
    super('INVALID_ACTIONS', problems.map(({ pointer, message }) => `${pointer}: ${message}`).join('\n'), { problems });
  }
}

/** Actions that come from several places, and what could not be made one. */
export interface GatheredActions {
  readonly actions: Actions;
  readonly problems: readonly Problem[];
}

/** Everything that is wrong with actions. */
export function checkActions(actions: Actions, limits: Limits): Problem[] {
  const sources = listSources(actions);
  const compiled = sources.map((source) => compileAction(source, limits));
  return [...compiled.flatMap((result) => ('problems' in result ? result.problems : [])), ...checkNames(sources)];
}

/** What is known of actions that are not done in this process. */
export type KnownOutside = Pick<Outside, 'takes' | 'takenNames' | 'costOf' | 'schemasOf'>;

/** A module that takes longer will not come: the task fails, and may be tried again. */
const loadTimeoutMs = 60_000;

export class Registry {
  readonly #options: RegistryOptions;
  readonly #builtIns: ReadonlyMap<string, ActionSource>;
  readonly #outside: KnownOutside;
  readonly #actions = new Map<string, CompiledAction>();
  /** Cancel the alarms of what is being loaded. */
  readonly #alarms = new Set<() => void>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#outside = options.outside ?? nobodyOutside;
    this.#builtIns = new Map(listSources(options.builtIns ?? {}).map((source) => [source.name, source]));
    const sources = listSources(options.actions ?? {});
    const problems = sources.flatMap((source) => this.#add(source));
    problems.push(...checkNames(sources));
    if (problems.length > 0) throw new InvalidActionsError(problems);
  }

  /** Whether it is known at once that only somebody outside can have it: one look, as this is asked for every task. */
  isOutside(name: string): boolean {
    if (this.#actions.has(name) || this.#builtIns.has(name)) return false;
    return this.#options.loadAction === undefined && this.#isTakenOutside(name);
  }

  /** At once, if it is known that there is an action, or that there cannot be one; else when it has been loaded. */
  resolve(name: string): ResolvedAction | Promise<ResolvedAction> {
    const action = this.#find(name);
    if (action !== undefined) return action;
    const { loadAction } = this.#options;
    if (loadAction === undefined || name.startsWith(reservedPrefix)) return this.#refuseUnknown(name);
    return this.#load(name, loadAction);
  }

  /** Whether a task of it would find somebody who has it, or who may. */
  has(name: string, version: number | null): boolean {
    const action = this.#find(name);
    if (action !== undefined) return servesVersion(action, version);
    return this.#isTakenOutside(name) || (this.#options.loadAction !== undefined && !name.startsWith(reservedPrefix));
  }

  /** The actions that there can be; null if more may be loaded, or others have them. */
  names(): readonly string[] | null {
    const others = this.#outside.takenNames();
    return this.#options.loadAction === undefined && others !== null ? [...this.#knownNames(), ...others] : null;
  }

  /** CR5: what one execution of an action costs; nothing is known of one that was neither loaded nor announced yet. */
  costOf(name: string): number {
    return this.#find(name)?.cost ?? this.#outside.costOf(name);
  }

  /** What is known of what an action takes and gives, here or outside. */
  schemasOf(name: string): KnownSchemas | undefined {
    const action = this.#find(name);
    if (action === undefined) return this.#outside.schemasOf(name);
    return { input: action.input?.schema, output: action.output?.schema };
  }

  /** Whether tasks wait for what nobody has. */
  get waitsForMissing(): boolean {
    return this.#options.missingActions === 'wait';
  }

  /** Those that are here, by name. */
  listKnown(): ReadonlyMap<string, CompiledAction> {
    for (const name of this.#builtIns.keys()) this.#find(name);
    return this.#actions;
  }

  /** Waits no longer for what is being loaded. */
  close(): void {
    for (const cancelAlarm of this.#alarms) cancelAlarm();
  }

  #find(name: string): CompiledAction | undefined {
    const action = this.#actions.get(name);
    if (action !== undefined) return action;
    const builtIn = this.#builtIns.get(name);
    if (builtIn === undefined) return undefined;
    const problems = this.#add(builtIn);
    if (problems.length > 0) throw new InvariantError(listProblems(name, problems));
    return this.#actions.get(name);
  }

  #knownNames(): ReadonlySet<string> {
    return new Set([...this.#builtIns.keys(), ...this.#actions.keys()]);
  }

  #add(source: ActionSource): readonly Problem[] {
    const compiled = compileAction(source, this.#options.limits);
    if ('problems' in compiled) return compiled.problems;
    this.#actions.set(source.name, this.#stoodInFor(compiled.action));
    return [];
  }

  // SM9: whoever stands in answers in place of `run` alone: schemas, timeout and retries are the action's own.
  #stoodInFor(compiled: CompiledAction): CompiledAction {
    const { standIn } = this.#options;
    if (standIn === undefined) return compiled;
    const { name: action, run } = compiled;
    return { ...compiled, run: (context) => standIn({ action, context, run: () => run(context) }) };
  }

  // EX11: an action that was not given at the start is asked for when its first task starts, and only then.
  async #load(name: string, loadAction: LoadAction): Promise<ResolvedAction> {
    try {
      const action = await this.#withinTime(name, loadAction);
      if (action === null || action === undefined) return this.#refuseUnknown(name);
      const problems = this.#add({ name, action, pointer: '' });
      return this.#actions.get(name) ?? refuse('ACTION_INVALID', listProblems(name, problems), false);
    } catch (error) {
      const { failure } = describeThrow(error, { now: this.#options.clock.now(), limits: this.#options.limits });
      const message = `Expected action "${name}" to be loaded, but: ${failure.message}`;
      return refuse('ACTION_LOAD_FAILED', message, true);
    }
  }

  #withinTime(name: string, loadAction: LoadAction): Promise<Action | null | undefined> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`it was not there after ${loadTimeoutMs} ms`));
      const cancelAlarm = clock.schedule(clock.now() + loadTimeoutMs, late);
      this.#alarms.add(cancelAlarm);
      // Not at once: whoever asks must not meet the user's code on the way.
      const loaded = Promise.resolve(name).then(loadAction);
      void loaded.then(resolve, reject).then(() => {
        cancelAlarm();
        this.#alarms.delete(cancelAlarm);
      });
    });
  }

  #isTakenOutside(name: string): boolean {
    return !name.startsWith(reservedPrefix) && this.#outside.takes(name);
  }

  // EX10: a task of an action that nobody has fails, where it does not wait, and is not tried again.
  #refuseUnknown(name: string): ResolvedAction {
    // WK1: what nobody has in this process waits for a worker, if there may be any.
    if (this.#isTakenOutside(name)) return { type: 'outside' };
    const known = [...this.#knownNames()];
    const own = known.filter((candidate) => !this.#builtIns.has(candidate)).toSorted();
    const list = own.length === 0 ? 'none is registered' : `registered are ${shortList(own)}`;
    const hint = actionHint(name, known);
    const message = `Expected an action named "${name}", but ${list}${hint === undefined ? '' : `. ${hint}`}`;
    const failure = { code: 'ACTION_NOT_FOUND', message };
    // EX22: a task of an action that nobody has waits for it, unless the engine says otherwise; built-in ones never come.
    if (this.waitsForMissing && !name.startsWith(reservedPrefix)) return { type: 'missing', failure };
    return refuse(failure.code, failure.message, false);
  }
}

function refuse(code: string, message: string, retryable: boolean): ResolvedAction {
  return { type: 'refused', outcome: failedBy({ code, message }, { action: null, retryable }) };
}

function listSources(actions: Actions): ActionSource[] {
  if (!Array.isArray(actions)) {
    return Object.entries(actions).map(([name, action]) => ({ name, action, pointer: `/${name}` }));
  }
  // A list, as has just been seen.
  return (actions as readonly Action[]).map((action, index) => {
    const name = typeof action === 'object' && action !== null ? action.name : undefined;
    return { name: name ?? '', action, pointer: `/${index}` };
  });
}

function checkNames(sources: readonly ActionSource[]): Problem[] {
  return sources.flatMap((source, index) => checkName(source, sources.slice(0, index)));
}

function checkName({ name, pointer }: ActionSource, earlier: readonly ActionSource[]): Problem[] {
  const complain = (code: string, found: string): Problem[] => [
    { severity: 'error', code, pointer, message: `Expected the name of an action, but ${found}` },
  ];
  if (actionName.pattern?.test(name) !== true) {
    const found = name === '' ? 'it has none' : `found "${name.slice(0, 200)}"`;
    return complain('INVALID_NAME', found).map((problem) => ({ ...problem, ...given({ hint: actionName.hint }) }));
  }
  if (name.startsWith(reservedPrefix)) return complain('RESERVED_NAME', `"${name}" is kept for built-in actions`);
  if (earlier.some((other) => other.name === name)) return complain('DUPLICATE_NAME', `"${name}" is taken`);
  return [];
}

function listProblems(name: string, problems: readonly Problem[]): string {
  return `Expected action "${name}" to be usable, but: ${problems.map(({ message }) => message).join('; ')}`;
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
