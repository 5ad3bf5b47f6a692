import { beforeAll, describe, expect, test } from 'vitest';
import { checkWorld } from './check-world.ts';
import { Globals } from './globals.ts';
import { playWorld, restForgeries, worldForgeries } from './world.testsuite.ts';
import type { WorldView } from './world-view.ts';

describe('a world', () => {
  let view: WorldView;

  beforeAll(async () => {
    view = await playWorld();
  });

  test.each(['crash', 'end', 'rest'] as const)('nothing is wrong with one that really was (%s)', (moment) => {
    expect(checkWorld(view, moment)).toBeNull();
  });

  test.each(worldForgeries)('$invariant finds $what', ({ invariant, forge }) => {
    expect(checkWorld({ ...view, ...forge(view) }, 'crash')).toMatchObject({ invariant });
  });

  test.each(restForgeries)('$invariant finds $what, at rest', ({ invariant, forge }) => {
    expect(checkWorld({ ...view, ...forge(view) }, 'rest')).toMatchObject({ invariant });
  });
});

test('[I49] what is added to a prototype is found', () => {
  const globals = new Globals();
  expect(globals.findChange()).toBeNull();
  const prototype: object = Object.getPrototypeOf({});
  Reflect.set(prototype, 'polluted', true);
  const change = globals.findChange();
  Reflect.deleteProperty(prototype, 'polluted');
  expect(change).toContain('polluted');
  expect(globals.findChange()).toBeNull();
});
