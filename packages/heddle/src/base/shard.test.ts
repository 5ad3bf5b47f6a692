import { describe, expect, test } from 'vitest';
import { inShard, shardOf } from './shard.ts';

describe('shards', () => {
  test.each([0, 1, 9, 63, 64, 2 ** 52 + 1])('[RI2] an id of shard %i says so', (shard) => {
    expect(shardOf(inShard('01J9ZQ8E7V2Y6K3M4N5P6Q7R8S', shard))).toBe(shard);
  });

  test('[RI2] an id of shard 0 is as it was before there were shards', () => {
    expect(inShard('01J9ZQ8E7V2Y6K3M4N5P6Q7R8S', 0)).toBe('01J9ZQ8E7V2Y6K3M4N5P6Q7R8S');
  });

  test.each([
    '',
    'a',
    'a~',
    '~',
    'a~0',
    'a~9007199254740992',
    'a~01',
    'a~1.5',
    'a~1e1',
    'a~x',
    'a~ 3',
    'a~3~',
    '3',
    'order-7',
  ])('[RI2] %j belongs to shard 0', (id) => {
    expect(shardOf(id)).toBe(0);
  });
});
