// A bug is planted where a name or a rule says, however the code is laid out; what is not there is looked for.

import { describe, expect, it } from 'vitest';
import { plantBug } from './plant-bug.mjs';
import { makeSource } from './sources.mjs';

const lease = `
export class Leases {
  #count = 0;
  add(lease: Lease): void {
    if (
      lease.isAlive && // not yet over
      lease.owner !== "nobody"
    )
      this.keep(lease, {
        until: lease.dueAt,
      });
  }
  async #forget(): Promise<void> {
    this.keep(null);
  }
}
`;
const runs = `
export const runsMax = 5;
function keep(run: Run): void {
  // LC1: a run starts once.
  if (run.isNew) start(run, 1);
  // LC2: and ends once.
  if (run.isOver) end(run);
}
const table = { 'run.ended': (run: Run) => end(run) };
`;
const sources = [makeSource('/src/lease.ts', lease), makeSource('/src/runs.ts', runs)];

function plant(place: string, find: string, replace?: string) {
  return plantBug({ id: 'bug', in: place, find, replace }, sources).text;
}

describe('a planted bug', () => {
  it('is found however its code is laid out', () => {
    expect(plant('Leases.add', "lease.isAlive && lease.owner !== 'nobody'", 'true')).toBe(
      lease.replace(/lease\.isAlive[^]*"nobody"/, 'true'),
    );
    expect(plant('Leases.add', 'this.keep(lease, { until: lease.dueAt });')).toBe(
      lease.replace(/this\.keep\(lease[^]*?;/, ''),
    );
  });

  it('is found by the id of the rule that marks its place', () => {
    expect(plant('LC2', 'if (run.isOver)', 'if (!run.isOver)')).toBe(runs.replace('run.isOver', '!run.isOver'));
    expect(() => plant('LC2', 'if (run.isNew)')).toThrow(
      'it is not there; it is in keep (runs.ts:5): `if (run.isNew) start(run, 1);`',
    );
  });

  it('is found by the name of a method, private or not, of a constant and of an entry of a table', () => {
    expect(plant('Leases.forget', 'null', 'undefined')).toBe(lease.replace('null', 'undefined'));
    expect(plant('runsMax', '5', '6')).toBe(runs.replace('5', '6'));
    expect(plant('table.run.ended', 'end(run)', 'run')).toBe(runs.replace('=> end(run)', '=> run'));
  });

  it('keeps what an ellipsis stands for', () => {
    expect(plant('Leases.add', 'this.keep(…);', 'later(…);')).toBe(lease.replace('this.keep(lease', 'later(lease'));
    expect(plant('keep', 'start(run, …)', 'start(…)')).toBe(runs.replace('start(run, 1)', 'start(1)'));
    expect(plant('Leases.forget', 'forget(…): Promise<void>', 'forget(…): Promise<never>')).toBe(
      lease.replace('Promise<void>', 'Promise<never>'),
    );
  });

  it('takes a longer operator for another one', () => {
    expect(() => plant('Leases.add', 'lease.owner !')).toThrow('it is not there');
  });

  it('names all places of code that is there twice', () => {
    expect(() => plant('Leases', 'this.keep(…)')).toThrow(
      'Expected `this.keep(…)` of mutant bug once in Leases, but found it as Leases.add (lease.ts:9): `this.keep(lease, { until: lease.dueAt, });`, Leases.forget (lease.ts:14): `this.keep(null);`',
    );
  });

  it('names what comes nearest to code that is not there', () => {
    expect(() => plant('keep', 'if (run.isDone) end(run);')).toThrow(
      'it is not there; nearest is keep (runs.ts:7): `if (run.isOver) end(run);`',
    );
    expect(() => plant('Runs.keep', 'if (run.isDone) end(run);')).toThrow(
      'there is no such place; nearest is keep (runs.ts:7): `if (run.isOver) end(run);`',
    );
  });
});
