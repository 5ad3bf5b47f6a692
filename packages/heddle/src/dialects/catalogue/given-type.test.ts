import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../definition/limits.ts';
import { defineNodeType } from '../dataflow/nodes/node-type.ts';
import { defineCompiledType } from './compiled-type.ts';
import { listHandles } from './entry.ts';
import { checkFacts } from './given-type.ts';
import { migrateSettings } from './migrate.ts';

describe('[CT2] what is said of a node type', () => {
  const define = (facts: object) => () => defineNodeType({ ...facts, run: () => ({}) });

  test('is kept as it was said', () => {
    const facts = {
      title: 'Mail',
      category: 'Mail',
      icon: 'mail',
      version: 2,
      handles: { from: 'cases', key: 'name', also: ['else'] },
      credentials: [{ name: 'PASSWORD' }],
      sideEffects: false,
      deprecated: 'use post',
      migrations: { 1: { to: 'settings.address', address: null } },
    };
    expect(defineNodeType({ ...facts, run: () => ({}) }).facts).toEqual(facts);
    expect(defineCompiledType({ ...facts, compile: () => ({ type: 'step' }) }).entry).toMatchObject(facts);
  });

  test.each([
    ['a title that is none', { title: 5 }, 'Expected'],
    ['handles of another kind', { handles: 'a' }, 'Expected'],
    ['a credential without a name', { credentials: [{}] }, 'name'],
    ['a misspelt member', { tilte: 'x' }, 'title'],
    ['a migration of no version', { migrations: { a: {} } }, 'by the version that they begin at'],
    ['a migration beyond the version', { migrations: { 1: {} } }, 'below 1'],
    ['a migration that is no expression', { version: 2, migrations: { 1: { to: 'settings.(' } } }, '"to"'],
    ['a migration of another kind', { version: 2, migrations: { 1: { to: 5 } } }, 'an expression or null'],
  ])('%s is refused', (_, facts, message) => {
    expect(define(facts)).toThrow(message);
  });

  test('a function that is missing is told', () => {
    expect(() => defineCompiledType({} as never)).toThrow('Expected a function "compile", but found nothing'); // a mistake
  });

  test('is bounded in size', () => {
    const facts = { deprecated: 'x'.repeat(defaultLimits.announcementBytesMax) };
    expect(checkFacts(facts, { limits: defaultLimits, pointer: '/0' })).toHaveLength(1);
  });
});

test('[CT4] handles are listed, or made from a setting', () => {
  expect(listHandles({}, {})).toBeNull();
  expect(listHandles({ handles: ['a'] }, {})).toEqual(['a']);
  const made = { handles: { from: 'cases', key: 'name', also: ['else'] } };
  expect(listHandles(made, { cases: [{ name: 'x' }, { name: 'x' }, 'y', 5, {}] })).toEqual(['x', 'y', 'else']);
  expect(listHandles(made, { cases: 'none' })).toEqual(['else']);
});

describe('[CT5] settings become those of the newest version', () => {
  const facts = {
    version: 3,
    migrations: { 1: { b: 'settings.a + 1', a: null, c: 'settings.none' }, 2: { d: '"=" + settings.e' } },
  };

  test('step by step; what is not named stays', () => {
    expect(migrateSettings(facts, { typeVersion: 1, settings: { a: 1, e: 'input.x' } })).toEqual({
      settings: { b: 2, e: 'input.x', d: '=input.x' },
    });
    expect(migrateSettings(facts, { settings: { a: 1 } })).toEqual({ settings: { a: 1 } });
  });

  test('one that fails says why', () => {
    expect(migrateSettings(facts, { typeVersion: 1, settings: { a: true } })).toEqual({
      problem: expect.stringContaining('in the migration of version 1'),
    });
  });
});
