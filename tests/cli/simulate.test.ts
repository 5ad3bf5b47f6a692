import { describe, expect, test } from 'vitest';
import { folderWith, heddle } from './command.testsuite.ts';

const pay = {
  id: 'pay',
  initialNode: 'charge',
  nodes: [
    { id: 'charge', action: 'charge', retry: { maxAttempts: 3 }, outputMapping: { 'state.attempt': 'result.attempt' } },
    { id: 'ask', input: { title: 'OK?' }, outputMapping: { 'state.ok': 'result.ok' } },
    { id: 'paid', wait: { event: 'paid' } },
  ],
  transitions: [
    { from: 'charge', to: 'ask' },
    { from: 'ask', to: 'paid' },
  ],
};

const files = { 'pay.json': pay, 'actions.mjs': 'export const charge = ({ attempt }) => ({ attempt });\n' };

const simulate = (...more: readonly string[]) =>
  heddle(['simulate', 'pay.json', '--actions', 'actions.mjs', ...more], { cwd: folderWith(files) });

const outside = ['--answer', '{"ok": true}', '--event', 'paid={}'];

describe('heddle simulate', () => {
  test('says that everything holds, in how many runs, with how many faults', async () => {
    const { exitCode, stdout } = await simulate(...outside, '--invariant', 'state.ok', '--runs', '60');
    expect(stdout).toMatch(/^holds: 2 invariants, 60 runs \(\d+ completed(, \d+ failed)?\), \d[\d,]* faults\n$/);
    expect(exitCode).toBe(0);
  });

  test('shows the simplest run in which an invariant is broken, and how to see it again', async () => {
    const { exitCode, stdout } = await simulate(...outside, '--invariant', 'state.attempt < 2');
    expect(stdout).toContain('broken: state.attempt < 2\n  it is false with state {"attempt":2}\n');
    expect(stdout).toContain('task.attempt_failed');
    expect(stdout).toMatch(/\nbroken: one of 2 invariants, \d[\d,]* runs? \(.*\), \d[\d,]* faults?\n$/);
    expect(exitCode).toBe(1);
    const [, line = '', seed = ''] = /\nagain: npx heddle (.*) --seed (\d+)\n/.exec(stdout) ?? [];
    expect(line).toBe(
      `simulate pay.json --actions actions.mjs --answer '{"ok": true}' --event 'paid={}' --invariant 'state.attempt < 2' --runs 1`,
    );
    const again = await simulate(...outside, '--invariant', 'state.attempt < 2', '--runs', '1', '--seed', seed);
    expect(again.exitCode).toBe(1);
  });

  test('says what a run waits for that does not end', async () => {
    const { exitCode, stdout } = await simulate('--faults', 'none');
    expect(stdout).toContain('broken: every run ends\n  pay is suspended: paid is waiting for event\n');
    expect(stdout).toContain(
      'again: npx heddle simulate pay.json --actions actions.mjs --faults none --runs 1 --seed 1\n',
    );
    expect(exitCode).toBe(1);
  });

  test('tells of an invariant about what never is there', async () => {
    const { exitCode, stdout } = await simulate(...outside, '--invariant', 'state.nothing', '--runs', '3');
    expect(stdout).toContain('says nothing: state.nothing; what it speaks of was never there, in no run\n');
    expect(stdout).toMatch(/\nnot shown: 1 of 2 invariants, 3 runs /);
    expect(stdout).not.toContain('holds');
    expect(exitCode).toBe(1);
  });

  test('for programs: the whole report', async () => {
    const { json, exitCode } = await simulate(...outside, '--faults', 'none', '--runs', '5', '--json');
    expect(json).toEqual({ runs: 5, statuses: { completed: 5 }, faults: {}, unseen: [], violation: null });
    expect(exitCode).toBe(0);
  });

  test.each([
    [['--faults', 'lightning'], 'FAULT_UNKNOWN: Expected --faults to name faults, but there is none named "lightning"'],
    [['--invariant', 'stat.ok'], 'INVARIANT_INVALID: Expected an invariant, but `stat.ok`'],
    [['--input', '[]'], 'INPUT_INVALID: Expected --input to be a JSON object, but found []'],
    [['--event', 'paid={'], 'EVENT_INVALID'],
    [['--runs', '0'], "argument '0' is invalid. Write a number from 1 on."],
  ])('refuses %j', async (more, message) => {
    const { exitCode, stderr } = await simulate(...more);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});
