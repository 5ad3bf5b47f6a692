import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { NodeDefinition, PromptDefinition, TransitionDefinition } from '../../definition/definition.ts';
import { openPromptKey, type PromptNote } from '../notes.ts';
import { makeCorrelationId } from './input.ts';
import { flow, Trial, type TrialOptions, task } from './planning.testsuite.ts';

const prompt = (id: string, input: PromptDefinition | true = true): NodeDefinition => ({
  id,
  input,
  outputMapping: { [`state.${id}`]: 'result' },
});

const idOf = (token: number): string => makeCorrelationId('RUN0000001', token);

/** `ask`, then `after`; a failure goes to `late`. */
const asking = (input: PromptDefinition | true = true, options: TrialOptions = {}) =>
  new Trial(
    flow(
      [prompt('ask', input), task('after'), task('late', { inputMapping: { code: 'state._last_error.code' } })],
      [
        { from: 'ask', to: 'after' },
        { from: 'ask', to: 'late', on: 'failure' },
      ],
    ),
    options,
  );

/** The notes of the last command: what is known of each prompt now, and what is open. */
const notes = (trial: Trial) =>
  trial.effects.flatMap((effect) => (effect.type === 'note' ? [[effect.kind, effect.key, effect.value]] : []));

describe('open prompts', () => {
  test('[IN2] a prompt is asked at once, with its title and deadline', () => {
    const trial = asking({ title: 'Publish?', deadlineMs: 500 });
    expect(trial.told).toEqual(['workflow.started', '1 created at ask', '1 input.requested']);
    expect(trial.of('input.requested')).toEqual([
      { type: 'input.requested', token: 1, correlationId: idOf(1), at: 1_000, title: 'Publish?', deadline: 1_500 },
    ]);
    expect(asking().of('input.requested')).toEqual([
      { type: 'input.requested', token: 1, correlationId: idOf(1), at: 1_000 },
    ]);
  });

  test('[IN1] its correlation id follows from run and token, and from nothing else', () => {
    expect(idOf(1)).toBe(makeCorrelationId('RUN0000001', 1));
    const ids = [idOf(1), idOf(2), makeCorrelationId('RUN0000002', 1), makeCorrelationId('RUN', 1)];
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[a-z0-9]{26}$/.test(id))).toBe(true);
    const other = asking(true, { start: { runId: 'OTHER', rootRunId: 'OTHER' } });
    expect(other.of('input.requested')[0]?.correlationId).toBe(makeCorrelationId('OTHER', 1));
  });

  test('[IN2] any number wait at the same time, and are answered in any order', () => {
    const trial = new Trial(
      flow(
        ['split', prompt('ask'), 'meet'],
        [
          { from: 'split', to: 'ask', spawnCount: 3, siblingGroup: 'g' },
          {
            from: 'ask',
            to: 'meet',
            synchronization: {
              siblingGroup: 'g',
              strategy: 'all',
              merge: { source: '_branch.output.ask', target: 'state.all', strategy: 'append' },
            },
          },
        ],
      ),
    );
    expect(trial.tokens.map((line) => line.slice(2))).toEqual(Array(3).fill('ask waiting_for_input'));
    for (const token of [4, 2, 3]) trial.respond(token, token);
    expect(trial.context.state).toEqual({ all: [2, 3, 4] });
  });
});

