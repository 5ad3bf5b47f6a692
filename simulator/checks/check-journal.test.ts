import { expect, test } from 'vitest';
import type { Row } from '../../tests/acceptance/planning.testsuite.ts';
import { JournalCheck } from './check-journal.ts';
import { Drawing } from './drawing.ts';
import { Forger, forgeries } from './forgeries.testsuite.ts';
import { checkRows, recording, recordingNames } from './recordings.testsuite.ts';

test.each(recordingNames)('nothing is wrong with what the engine wrote: %s', (name) => {
  const found = recording(name);
  expect(checkRows(found, found.rows)).toBeNull();
});

test('I32 finds a message that was not sent, or that nobody asked for', () => {
  const { definition, runId, rows } = recording('sub-runs');
  const [first] = rows as [Row];
  for (const sent of [[], ['start', 'pause']]) {
    const check = new JournalCheck(new Drawing(definition), runId);
    check.feed({ seq: 1, ...first });
    const [to = ''] = check.facts.children.keys();
    const outbox = sent.map((type) => ({ id: '', to, message: JSON.stringify({ type }) }));
    expect(check.checkSent(outbox)).toMatchObject({ invariant: 'I32' });
  }
});

test.each(forgeries)('$invariant finds $what ($recording)', ({ invariant, recording: name, forge }) => {
  const found = recording(name);
  const forger = new Forger(found.rows);
  forge(forger);
  const rows = forger.rows as unknown as typeof found.rows; // whatever was made of them
  expect(checkRows(found, rows)).toMatchObject({ invariant });
});
