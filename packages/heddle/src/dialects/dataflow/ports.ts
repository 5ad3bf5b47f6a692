// Dataflow ports: what a node takes and gives, from its own fields, from an editor's `data`, and from what is known of
// its type. Rules DA12 to DA15 and DA44.

import { given } from '../../base/given.ts';
import { isJsonArray, type Json, type JsonObject } from '../../base/json.ts';
import { forbiddenKeys, isJsonObject } from '../../base/path.ts';
import { untagNumbers } from '../../base/tagged-numbers.ts';
import { checkObject } from '../../definition/check-shape.ts';
import { pointerTo } from '../../definition/origins.ts';
import type { Reporter } from '../../definition/reporter.ts';
import { describeJson, listNames, quote } from '../../definition/shape.ts';
import { reportTwice, type ShapeCheck } from '../../definition/shape-reports.ts';
import type { Catalogue } from '../catalogue/entry.ts';
import type { InputPort, OutputPort } from './dataflow.ts';
import type { NodeDraft } from './draft.ts';
import { portName, portsShape } from './fields.ts';

interface Ports {
  readonly inputs?: readonly InputPort[];
  readonly outputs?: readonly OutputPort[];
}

/** Replaces what the author wrote as ports by lists of them, each with its place. */
export function readPorts(check: ShapeCheck, node: NodeDraft, nodeTypes: Catalogue): void {
  // Not checked yet, whatever its type says.
  const written = readWritten(check, node as unknown as JsonObject, check.reporter.origins.of(node));
  delete node.inputs;
  delete node.outputs;
  checkNames(node, written, check.reporter);
  Object.assign(node, completePorts(node, written, { reporter: check.reporter, nodeTypes }));
}

/** Of a node that lacks something, and is left out: that must not hide what is wrong with its ports. */
export function reportPorts(check: ShapeCheck, node: Json, pointer: string): void {
  if (isJsonObject(node)) readWritten(check, node, pointer);
}

function readWritten(check: ShapeCheck, node: JsonObject, pointer: string): Ports {
  const owner = typeof node['id'] === 'string' ? `node ${quote(node['id'])}` : 'a node';
  const own = pickPorts(node);
  const drawn = isJsonObject(node['data']) ? pickPorts(node['data']) : {};
  for (const side of ['inputs', 'outputs']) {
    if (Object.hasOwn(own, side) && Object.hasOwn(drawn, side))
      reportTwice(check, pointerTo(pointer, side), [side, `data.${side}`]);
  }
  return {
    ...checkPorts(check, drawn, { pointer: pointerTo(pointer, 'data'), owner }),
    ...checkPorts(check, own, { pointer, owner }),
  };
}

function pickPorts({ inputs, outputs }: JsonObject): JsonObject {
  return given({ inputs, outputs });
}

function checkPorts(check: ShapeCheck, ports: JsonObject, place: { pointer: string; owner: string }): Ports {
  const { draft } = checkObject(check, portsShape(ports['inputs']), ports, { ...place, name: 'ports' });
  // What `portsShape` lets through.
  const { inputs, outputs } = draft as { inputs?: InputPort[] | JsonObject; outputs?: OutputPort[] };
  if (inputs === undefined || Array.isArray(inputs)) return given({ inputs, outputs });
  return { inputs: listInputs(inputs, check, place), ...given({ outputs }) };
}

// DA12: an object of values by port is a list of inputs that have these values.
function listInputs(
  values: JsonObject,
  { reporter }: ShapeCheck,
  { pointer, owner }: { pointer: string; owner: string },
): InputPort[] {
  return Object.entries(values).map(([name, value]: [string, Json]) => {
    const port = { name, value };
    const place = pointerTo(pointerTo(pointer, 'inputs'), name);
    reporter.origins.place(port, place);
    for (const field of ['name', 'value']) reporter.origins.placeField(port, field, place);
    if (!portName.pattern?.test(name) || name.length > 200 || forbiddenKeys.has(name)) {
      const message = `Expected the inputs of ${owner} to have port names, but found ${JSON.stringify(name.slice(0, 80))}`;
      reporter.error('INVALID_NAME', place, { message, hint: portName.hint });
    }
    return port;
  });
}