describe('answers', () => {
  test('[IN6] an answer ends the wait, and its payload is the result of the node', () => {
    const trial = asking();
    trial.respond(1, { ok: true });
    expect(trial.told).toEqual([
      '1 input.resumed',
      '0:0 state.ask={"ok":true}',
      '1 completed',
      '2 created at after',
      '2 handed out 1.1',
      'workflow.resumed',
    ]);
    expect(trial.of('input.resumed')).toEqual([
      { type: 'input.resumed', token: 1, correlationId: idOf(1), payload: { ok: true } },
    ]);
  });

  test.each([null, 0, '', [], false])('[IN6] any JSON is an answer: %j', (payload) => {
    const trial = asking();
    trial.respond(1, payload);
    expect(trial.context.state).toEqual({ ask: payload });
  });

  test('[IN6][CX2] in a branch it is the raw output', () => {
    const trial = new Trial(
      flow(
        ['split', { id: 'ask', input: true }, 'meet'],
        [
          { from: 'split', to: 'ask', spawnCount: 2, siblingGroup: 'g' },
          {
            from: 'ask',
            to: 'meet',
            synchronization: {
              siblingGroup: 'g',
              strategy: 'all',
              merge: { source: '_branch.output', target: 'state.all', strategy: 'append' },
            },
          },
        ],
      ),
    );
    trial.respond(2, 'a');
    trial.respond(3, ['b']);
    expect(trial.context.state).toEqual({ all: ['a', ['b']] });
  });

  test.each([
    ['a second time', 1, {}],
    ['with another correlation id', 1, { correlationId: 'other' }],
    ['for a token that never was', 9, {}],
    ['for a token that asks nothing', 2, {}],
  ])('[IN6] %s: nothing changes', (_, token, more) => {
    const trial = asking();
    trial.respond(1, 1);
    trial.respond(token, 2, more);
    expect([trial.events, trial.effects, trial.reply]).toEqual([
      [],
      [],
      { applied: false, reason: 'prompt does not wait' },
    ]);
  });

  test('[IN6] a wrong correlation id does not end a wait', () => {
    const trial = asking();
    trial.respond(1, 1, { correlationId: idOf(2) });
    expect([trial.events, trial.effects, trial.reply.applied]).toEqual([[], [], false]);
    expect(trial.tokens).toEqual(['1 ask waiting_for_input']);
  });

  test('[IN6][LC11] while the run is paused the first answer is kept, and has its turn when it goes on', () => {
    const trial = asking({ deadlineMs: 500 });
    trial.send({ type: 'pause' });
    trial.respond(1, 'first');
    expect(trial.told).toEqual(['workflow.held']);
    expect(trial.requested).toEqual(['note prompt answered', 'note open-prompt removed']);
    expect(trial.reply).toEqual({ applied: true, reason: 'held while paused' });
    trial.respond(1, 'second');
    expect([trial.events, trial.effects, trial.reply]).toEqual([
      [],
      [],
      { applied: false, reason: 'prompt was answered' },
    ]);
    trial.send({ type: 'resume', at: 9_000 });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '1 input.resumed',
      '0:0 state.ask="first"',
      '1 completed',
      '2 created at after',
      '2 handed out 1.1',
    ]);
  });

  const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };

  test('[IN7] one that does not fit is refused with all that is wrong, and changes nothing', () => {
    const trial = asking({ schema });
    trial.respond(1, { ok: 'yes' });
    expect([trial.events, trial.effects]).toEqual([[], []]);
    expect(trial.reply).toEqual({
      applied: false,
      reason: expect.stringContaining(`Expected the answer to prompt ${idOf(1)} to fit its schema, but it does not:`),
      refusal: {
        code: 'PAYLOAD_INVALID',
        message: trial.reply.reason,
        details: [{ pointer: '/ok', message: expect.any(String) }],
      },
    });
    trial.respond(1, { ok: true });
    expect(trial.reply).toEqual({ applied: true });
  });

  test('[IN7] also while the run is paused', () => {
    const trial = asking({ schema });
    trial.send({ type: 'pause' });
    trial.respond(1, {});
    expect([trial.events, trial.reply.refusal?.code]).toEqual([[], 'PAYLOAD_INVALID']);
  });
});

describe('deadlines', () => {
  test('[IN8] a prompt that is not answered in time fails its node', () => {
    const trial = asking({ deadlineMs: 500 });
    trial.alarmAt(1_499);
    expect(trial.events).toEqual([]);
    trial.alarmAt(1_500);
    expect(trial.told).toEqual(['1 input.expired', '1 task.failed', '2 created at late', '2 handed out 1.1']);
    expect(trial.of('task.failed')[0]?.error).toEqual({
      code: 'INPUT_EXPIRED',
      message: 'Expected an answer to the prompt of node ask within 500 ms, but none came',
      nodeId: 'ask',
      attempts: 1,
    });
    expect(trial.of('task.dispatched')[0]?.input).toEqual({ code: 'INPUT_EXPIRED' });
    trial.respond(1, 'late');
    expect(trial.reply).toEqual({ applied: false, reason: 'prompt does not wait' });
  });

  test('[IN8][TM2] while the run is paused the deadline does not count', () => {
    const trial = asking({ deadlineMs: 500 });
    trial.send({ type: 'pause' });
    trial.alarmAt(9_000);
    expect(trial.events).toEqual([]);
    trial.send({ type: 'resume' });
    trial.alarmAt(9_000);
    expect(trial.told[0]).toBe('1 input.expired');
  });
});

describe('what a prompt says', () => {
  const texts = (title: string, description: string, input: Json) =>
    asking({ title: { expression: title }, description: { expression: description } }, { input });

  test('[IN10] title and description are evaluated when the node is entered; what is missing is left out', () => {
    const trial = texts("'Approve ' + input.name + '?'", 'input.note', { name: 'Ada' });
    expect(trial.of('input.requested')).toEqual([
      { type: 'input.requested', token: 1, correlationId: idOf(1), at: 1_000, title: 'Approve Ada?' },
    ]);
    expect(texts('input.n', 'input.yes', { n: 7, yes: true }).of('input.requested')[0]).toMatchObject({
      title: '7',
      description: 'true',
    });
    trial.respond(1, {});
    expect(notes(trial)[0]?.[2]).toMatchObject({ status: 'answered', title: 'Approve Ada?' });
  });

  test.each([
    ['input.list', { list: [1] }, 'found a list of 1'],
    ['input.a / 0', { a: 1 }, 'its evaluation failed'],
    ['input.long', { long: 'x'.repeat(1_001) }, 'found 1001 characters'],
  ])('[IN10] what gives no text fails the node: %s', (title, input, cause) => {
    const [failed] = texts(title, "''", input).of('task.failed');
    expect(failed?.error).toMatchObject({ code: 'PROMPT_INVALID', nodeId: 'ask' });
    expect(failed?.error.message).toContain(cause);
  });

  test('[IN11] inside a fan-out it tells its path, its branch and the item; a large item is left out', () => {
    const trial = new Trial(
      flow(
        ['split', prompt('ask')],
        [{ from: 'split', to: 'ask', foreach: { collection: 'input.list', itemVar: 'paper' }, siblingGroup: 'g' }],
      ),
      { input: { list: ['a', 'x'.repeat(20_000)] } },
    );
    const subjects = notes(trial).flatMap(([kind, , value]) =>
      kind === 'prompt' ? [(value as unknown as PromptNote).subject] : [],
    );
    expect(subjects).toEqual([
      { path: 'root.split.0', branch: { index: 0, total: 2 }, item: 'a' },
      { path: 'root.split.1', branch: { index: 1, total: 2 }, isItemLeftOut: true },
    ]);
  });

  test('[PR1] a prompt that an earlier version asked keeps its key', () => {
    const note = { rootRunId: 'ROOT', token: 3, correlationId: 'c' };
    expect(openPromptKey(note)).toBe('ROOT/c');
    expect(openPromptKey({ ...note, askedAt: 5 })).toBe('ROOT/000000000000005/000000003/c');
  });
});

