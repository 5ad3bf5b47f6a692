// What must be true of what stands beside the runs: I23 (a wait for an event can be found), I32 (a traced run has its
// trace with every row), I40 (a prompt is noted as it is), I43 (of a serial tree one prompt is asked at a time).

import { runIdIn, seqIn, traceKind } from '../../packages/heddle/src/actor/trace-log.ts';
import { eventWaitKey, openPromptKey, type PromptNote } from '../../packages/heddle/src/core/notes.ts';
import type { TokenFact } from './facts.ts';
import { breaks, type Look } from './look.ts';
import type { RunFacts } from './run-facts.ts';

export function checkRecords(look: Look): void {
  const waits = new Set<string>();
  const notes = new Map<string, PromptNote>();
  const open = new Map<string, PromptNote>();
  for (const { kind, key, value } of look.view.records) {
    if (kind === 'event-wait') waits.add(key);
    if (kind === 'prompt') notes.set(key, JSON.parse(value) as PromptNote);
    if (kind === 'open-prompt') open.set(key, JSON.parse(value) as PromptNote);
  }
  for (const [runId, facts] of look.runs) {
    for (const token of facts.tokens.values())
      if (token.state === 'event' && !waits.delete(keyOfWait(runId, token)))
        breaks('I23', runId, `Expected the wait of token ${token.id} to be noted, but no event could find it`);
    checkPrompts(runId, facts, notes, open);
  }
  const [left] = waits;
  if (left !== undefined) breaks('I23', '', `Expected every wait that is noted to be there, but ${left} is not`);
  checkSerial(look, open);
  checkTraces(look);
}

/** I32: trace events are written with the journal row that they explain: for every row of a traced run, and for no other. */
function checkTraces({ view, runs }: Look): void {
  const traced = new Map<string, number[]>();
  for (const record of view.records) {
    if (record.kind !== traceKind) continue;
    const rows = traced.get(runIdIn(record)) ?? [];
    traced.set(runIdIn(record), rows);
    rows.push(seqIn(record));
  }
  for (const [runId, { start, seq }] of runs) {
    const rows = traced.get(runId) ?? [];
    traced.delete(runId);
    if (rows.length !== (start?.trace ? seq : 0) || rows.some((row, index) => row !== index + 1))
      breaks('I32', runId, `Expected a trace of ${start?.trace ? seq : 0} rows, but found rows ${rows.join(', ')}`);
  }
  const [stray] = traced.keys();
  if (stray !== undefined) breaks('I32', stray, 'Expected a trace to belong to a run, but there is no such run');
}

function keyOfWait(runId: string, { id, node, correlation }: TokenFact): string {
  const { event } = node.source.wait as { readonly event: string }; // it waits for one
  return eventWaitKey(event, correlation ?? '', { runId, token: id });
}

/** I40: every prompt is noted as it stands; those that can be answered stand together, and no others. */
function checkPrompts(
  runId: string,
  facts: RunFacts,
  notes: ReadonlyMap<string, PromptNote>,
  open: ReadonlyMap<string, PromptNote>,
): void {
  for (const [correlationId, { standing, answer }] of facts.prompts) {
    const note = notes.get(correlationId);
    // What is kept of an answer while the run is paused is an answer.
    const expected = standing === 'active' && answer !== undefined ? 'answered' : standing;
    if (note?.status !== expected)
      breaks('I40', runId, `Expected prompt ${correlationId} to be noted as ${expected}, but found ${note?.status}`);
    if (note.rootRunId !== facts.start?.rootRunId || open.has(openPromptKey(note)) !== (expected === 'active'))
      breaks('I40', runId, `Expected prompt ${correlationId}, ${expected}, to be listed only while it can be answered`);
  }
}

function checkSerial({ factsOf }: Look, open: ReadonlyMap<string, PromptNote>): void {
  const asked = new Map<string, string>();
  for (const { runId, rootRunId, correlationId } of open.values()) {
    if (factsOf(runId)?.drawing.policy.inputPolicy !== 'serial') continue;
    const other = asked.get(rootRunId);
    if (other !== undefined)
      breaks('I43', rootRunId, `Expected one prompt to be asked at a time, but ${other} and ${correlationId} are`);
    asked.set(rootRunId, correlationId);
  }
}
