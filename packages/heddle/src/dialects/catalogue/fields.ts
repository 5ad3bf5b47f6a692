// Catalogue fields: what may be said of a node type beside its name, its version and its ports, with its shape.

import type { Field, ObjectShape, Shape } from '../../definition/shape.ts';

const text: Shape = { type: 'text', what: 'a text', lengthMax: 2_000 };
const name: Shape = { type: 'text', what: 'a name', lengthMax: 200 };
const handle: Shape = { type: 'text', what: 'the name of a handle', lengthMax: 200 };

export const factFields: Readonly<Record<string, Field>> = {
  title: { shape: name, description: 'What an editor calls it.' },
  description: { shape: text, description: 'For people.' },
  category: { shape: name, description: 'Where an editor lists it.' },
  icon: { shape: name, description: 'The name of a picture.' },
  handles: {
    shape: {
      type: 'either',
      of: [
        { type: 'list', of: handle },
        {
          type: 'object',
          what: 'handles made from a setting',
          fields: {
            from: { shape: name, required: true, description: 'The setting, a list.' },
            key: { shape: name, description: 'Of its members, if they are objects.' },
            also: { shape: { type: 'list', of: handle }, description: 'Those that are there in any case.' },
          },
        },
      ],
    },
    description: 'The handles that edges may leave, beside error.',
  },
  credentials: {
    shape: {
      type: 'list',
      of: {
        type: 'object',
        what: 'a credential',
        fields: {
          name: { shape: name, required: true, description: 'Of the secret.' },
          description: { shape: text, description: 'For people.' },
        },
      },
    },
    description: 'The secrets that it needs.',
  },
  sideEffects: { shape: { type: 'boolean' }, description: 'Whether it does more than compute its outputs.' },
  deprecated: { shape: text, description: 'Why it should not be used any more.' },
  migrations: {
    shape: { type: 'map', of: { type: 'map', of: { type: 'opaque' } } },
    description: 'By version: expressions over settings for the settings of the next.',
  },
};

export const factsShape: ObjectShape = { type: 'object', what: 'what is said of a node type', fields: factFields };
