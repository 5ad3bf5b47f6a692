import { describe, expect, test } from 'vitest';
import { RunFold } from '../core/views/run-fold.ts';
import { allOf, openEngine } from './engine.testsuite.ts';

const fan = {
  id: 'w',
  initialNode: 's',
  nodes: [{ id: 's' }, { id: 'a', action: 'work' }, { id: 'j', input: { title: 'Well?' } }],
  transitions: [
    { from: 's', to: 'a', spawnCount: 3, siblingGroup: 'g' },
    { from: 'a', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
  ],
};

async function halfway() {
  const opened = await openEngine({ scripted: ['work'] });
  await opened.engine.register(fan);
  const run = await opened.engine.start('w', { who: 'Ada' });
  await opened.settle();
  opened.script.next('work').complete();
  await opened.settle();
  return { ...opened, run };
}

describe('[VW18] a run on its drawing', () => {
  test('has its summary, its journal’s length, its drawing, and the figures of now', async () => {
    const { run } = await halfway();
    const events = await allOf(run.events({ follow: false }));
    const { run: summary, commits, lastEventId, drawing, figures } = await run.view();
    expect(summary).toEqual(await run.summary());
    expect([commits, lastEventId]).toEqual([events.at(-1)?.seq, events.at(-1)?.id]);
    expect(drawing).toEqual({
      nodes: ['s', 'a', 'j'],
      transitions: [
        { id: 's->a', from: 's', to: 'a', opens: 'g' },
        { id: 'a->j', from: 'a', to: 'j', joins: 'g' },
      ],
      hiddenNode: null,
    });
    expect(figures).toMatchObject({ status: 'running', input: { who: 'Ada' }, events: events.length });
    expect(
      figures.nodes.map(({ nodeId, active, completed, arrivals }) => [nodeId, active, completed, arrivals]),
    ).toEqual([
      ['s', 0, 1, 0],
      ['a', 2, 1, 0],
      ['j', 0, 0, 1],
    ]);
    expect(figures.groups).toMatchObject([{ group: 'g', total: 3, arrived: 1, stillPossible: 2 }]);
  });

  test('as of any event it has the figures that a viewer folds from the journal up to it', async () => {
    const { run, script, settle } = await halfway();
    for (let left = 2; left > 0; left--) script.next('work').complete();
    await settle();
    const { drawing, lastEventId } = await run.view();
    const fold = new RunFold({ drawing });
    for (const event of await allOf(run.events({ follow: false }))) {
      fold.add(event);
      const { figures, ...now } = await run.view(event.id);
      expect(now.lastEventId).toBe(lastEventId);
      expect(figures).toEqual({
        eventId: event.id,
        events: fold.count,
        at: fold.at,
        status: fold.status,
        input: fold.input,
        state: fold.state,
        output: fold.output,
        error: fold.error,
        firstFailure: fold.firstFailure,
        nodes: fold.nodes(),
        edges: fold.edges(),
        groups: fold.groups(),
        groupTotals: fold.groupTotals(),
        prompts: fold.prompts(),
        timers: fold.timers(),
        subruns: fold.subruns(),
      });
    }
    expect((await run.view()).figures.prompts).toMatchObject([{ node: 'j', title: 'Well?' }]);
  });

  test('an event that is not there is told', async () => {
    const { run } = await halfway();
    for (const eventId of ['1.99', '99.0'])
      await expect(run.view(eventId)).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    await expect(run.view('nonsense')).rejects.toMatchObject({ code: 'EVENT_ID_INVALID' });
  });
});
