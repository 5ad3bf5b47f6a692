import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../base/json.ts';
import type { RunEvent } from '../run-event.ts';
import { openCapsule, sealCapsule } from './capsule.ts';
import { capsulePage } from './capsule-page.ts';
import { RunFold } from './run-fold.ts';

const at = (id: string, event: object): RunEvent =>
  ({ runId: 'r-1', id, seq: Number.parseInt(id, 10), at: 1_000, ...event }) as RunEvent;

const start = {
  workflow: 'pay',
  version: 1,
  hash: 'h',
  rootRunId: 'r-1',
  parent: null,
  depth: 0,
  nodeBudget: 9,
  descendantBudget: 9,
  deadline: null,
  keyRunId: 'r-1',
  retryOf: null,
  tags: {},
  trace: false,
  countsNodes: false,
};

const card = '4111-1111-1111-1111';
const events = [
  at('1.0', { type: 'workflow.started', ...start, input: { card: { number: card }, total: 12 } }),
  at('1.1', { type: 'token.created', token: 1, node: 'charge', branch: [0, 0] }),
  at('1.2', { type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: { note: `charge ${card} now` } }),
  at('2.0', {
    type: 'task.completed',
    token: 1,
    output: { receipt: 'r-7', pin: 7, of: { name: 'Ada', node: 'x1', id: 'y2' } },
  }),
  at('2.1', {
    type: 'context.updated',
    branch: [0, 0],
    writes: [
      ['state.pin', 7],
      ['state.note', `paid by ${card}`],
    ],
  }),
];
const definition: JsonObject = { id: 'pay', nodes: [{ id: 'charge', name: 'pin', action: card }] };
const drawing = { nodes: ['charge'], transitions: [], hiddenNode: null };
const seal = (redact: string[] = []) => sealCapsule({ definition, drawing, events, exportedAt: 5, redact });
const textOf = (value: unknown): string => JSON.stringify(value);

describe('[CP1] a capsule as a page', () => {
  test('its policy names its script and style by their hashes, and nothing else', () => {
    const page = capsulePage(seal(), { script: 'alert(1)', style: 'p{}' });
    // As `openssl dgst -sha256 -binary | openssl base64` has them.
    expect(page).toContain("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/https?:/);
  });

  test('no value of the run can end the script that holds it', () => {
    const evil = sealCapsule({
      definition: { id: '</script><script>alert(1)</script>' },
      drawing,
      events,
      exportedAt: 5,
    });
    const page = capsulePage(evil, { script: 'x', style: 'y' });
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    const [, data = ''] = /id="data">(.*)<\/script>/.exec(page) ?? [];
    expect(openCapsule(data)).toEqual(evil);
  });
});

describe('[CP2] redaction', () => {
  test('takes out what is named, and every copy of it', () => {
    const text = textOf(seal(['input.card.number', 'state.pin']));
    expect(text).not.toContain(card);
    expect(text).toContain('charge [redacted] now');
    expect(text).toContain('["state.pin","[redacted]"]');
    expect(text).toContain('"receipt":"r-7","pin":"[redacted]"');
  });

  test('leaves what the fold and the drawing need', () => {
    const capsule = seal(['input.card', 'x.name', 'x.node', 'x.id']);
    const fold = new RunFold({ drawing: capsule.drawing });
    for (const event of capsule.events) fold.add(event);
    expect(fold.nodes().map(({ nodeId, visits }) => [nodeId, visits])).toEqual([['charge', 1]]);
    expect(fold.input).toEqual({ card: '[redacted]', total: 12 } satisfies Json);
    expect(capsule.definition['nodes']).toMatchObject([{ id: 'charge', name: 'pin' }]);
  });

  test('without a path, nothing is touched', () => {
    expect(seal().events).toEqual(events);
  });
});

describe('[CP3] a capsule that was changed is refused', () => {
  test('as it is, it opens', () => {
    expect(openCapsule(textOf(seal(['input.card'])))).toEqual(seal(['input.card']));
  });

  test.each([
    ['another definition', textOf(seal()).replace('"id":"pay"', '"id":"pai"'), 'its beginning'],
    ['another input', textOf(seal()).replace('"total":12', '"total":13'), 'commit 1'],
    ['another result', textOf(seal()).replace('"receipt":"r-7"', '"receipt":"r-8"'), 'commit 2'],
    ['no last commit', textOf({ ...seal(), events: events.slice(0, 3) }), 'its end'],
    ['no JSON', '{', 'its beginning'],
    ['something else', '{"format":"heddle-snapshot"}', 'its beginning'],
  ])('%s', (_, text, where) => {
    const told = `Expected the capsule to be as it was exported, but it was changed at ${where}`;
    expect(() => openCapsule(text)).toThrow(expect.objectContaining({ code: 'CAPSULE_TAMPERED', message: told }));
  });
});

test('[CP4] a name that stands nowhere is refused, and nothing is given away by a mistyped one', () => {
  expect(() => seal(['input.card.numbr'])).toThrow('Expected a value of the run named "numbr" to redact');
  // Names of events, nodes and definitions are no values.
  for (const name of ['workflow', 'charge', 'action']) expect(() => seal([name]), name).toThrow('to redact');
  for (const name of ['number', 'state.pin', 'output', 'note']) expect(() => seal([name]), name).not.toThrow();
});
