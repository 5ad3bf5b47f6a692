// Trigger fields: what each kind of trigger is made of; the table that `parse-trigger.ts` reads by.

import { keysIn } from '../base/keys-in.ts';
import { terminalStatuses } from '../core/views/status.ts';
import { eventName, workflowName } from '../definition/names.ts';
import type { Field, ObjectShape, Shape, TextShape } from '../definition/shape.ts';
import type { TriggerDefinition } from './trigger.ts';
import { webhookFields } from './webhook-fields.ts';

const expression: Shape = { type: 'text', what: 'an expression' };
const text: Shape = { type: 'text', what: 'a text' };

const filter: Field = {
  shape: { type: 'either', of: [expression, { type: 'structured' }] },
  description:
    'It fires where this is true: an expression that reads event, or a condition such as {field, op, value}.',
};

/** As options of a start have them. */
const label: TextShape = { type: 'text', what: 'a text', pattern: /^[^]+$/u, lengthMax: 1_000 };

const triggerId: TextShape = {
  type: 'text',
  what: 'a trigger id',
  pattern: /^[A-Za-z][\w.-]{0,127}$/,
  hint: 'Ids begin with a letter and go on with at most 127 letters, digits, "_", "-" or ".".',
};

const fieldsByType: Readonly<Record<TriggerDefinition['type'], Readonly<Record<string, Field>>>> = {
  manual: {},
  event: {
    event: { shape: eventName, required: true, description: 'The name of the events that it fires for.' },
    correlation: { shape: text, description: 'Only events with this correlation. Absent: any.' },
    filter,
  },
  schedule: {
    cron: { shape: { type: 'text', what: 'a cron pattern' }, required: true, description: 'When it fires.' },
    timeZone: { shape: { type: 'text', what: 'a time zone' }, description: 'An IANA name. Default: UTC.' },
    overlap: {
      shape: { type: 'choice', values: ['skip', 'queue', 'allow'] },
      description: 'What happens while the run before is under way. Default: skip.',
    },
    catchUp: {
      shape: { type: 'number', integer: true, min: 0, limit: 'catchUpMax' },
      description: 'How many missed times are made up for after a downtime. Default: 1.',
    },
  },
  workflow_finished: {
    source: { shape: workflowName, required: true, description: 'The workflow whose ends it fires for.' },
    statuses: {
      shape: {
        type: 'list',
        of: { type: 'choice', values: terminalStatuses },
        min: 1,
      },
      description: 'How its runs must have ended. Absent: in any way.',
    },
    filter,
  },
  webhook: { ...webhookFields, filter },
};

export const triggerTypes = keysIn(fieldsByType);

export function shapeOf(type: TriggerDefinition['type']): ObjectShape {
  return shapes[type];
}

const shapes = Object.fromEntries(triggerTypes.map((type) => [type, makeShape(type)])) as Readonly<
  Record<TriggerDefinition['type'], ObjectShape>
>; // one for each type

function makeShape(type: TriggerDefinition['type']): ObjectShape {
  return {
    type: 'object',
    what: `a trigger of type ${type}`,
    fields: {
      id: { shape: triggerId, required: true, description: 'Unique among the triggers.' },
      type: { shape: { type: 'choice', values: [type] }, required: true, description: 'What kind of trigger it is.' },
      workflow: {
        shape: workflowName,
        required: true,
        aliases: ['workflowId'],
        description: 'The workflow that it starts, in its latest version.',
      },
      name: { shape: text, description: 'For people; the engine does not read it.' },
      description: { shape: text, description: 'For people; the engine does not read it.' },
      enabled: { shape: { type: 'boolean' }, description: 'Whether it fires. Default: true.' },
      input: {
        shape: { type: 'map', of: expression },
        description: 'The input of the run: keys are its (dotted) keys, values expressions that read event.',
      },
      organization: { shape: label, description: 'Whose credits pay for its runs.' },
      tags: { shape: { type: 'map', of: label }, description: 'Tags of its runs, for finding them.' },
      meta: { shape: { type: 'opaque' }, description: 'Anything. The engine does not read it.' },
      ...fieldsByType[type],
    },
  };
}
