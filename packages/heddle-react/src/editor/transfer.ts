// Transfer: definitions as files: what is imported becomes the draft, what is exported is what was registered or drawn.

import type { JsonObject } from 'heddle';
import type { CheckedDraft } from './check/use-check.ts';
import { parseObject } from './json/json-panel.tsx';
import { adapterOf } from './model/adapters.ts';
import { isObject, textOf } from './model/places.ts';
import { isDialectClear, withDialect } from './model/read-drawing.ts';

export type Imported = { readonly definition: JsonObject } | { readonly reason: string };

/** A definition of any dialect, or what React Flow saves, for a workflow. */
export async function readImport(
  text: string,
  { workflow, check }: { readonly workflow: string; readonly check: (definition: unknown) => Promise<CheckedDraft> },
): Promise<Imported> {
  const given = parseObject(text);
  if (given === null) return { reason: 'Expected a file with a workflow (a JSON object), but it is none.' };
  // An API or a backup wraps it.
  const inner = isObject(given['definition']) ? given['definition'] : given;
  const { version: _, ...source } = inner;
  const drawn = isDialectClear(source) ? source : withDialect(source);
  const definition: JsonObject = { ...drawn, id: workflow };
  if (!Array.isArray(definition['nodes']))
    return { reason: 'Expected a workflow with a list of nodes, but the file has none.' };
  // Older spellings become those that the forms know.
  const { normal } = adapterOf(definition).dialect === 'token' ? await check(definition) : { normal: null };
  return { definition: normal === null ? definition : { ...(normal as JsonObject), id: workflow } }; // it is JSON
}

export function saveFile(name: string, definition: JsonObject): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(definition, null, 2)}\n`], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${textOf(name)}.json`;
  link.click();
  URL.revokeObjectURL(url);
}
