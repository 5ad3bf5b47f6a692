// Given type: a node type as a program writes it: ports by name, and what an editor should know of it. A mistake shows where
// the type is defined, not in the first graph. Rules CT2 and CT3.

import { copyToJson } from '../../base/check-json.ts';
import { given } from '../../base/given.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { kindOf } from '../../base/kind-of.ts';
import type { Problem } from '../../base/problem.ts';
import { refuseUnknown } from '../../base/refuse-options.ts';
import { checkObject } from '../../definition/check-shape.ts';
import { defaultLimits, type Limits } from '../../definition/limits.ts';
import { Reporter } from '../../definition/reporter.ts';
import type { InputPort, OutputPort } from '../dataflow/dataflow.ts';
import type { NodeTypeFacts } from './entry.ts';
import { factFields, factsShape } from './fields.ts';
import { findMigrationProblem } from './migrate.ts';

/** Ports by name. */
export type InputPorts = Readonly<Record<string, Omit<InputPort, 'name'>>>;
export type OutputPorts = Readonly<Record<string, Omit<OutputPort, 'name'>>>;

interface GivenType extends NodeTypeFacts {
  readonly inputs?: InputPorts;
  readonly outputs?: OutputPorts;
}

const portFields = ['type', 'description', 'value', 'repeated', 'required', 'title', 'schema'];
const factNames = Object.keys(factFields);

/** `code`: the name of its function; `others`: what else it may have. */
export function refuseType(source: GivenType, code: string, others: readonly string[]): void {
  if (!isObject(source)) throw invalid(`a node type, but found ${kindOf(source)}`);
  refuseUnknown('a node type', source, ['inputs', 'outputs', code, ...factNames, ...others]);
  const written: unknown = Object.entries(source).find(([name]) => name === code)?.[1];
  if (typeof written !== 'function') throw invalid(`a function "${code}", but found ${kindOf(written)}`);
  for (const ports of [source.inputs ?? {}, source.outputs ?? {}]) {
    if (!isObject(ports)) throw invalid(`ports by name, but found ${kindOf(ports)}`);
    for (const [name, port] of Object.entries(ports)) {
      if (!isObject(port)) throw invalid(`port "${name}" to be an object such as {type}, but found ${kindOf(port)}`);
      refuseUnknown(`port "${name}"`, port, portFields);
    }
  }
  const [problem] = checkFacts(pickFacts(source), { limits: defaultLimits, pointer: '' });
  if (problem) throw new HeddleError('OPTION_INVALID', problem.message);
}

/** DA36: a port without a type takes and gives anything. */
export function listPorts<Port extends object>(ports: Readonly<Record<string, Port>>): (Port & OutputPort)[] {
  return Object.entries(ports).map(([name, port]) => ({ type: 'any', ...port, name }));
}

/** What is said of a type, without all else that its source has. */
export function pickFacts(source: NodeTypeFacts): NodeTypeFacts {
  const { title, description, category, icon, handles } = source;
  const { version, credentials, sideEffects, deprecated, migrations } = source;
  return {
    ...given({ version, title, description, category, icon, handles }),
    ...given({ credentials, sideEffects, deprecated, migrations }),
  };
}

/** CT2: what is said of a type has its shape, and its migrations are expressions that lead to the next version. */
export function checkFacts(
  { version, ...facts }: NodeTypeFacts,
  { limits, pointer }: { readonly limits: Limits; readonly pointer: string },
): readonly Problem[] {
  const reporter = new Reporter();
  const { announcementBytesMax: bytesMax, jsonDepthMax: depthMax } = limits;
  const json = copyToJson(facts, { bytesMax, depthMax, limitName: 'announcementBytesMax' });
  if (json.ok) checkObject({ limits, reporter }, factsShape, json.value, { pointer, name: 'a node type' });
  else reporter.error(json.code, pointer, { message: json.message });
  const wrong = reporter.hasErrors ? null : findMigrationProblem({ ...facts, ...given({ version }) }, limits);
  if (wrong !== null) reporter.error('OUT_OF_RANGE', `${pointer}/migrations`, { message: wrong });
  return reporter.problems.filter(({ severity }) => severity === 'error');
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(what: string): HeddleError {
  return new HeddleError('OPTION_INVALID', `Expected ${what}`);
}
