// Prompt subject: what a prompt says to a person, and what it is about. Rules IN10 and IN11.

import { type Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { InputWork } from '../../definition/graph.ts';
import type { PromptTexts } from '../events.ts';
import type { PromptSubject } from '../notes.ts';
import { makePathId, type PathPart } from '../path-id.ts';
import type { Branch, Token } from '../state.ts';
import { describeCause, evaluate } from './mapping.ts';
import { nodeOf, type Planning } from './planning.ts';
import { nearestItem } from './scope.ts';

const lengthMax = { title: 1_000, description: 20_000 } as const;
/** Characters of JSON: a note is no place for documents. */
const itemLengthMax = 16_384;

/** IN10: title and description are texts, or expressions that give one when the node is entered; what is missing is left out. */
export function evaluateTexts(p: Planning, token: Token): PromptTexts | { readonly failure: Failure } {
  const texts: { title?: string; description?: string } = {};
  for (const field of ['title', 'description'] as const) {
    const text = evaluateText(p, token, field);
    if (typeof text === 'object') return { failure: text };
    if (text !== undefined) texts[field] = text;
  }
  return texts;
}

function evaluateText(p: Planning, token: Token, field: 'title' | 'description'): string | undefined | Failure {
  const source = (nodeOf(p, token.node).work as InputWork)[field]; // only tokens at input nodes have prompts
  if (source === null || typeof source === 'string') return source ?? undefined;
  const evaluated = evaluate(p, token, source);
  const value = 'failure' in evaluated ? null : evaluated.value;
  if (value === undefined) return undefined;
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text === 'string' && text.length <= lengthMax[field]) return text;
  const found = typeof text === 'string' ? `found ${text.length} characters` : describeCause(evaluated);
  const message = `Expected a text of at most ${lengthMax[field]} characters from ${source.source} as the ${field} of the prompt of node ${token.node}, but ${found}`;
  return { code: 'PROMPT_INVALID', message, nodeId: token.node };
}

/** IN11: a prompt tells its path, and inside a fan-out its branch and the item of the nearest foreach. */
export function describeSubject(branch: Branch): PromptSubject {
  const parts: PathPart[] = [];
  for (let b = branch; b.group; b = b.group.parent)
    parts.unshift({ node: b.group.node, index: b.index, total: b.group.total });
  const { group, index } = branch;
  return {
    path: makePathId(parts),
    ...(group ? { branch: { index, total: group.total } } : {}),
    ...itemPart(nearestItem(branch)),
  };
}

function itemPart(found: { readonly item: Json } | null): Pick<PromptSubject, 'item' | 'isItemLeftOut'> {
  if (!found) return {};
  return JSON.stringify(found.item).length <= itemLengthMax ? found : { isItemLeftOut: true };
}
