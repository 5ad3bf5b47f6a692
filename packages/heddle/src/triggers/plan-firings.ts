// Plan firings: which of the triggers that are meant fire, and with what. Pure: triggers and an occasion in, a list out, in
// slices, since ten thousand triggers may listen for one event.

import type { Skipped } from '../actor/publication.ts';
import type { Sliced } from '../actor/slices.ts';
import { toJson } from '../base/check-json.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { writePath } from '../base/path.ts';
import { type Allowance, stepsExceeded } from '../core/planning/allowance.ts';
import { type Limits, limitOrigin } from '../definition/limits.ts';
import { describeJson } from '../definition/shape.ts';
import type { Meter } from '../expression/expression.ts';
import { depthOf } from './depth.ts';
import type { Trigger, TriggerDefinition } from './trigger.ts';

/** What may make triggers fire: an event, the end of a run, a time, somebody's word. */
export interface Occasion {
  readonly type: TriggerDefinition['type'];
  /** One trigger fires once for one id. */
  readonly id: string;
  readonly at: number;
  /** Of the run that it comes from; 0 from outside. */
  readonly depth: number;
  readonly payload: Json;
  /** What expressions read as `event`, besides the payload. */
  readonly event: JsonObject;
  /** What the run reads in `_trigger`, besides what all triggers give. */
  readonly info: JsonObject;
}

/** A run to be started. */
export interface Firing {
  readonly trigger: string;
  readonly workflow: string;
  /** The idempotency key of the start. */
  readonly key: string;
  /** What the run reads as `_trigger`. */
  readonly info: JsonObject;
  readonly organization?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Absent: the payload as it is. */
  readonly input?: Json;
}

export interface FiringPlan {
  readonly firings: readonly Firing[];
  readonly skipped: readonly Skipped[];
  /** Of those that were skipped: what somebody should know of. */
  readonly faults: readonly Fault[];
}

export interface Fault {
  readonly triggerId: string;
  readonly error: HeddleError;
}

/** Why a trigger does not fire. */
interface Refusal extends Pick<Skipped, 'code' | 'reason'> {
  /** Whether somebody should know, and with which limit. */
  readonly fault?: { readonly limit?: string };
}

/** One trigger more, whatever its filter does. */
const stepsPerTrigger = 100;

export function* planFirings(triggers: readonly Trigger[], occasion: Occasion, limits: Limits): Sliced<FiringPlan> {
  const plan = { firings: [] as Firing[], skipped: [] as Skipped[], faults: [] as Fault[] }; // empty lists, to be filled
  const fired = new Set<string>();
  let bytesLeft = limits.commandBytesMax;
  for (const trigger of triggers) {
    const { id, workflow } = trigger.definition;
    const allowance = { stepsLeft: limits.commandCostMax, bytesLeft };
    const decided = decideWithin(trigger, occasion, { limits, allowance, isFired: fired.has(workflow) });
    bytesLeft = allowance.bytesLeft;
    yield stepsPerTrigger + limits.commandCostMax - allowance.stepsLeft;
    if ('key' in decided) {
      fired.add(workflow);
      plan.firings.push(decided);
      continue;
    }
    const { code, reason, fault } = decided;
    plan.skipped.push({ trigger: id, workflow, code, reason });
    if (fault) plan.faults.push({ triggerId: id, error: new HeddleError(`TRIGGER_${code}`, reason, fault) });
  }
  return plan;
}

interface Bounds {
  readonly limits: Limits;
  readonly allowance: Allowance;
}

/** TR25: for one occasion a trigger takes as many steps as a command may; one that needs more does not fire, and is told. */
function decideWithin(
  trigger: Trigger,
  occasion: Occasion,
  { isFired, ...bounds }: Bounds & { readonly isFired: boolean },
): Firing | Refusal {
  const decided = isFired ? decideAgain(trigger, occasion, bounds.allowance) : decide(trigger, occasion, bounds);
  if ('key' in decided || bounds.allowance.stepsLeft >= 0) return decided;
  const { message } = stepsExceeded(bounds, `the filter and the input of trigger ${trigger.definition.id}`);
  return { code: decided.code, reason: message, fault: { limit: 'commandCostMax' } };
}