/** DA13: what a node says of a port counts before what is known of its type; the type says which ports there are. */
function completePorts(
  node: NodeDraft,
  written: Ports,
  { reporter, nodeTypes }: { reporter: Reporter; nodeTypes: Catalogue },
): Ports {
  const known = Object.hasOwn(nodeTypes, node.type) ? nodeTypes[node.type] : undefined;
  const { inputs: knownInputs, outputs: knownOutputs } = known ?? {};
  const inputs = complete(written.inputs, knownInputs);
  const outputs = complete(written.outputs, knownOutputs);
  reportMisfits(node, { written: written.inputs, inputs, reporter });
  reportUnknownPorts(node, { side: 'input', ports: written.inputs, known: knownInputs, reporter });
  reportUnknownPorts(node, { side: 'output', ports: written.outputs, known: knownOutputs, reporter });
  return given({ inputs, outputs });
}

function complete<Port extends OutputPort>(
  written: readonly Port[] | undefined,
  known: readonly Port[] | undefined,
): readonly Port[] | undefined {
  if (known === undefined) return written;
  const own = new Map((written ?? []).map((port) => [port.name, port]));
  const names = new Set(known.map(({ name }) => name));
  const strangers = (written ?? []).filter(({ name }) => !names.has(name));
  return [...known.map((port) => ({ ...port, ...own.get(port.name) })), ...strangers];
}

interface SideOfType {
  readonly side: 'input' | 'output';
  readonly ports: readonly OutputPort[] | undefined;
  readonly known: readonly OutputPort[] | undefined;
  readonly reporter: Reporter;
}

function reportUnknownPorts(node: NodeDraft, { side, ports = [], known, reporter }: SideOfType): void {
  if (known === undefined) return;
  const names = new Set(known.map(({ name }) => name));
  for (const port of ports) {
    if (names.has(port.name)) continue;
    const message = `Expected node "${node.id}" to have ${side}s of its type "${node.type}", but "${port.name}" is none`;
    reporter.error('UNKNOWN_PORT', reporter.origins.of(port, 'name'), { message, hint: listPorts(names) });
  }
}

export function listPorts(names: Iterable<string>): string {
  const list = listNames(names);
  return list === 'none' ? 'It has none.' : `Known are ${list}.`;
}

interface ValueCheck {
  readonly written: readonly InputPort[] | undefined;
  /** With what is known of them. */
  readonly inputs: readonly InputPort[] | undefined;
  readonly reporter: Reporter;
}

// DA44: the value of an input fits its type, where that is a word that TypeScript knows too; of a `repeated` one each.
function reportMisfits(node: NodeDraft, { written = [], inputs = [], reporter }: ValueCheck): void {
  const known = new Map(inputs.map((port) => [port.name, port]));
  for (const port of written) {
    const { type, repeated } = { ...known.get(port.name), ...port };
    if (port.value === undefined || type === undefined) continue;
    const list = repeated && isJsonArray(port.value) ? port.value : null;
    const place = reporter.origins.of(port, 'value');
    for (const [index, value] of (list ?? [port.value]).entries()) {
      if (fits(value, type)) continue;
      const message = `Expected the value of input "${port.name}" of node "${node.id}" to be a ${type}, but found ${describeJson(value)}`;
      reporter.error('TYPE_MISMATCH', list ? pointerTo(place, index) : place, { message });
    }
  }
}

/** Words that are not TypeScript's are the author's own: anything may fit them. */
function fits(value: Json, type: string): boolean {
  if (!['number', 'string', 'boolean'].includes(type)) return true;
  return typeof untagNumbers(value) === type;
}

// DA14: no two inputs and no two outputs of a node share a name.
function checkNames(node: NodeDraft, written: Ports, reporter: Reporter): void {
  for (const side of ['inputs', 'outputs'] as const) {
    const seen = new Set<string>();
    for (const port of written[side] ?? []) {
      if (seen.has(port.name)) {
        const message = `Expected the ${side} of node "${node.id}" to have different names, but "${port.name}" is there twice`;
        reporter.error('DUPLICATE_ID', reporter.origins.of(port, 'name'), { message });
      }
      seen.add(port.name);
    }
  }
}

/** DA15: a node declares its inputs where it says more of one than a value; then it has no others. */
export function declaresInputs(inputs: readonly InputPort[] | undefined): inputs is readonly InputPort[] {
  return (inputs ?? []).some(
    ({ type, repeated, required, value }) =>
      type !== undefined || repeated !== undefined || required !== undefined || value === undefined,
  );
}