describe('what is noted beside the run', () => {
  const note = (change: Partial<PromptNote>) => ({
    correlationId: idOf(1),
    runId: 'RUN0000001',
    rootRunId: 'RUN0000001',
    workflow: 'trial',
    token: 1,
    node: 'ask',
    title: 'Publish?',
    subject: { path: 'root' },
    askedAt: 1_000,
    schema: { type: 'object' },
    status: 'active',
    at: 1_000,
    deadline: 1_500,
    answer: null,
    answerKey: null,
    ...change,
  });
  const input = { title: 'Publish?', schema: { type: 'object' }, deadlineMs: 500 };
  const openKey = `RUN0000001/000000000001000/000000001/${idOf(1)}`;

  test('[IN5] a prompt that is asked stands among all and among the open ones', () => {
    expect(notes(asking(input))).toEqual([
      ['prompt', idOf(1), note({})],
      ['open-prompt', openKey, note({})],
    ]);
  });

  test('[IN5] one that is answered stays known, with what is needed to tell a repeated answer', () => {
    const trial = asking(input);
    trial.respond(1, { b: 1, a: 2 }, { key: 'k', at: 1_200 });
    const answered = notes(trial);
    expect(answered).toEqual([
      ['prompt', idOf(1), note({ status: 'answered', at: 1_200, answer: expect.any(String), answerKey: 'k' })],
      ['open-prompt', openKey, null],
    ]);
    const again = asking(input);
    again.respond(1, { a: 2, b: 1 }, { key: 'k', at: 1_200 });
    expect(notes(again)).toEqual(answered);
  });

  test('[IN5] so does one that expired, or was called off by a join, a failure or the end of its run', () => {
    const expired = asking(input);
    expired.alarmAt(1_500);
    expect(notes(expired)).toEqual([
      ['prompt', idOf(1), note({ status: 'expired', at: 1_500 })],
      ['open-prompt', openKey, null],
    ]);
    const cancelled = asking(input);
    cancelled.send({ type: 'cancel', reason: 'enough' });
    expect(notes(cancelled)).toEqual([
      ['prompt', idOf(1), note({ status: 'cancelled' })],
      ['open-prompt', openKey, null],
    ]);
  });

  test('[IN5][TK3] a join that needs it no more calls off a prompt', () => {
    const meet = { siblingGroup: 'g', strategy: 'any' } as const;
    const ways: TransitionDefinition[] = [
      { from: 'split', to: 'fast', siblingGroup: 'g' },
      { from: 'split', to: 'ask', siblingGroup: 'g' },
      { from: 'fast', to: 'meet', synchronization: meet },
      { from: 'ask', to: 'meet', synchronization: meet },
    ];
    const trial = new Trial(flow(['split', task('fast'), prompt('ask'), 'meet'], ways));
    trial.complete(2);
    expect(trial.requested).toEqual(['note prompt cancelled', 'note open-prompt removed']);
    trial.respond(3, 'late');
    expect(trial.reply).toEqual({ applied: false, reason: 'run has ended: completed' });
  });

  test('[IN5] a run that goes round asks anew each time', () => {
    const trial = new Trial(
      flow(
        [prompt('ask'), 'end'],
        [
          { from: 'ask', to: 'ask', loop: { maxIterations: 1 }, condition: 'result == "again"' },
          { from: 'ask', to: 'end', priority: 2 },
        ],
      ),
    );
    trial.respond(1, 'again');
    expect(notes(trial).map(([kind, key]) => [kind, key])).toEqual([
      ['prompt', idOf(1)],
      ['open-prompt', openKey],
      ['prompt', idOf(2)],
      ['open-prompt', `RUN0000001/000000000001000/000000002/${idOf(2)}`],
    ]);
    trial.respond(2, 'enough');
    expect(trial.state.outcome).toBe('completed');
  });
});
