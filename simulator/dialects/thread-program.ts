// Thread program: a workflow of threads as a tree: sequences of steps, of which some hold sequences. Its oracle walks the
// tree, its definition is drawn from it.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Part } from './part.ts';
import type { Task } from './task-script.ts';

export type Block = readonly Step[];

export type Step = { readonly id: string } & (
  | EditStep
  | CodeStep
  | WorkStep
  | AskStep
  | FanStep
  | BatchStep
  | GosubStep
  | SwitchStep
  | LoopStep
  | EndStep
  /** A fan-in where nobody has fanned out: the run fails. */
  | { readonly type: 'stray' }
  /** The output is not connected: the path ends. */
  | { readonly type: 'stop' }
);

interface EditStep {
  readonly type: 'edit';
  readonly upserts: readonly { readonly path: string; readonly value: Json }[];
  readonly deletes: readonly string[];
}

/** `source`: what the expression reads. */
interface CodeStep {
  readonly type: 'code';
  readonly path: string;
  readonly source: 'size' | 'slice' | 'missing';
}

interface WorkStep {
  readonly type: 'work';
  readonly task: Task;
  /** Null: the whole context. */
  readonly inputs: readonly Mapping[] | null;
  /** Null: the result is written to `output`. */
  readonly outputs: readonly Mapping[] | null;
}

/** A path to a path; what is missing fails the node unless it is optional. */
export interface Mapping {
  readonly to: string;
  readonly from: string;
  readonly isOptional: boolean;
}

interface AskStep {
  readonly type: 'ask';
  readonly reply: Json;
  readonly deadlineMs: number | null;
}

/** `ways`: one for each connected output, in the order of the outputs. */
interface FanStep {
  readonly type: 'fan';
  readonly ways: readonly Block[];
  /** Outputs that are not connected stand before, between and after the others. */
  readonly hasLooseOutputs: boolean;
}

interface BatchStep {
  readonly type: 'batch';
  /** `list`, or a path where no list is. */
  readonly items: string;
  readonly size: number;
  readonly parallel: number;
  /** Null: `process` is not connected. */
  readonly process: Block | null;
}

interface GosubStep {
  readonly type: 'gosub';
  readonly inputs: readonly Mapping[] | null;
  readonly outputs: readonly Mapping[] | null;
  /** Of this dialect, or of another. */
  readonly child: Program | Part;
}

/** The first way if the condition holds, the second if not. */
interface SwitchStep {
  readonly type: 'switch';
  readonly condition: 'even' | 'hasV' | 'hasVAsData' | 'missing' | 'blank';
  readonly ways: readonly [Block, Block];
}

interface LoopStep {
  readonly type: 'loop';
  readonly times: number;
  readonly body: Block;
}

/** Null: the whole context. */
interface EndStep {
  readonly type: 'end';
  readonly mappings: readonly Mapping[] | null;
}

export interface Program {
  readonly workflow: string;
  readonly initialize: readonly Entry[] | null;
  readonly body: Block;
  readonly timeoutMs: number | null;
  readonly concurrency: number | null;
}

/** Of the input, at the start. */
export interface Entry {
  readonly path: string;
  readonly isOptional: boolean;
  readonly default?: Json;
}

/** Whether what comes after a block can be reached by its connectors; by one that never holds it cannot. */
export const canLeave = (block: Block): boolean => block.every(canPass);

function canPass(step: Step): boolean {
  switch (step.type) {
    case 'end':
    case 'stop':
      return false;
    case 'fan':
      return step.ways.some(canLeave);
    case 'switch':
      return canLeave(step.ways[1]) || (step.condition !== 'blank' && canLeave(step.ways[0]));
    case 'loop':
      return canLeave(step.body);
    case 'edit':
    case 'code':
    case 'work':
    case 'ask':
    case 'batch':
    case 'gosub':
    case 'stray':
      return true;
  }
}

/** The steps of a block, at any depth, without those of the programs that it calls. */
export const stepsIn = (block: Block): Step[] => block.flatMap((step) => [step, ...blocksOf(step).flatMap(stepsIn)]);

function blocksOf(step: Step): readonly Block[] {
  if (step.type === 'fan' || step.type === 'switch') return step.ways;
  if (step.type === 'loop') return [step.body];
  return step.type === 'batch' && step.process ? [step.process] : [];
}

/** A program and all that it calls, at any depth. */
export function workflowsIn(called: Program | Part): (Program | Part)[] {
  if (!isProgram(called)) return [called];
  const children = stepsIn(called.body).flatMap((step) => (step.type === 'gosub' ? [step.child] : []));
  return [called, ...children.flatMap(workflowsIn)];
}

export const isProgram = (called: Program | Part): called is Program => 'body' in called;
