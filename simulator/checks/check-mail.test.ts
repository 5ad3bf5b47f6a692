import { expect, test } from 'vitest';
import { JournalCheck } from './check-journal.ts';
import { Mail } from './check-mail.ts';
import { Drawing } from './drawing.ts';
import { recording } from './recordings.testsuite.ts';

const letter = (id: string, message: object = { type: 'pause' }) => ({
  id,
  to: 'run',
  message: JSON.stringify(message),
});

const { definition, runId, rows } = recording('sub-runs');

function begin() {
  const check = new JournalCheck(new Drawing(definition), runId);
  const [first, ...others] = rows.map((row, index) => ({ seq: index + 1, ...row }));
  if (first) check.feed(first);
  return { check, others, mail: new Mail(() => check.facts) };
}

test('messages may be received in the order in which they were sent, and in no other (I32)', () => {
  const { mail: inOrder } = begin();
  inOrder.sent([letter('2'), letter('1')]);
  expect(inOrder.received(['2', '1'])).toBeNull();
  const { mail: astray } = begin();
  astray.sent([letter('2'), letter('1')]);
  expect(astray.received(['1'])).toMatchObject({ invariant: 'I32', runId: 'run' });
});

test('what a process has left is received in the order of the ids', () => {
  const { mail } = begin();
  mail.sent([letter('2'), letter('1')]);
  mail.passOn();
  expect(mail.received(['1', '2'])).toBeNull();
});

test('the end of a sub-run that was received is in the journal of its parent (I39)', () => {
  const { check, others, mail } = begin();
  for (const row of others) {
    const [first] = row.events;
    if (first?.type !== 'subworkflow.ended_late') {
      check.feed(row);
      continue;
    }
    const end = { type: 'child.ended', childRunId: first.childRunId };
    mail.sent([letter('1', end), letter('2', end)]);
    expect(mail.received(['1'])).toMatchObject({ invariant: 'I39' });
    check.feed(row);
    expect(mail.received(['2'])).toBeNull();
    return;
  }
  expect.unreachable('the recording has a late end');
});
