import { expect, test } from 'vitest';
import type { ActionContext } from '../executor/action.ts';
import { ScriptedActions } from './scripted-actions.ts';

test('asking for a call that nobody makes says which are open, and which actions are scripted', () => {
  const script = new ScriptedActions();
  const { charge } = script.actions('charge', 'ship');
  const nobody = 'Expected a call of action charge to wait for an answer, but none does; open are none';
  expect(() => script.next('charge')).toThrow(nobody);
  void charge?.({} as ActionContext); // The script only keeps it.
  expect(script.next('charge')).toMatchObject({ action: 'charge', isAnswered: false });
  expect(() => script.next('ship')).toThrow('but none does; open are charge');
  expect(() => script.next('chrge')).toThrow('but it is not scripted; scripted are charge, ship');
});