function decide(trigger: Trigger, occasion: Occasion, bounds: Bounds): Firing | Refusal {
  const { id, workflow, organization, tags } = trigger.definition;
  const { limits } = bounds;
  const mismatch = refuseByFilter(trigger, occasion, bounds.allowance);
  if (mismatch !== null) return mismatch;
  const depth = depthOf(occasion.depth, occasion.payload);
  if (depth >= limits.triggerDepthMax) return tooDeep(trigger, depth, limits);
  const made = evaluateInput(trigger, occasion, bounds);
  if ('code' in made) return made;
  // TR12: a run that was fired is one deeper than what fired it; it reads in `_trigger` what that was.
  const firedAt = new Date(occasion.at).toISOString();
  const info = { type: occasion.type, depth: depth + 1, firedAt, triggerId: id, ...occasion.info };
  // TR13: a trigger fires once for an occasion, however often it is asked to.
  return {
    trigger: id,
    workflow,
    key: `trigger/${id}/${occasion.id}`,
    info,
    ...given({ organization, tags }),
    ...made,
  };
}

/** TR14: one occasion starts one run of a workflow, even if two triggers of it match: the first by its id fires. */
function decideAgain(trigger: Trigger, occasion: Occasion, meter: Meter): Refusal {
  const { workflow } = trigger.definition;
  const reason = `Expected the first run of workflow ${workflow} for this occasion, but another trigger has fired it`;
  return refuseByFilter(trigger, occasion, meter) ?? { code: 'ALREADY_FIRED', reason };
}

/** TR15: a filter that is not true does not fire; one that gives something else, or fails, is reported. */
function refuseByFilter({ definition, filter }: Trigger, occasion: Occasion, meter: Meter): Refusal | null {
  if (filter === null) return null;
  const evaluation = filter.evaluate(makeScope(occasion), meter);
  if (evaluation.type === 'value' && evaluation.value === true) return null;
  if (evaluation.type === 'value' && evaluation.value === false)
    return { code: 'FILTER_FALSE', reason: 'its filter does not hold' };
  const cause = evaluation.type === 'value' ? `it gave ${describeJson(evaluation.value)}` : evaluation.message;
  const reason = `Expected the filter of trigger ${definition.id} to be true or false, but ${cause}`;
  return { code: 'FILTER_FAILED', reason, fault: {} };
}

/** TR11: a chain of triggers of `triggerDepthMax` fires nothing more, and says so. */
function tooDeep({ definition }: Trigger, depth: number, { triggerDepthMax }: Limits): Refusal {
  const reason = `Expected trigger ${definition.id} to fire at a depth below ${triggerDepthMax} (limit triggerDepthMax), but it is ${depth}: workflows start each other`;
  return { code: 'TOO_DEEP', reason, fault: { limit: 'triggerDepthMax' } };
}

/** TR16: the input is what the mapping makes, of which a missing source writes nothing; without one, the payload. */
function evaluateInput(
  { definition, input }: Trigger,
  occasion: Occasion,
  { limits, allowance }: Bounds,
): { input?: Json } | Refusal {
  if (input === null) return {};
  const scope = makeScope(occasion);
  let made: Json = {};
  for (const { target, path, expression } of input) {
    const evaluation = expression.evaluate(scope, allowance);
    if (evaluation.type === 'error') return inputFailed(definition, `${target}: ${evaluation.message}`);
    if (evaluation.type === 'value') made = writePath(made, path, evaluation.value);
  }
  const { payloadBytesMax: bytesMax, jsonDepthMax: depthMax } = limits;
  const checked = toJson(made, { bytesMax, depthMax, limitName: 'payloadBytesMax' });
  if (!checked.ok) return inputFailed(definition, checked.message);
  // TR26: what one occasion is to fire is stored as one text, which is bounded like the events of a command.
  allowance.bytesLeft -= checked.bytes;
  return allowance.bytesLeft >= 0 ? { input: made } : tooMuch(definition, limits);
}

function tooMuch({ id }: TriggerDefinition, limits: Limits): Refusal {
  const limit = 'commandBytesMax';
  const reason = `Expected the inputs that one occasion makes to be at most ${limits[limit]} bytes by the limit ${limit}, but that of trigger ${id} would be more (${limitOrigin(limit, { limits })})`;
  return { code: 'INPUT_FAILED', reason, fault: { limit } };
}

function inputFailed({ id }: TriggerDefinition, cause: string): Refusal {
  const reason = `Expected the input of trigger ${id} to be made, but it failed: ${cause}`;
  return { code: 'INPUT_FAILED', reason, fault: {} };
}

function makeScope({ event, payload }: Occasion): { readonly event: JsonObject } {
  return { event: { ...event, payload } };
}
