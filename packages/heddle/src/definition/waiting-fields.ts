// Waiting fields: nodes that wait for time, for an event or for a person, and batches. Part of the table in `fields.ts`.

import { eventName } from './names.ts';
import type { ObjectShape, Shape } from './shape.ts';
import { batchMergeShape } from './synchronization-fields.ts';

const expression: Shape = { type: 'text', what: 'an expression' };
const text: Shape = { type: 'text', what: 'a text' };
const milliseconds: Shape = { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' };

export const waitShape: ObjectShape = {
  type: 'object',
  what: 'a wait',
  exactlyOne: ['seconds', 'until', 'event'],
  hint: 'Write {"seconds": 10}, {"until": "input.due"} or {"event": "payment.received"}.',
  fields: {
    seconds: {
      shape: { type: 'either', of: [{ type: 'number', integer: false, min: 0, max: 3_155_760_000 }, expression] },
      description: 'How long to wait: a number of seconds, or an expression that gives one.',
      examples: [3600, 'input.delay'],
    },
    until: {
      shape: {
        type: 'either',
        of: [{ type: 'number', integer: false, min: 0, max: 8_640_000_000_000_000 }, expression],
      },
      description: 'When to go on: milliseconds since 1970, or an expression that gives them or an ISO 8601 text.',
      examples: ['input.due', "'2030-01-01T00:00:00Z'"],
    },
    event: {
      shape: eventName,
      description: 'The name of a published event to wait for; its payload is the result of the node.',
      examples: ['payment.received'],
    },
    correlation: {
      shape: expression,
      description: 'With event: an expression whose value the event must carry as its correlation.',
      examples: ['input.orderId'],
    },
    timeoutMs: { shape: milliseconds, description: 'With event: the node fails after this many milliseconds.' },
    since: {
      shape: { type: 'choice', values: ['start', 'wait', 'any'] },
      description:
        'With event: from when on published events count: the start of the run (default), the beginning of the wait, or any that is still kept.',
    },
    once: {
      shape: { type: 'boolean' },
      description: 'With event: true if the event is used up by this wait, so that it ends no other.',
    },
  },
};

const promptText: Shape = {
  type: 'either',
  of: [
    text,
    {
      type: 'object',
      what: 'an expression',
      fields: { expression: { shape: expression, required: true, description: 'An expression that gives the text.' } },
    },
  ],
};

export const promptShape: ObjectShape = {
  type: 'object',
  what: 'a prompt',
  fields: {
    title: {
      shape: promptText,
      description: 'What the person is asked: a text, or an expression that gives one.',
      examples: ['Publish?', { expression: "'Approve ' + item.name + '?'" }],
    },
    description: {
      shape: promptText,
      description: 'What a person needs to know for an answer: a text, or an expression that gives one.',
      examples: [{ expression: 'state.summary' }],
    },
    schema: { shape: { type: 'schema' }, description: 'What the answer must look like (JSON Schema).' },
    deadlineMs: { shape: milliseconds, description: 'The node fails if no answer came after this many milliseconds.' },
  },
};

export const batchShape: ObjectShape = {
  type: 'object',
  what: 'a batch',
  fields: {
    items: {
      shape: text,
      required: true,
      description: 'Where the list is: a path below state, output or input. In a slice it holds that slice.',
      examples: ['state.papers'],
    },
    batchSize: {
      shape: { type: 'number', integer: true, min: 0, max: 1_000_000_000 },
      description: 'Items in a slice. 0 (default): one slice with all items.',
      examples: [100],
    },
    parallelBatches: {
      shape: { type: 'number', integer: true, min: 1, limit: 'branchesPerFanOutMax' },
      description: 'The most slices under way at one time. Default: 1.',
      examples: [4],
    },
    merge: {
      shape: batchMergeShape,
      description: 'What the slices come to, in their order: the result of the node.',
    },
  },
};
