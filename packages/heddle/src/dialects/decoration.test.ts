import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { defaultLimits } from '../definition/limits.ts';
import { parseDefinition } from './parse.ts';

const node = (id: string, type: string, more: Readonly<Record<string, Json>> = {}) => ({ id, type, ...more });
const edge = { source: 'a', sourceHandle: 'x', target: 'b', targetHandle: 'y' };
const pair = [node('a', 'work'), node('b', 'work')];

describe.each(['dataflow', 'handle'])('decoration in %s', (dialect) => {
  const read = (source: Readonly<Record<string, Json>>) => {
    const whole = { dialect, id: 'w', edges: [edge], ...source };
    const { problems, definition } = parseDefinition(whole, { limits: defaultLimits });
    return { problems, definition };
  };
  const idsOf = (nodes: readonly Json[], more: Readonly<Record<string, Json>> = {}) => {
    const { problems, definition } = read({ nodes, ...more });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    return definition?.nodes.map(({ id }) => id);
  };

  test.each(['group', 'annotation', 'note', 'Note', 'comment', 'COMMENT', 'stickyNote', 'sticky_note', 'sticky-note'])(
    '[DL3] a node of type %s without an edge is read past',
    (type) => {
      const drawn = node('n', type, { position: { x: 0, y: 0 }, data: { label: 'Mind this' } });
      expect(read({ nodes: [drawn, ...pair] })).toEqual({ problems: [], definition: read({ nodes: pair }).definition });
    },
  );

  test('[DL3] so are those whose types the author names, and the definition says no more of it', () => {
    const nodes = [node('n', 'legend'), node('m', 'my.frame'), ...pair];
    const decorative = ['legend', 'my.frame'];
    expect(read({ nodes, decorative })).toEqual({ problems: [], definition: read({ nodes: pair }).definition });
  });

  test('[DL3] an edge makes it an ordinary node', () => {
    const nodes = [node('a', 'note'), node('b', 'legend')];
    expect(idsOf(nodes, { decorative: ['legend'] })).toEqual(['a', 'b']);
  });

  test('[DL3] what is not decoration stays, whatever it touches', () => {
    const others = ['notebook', 'legend', 'LEGEND', 'default', 'comments'].map((type) => node(type, type));
    expect(idsOf([...others, ...pair], { decorative: ['Legend'] })).toEqual([...others.map(({ id }) => id), 'a', 'b']);
  });

  test('a list that is none is reported', () => {
    const { problems } = read({ nodes: pair, decorative: ['ok', 5] });
    expect(problems).toMatchObject([{ code: 'WRONG_TYPE', pointer: '/decorative/1' }]);
  });
});

test('[DL3] a node type that the engine has does work, whatever its name, unless the author says otherwise', () => {
  const nodeTypes = { comment: { inputs: undefined, outputs: undefined } };
  const read = (more: Readonly<Record<string, Json>>) =>
    parseDefinition(
      { dialect: 'dataflow', id: 'w', nodes: [node('c', 'comment')], ...more },
      { limits: defaultLimits, nodeTypes },
    ).definition?.nodes;
  expect(read({})).toEqual([node('c', 'comment')]);
  expect(read({ decorative: ['comment'] })).toEqual([]);
});
