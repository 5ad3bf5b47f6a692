// Journal filter: which events of a journal are listed.

import type { RunEvent } from 'heddle/journal';
import { nodeOfEvent, sentenceOf } from './event-sentences.ts';
import type { TokenNodes } from './token-nodes.ts';

export interface JournalFilter {
  /** In the sentence, the type, the id or anywhere in its values. */
  readonly text: string;
  /** Empty: all. */
  readonly node: string;
  readonly type: string;
}

export const noFilter: JournalFilter = { text: '', node: '', type: '' };

/** The places in the list of those that are wanted. */
export function filteredPlaces(
  events: readonly RunEvent[],
  nodes: TokenNodes,
  { text, node, type }: JournalFilter,
): readonly number[] {
  const wanted = text.trim().toLowerCase();
  const places: number[] = [];
  for (const [place, event] of events.entries()) {
    if (type !== '' && event.type !== type) continue;
    if (node !== '' && nodeOfEvent(event, nodes) !== node) continue;
    if (wanted !== '' && !textOf(event, nodes).includes(wanted)) continue;
    places.push(place);
  }
  return places;
}

const textOf = (event: RunEvent, nodes: TokenNodes): string =>
  `${sentenceOf(event, nodes)} ${JSON.stringify(event)}`.toLowerCase();

export interface JournalNames {
  readonly nodes: readonly string[];
  readonly types: readonly string[];
}

/** What there is to choose from. */
export function namesIn(events: readonly RunEvent[], nodes: TokenNodes): JournalNames {
  const found = { nodes: new Set<string>(), types: new Set<string>() };
  for (const event of events) {
    found.types.add(event.type);
    const node = nodeOfEvent(event, nodes);
    if (node !== null) found.nodes.add(node);
  }
  return { nodes: [...found.nodes].toSorted(), types: [...found.types].toSorted() };
}
