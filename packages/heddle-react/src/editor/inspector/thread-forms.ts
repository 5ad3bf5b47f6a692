// Thread forms: the fields of every node type of flow charts.

import type { JsonObject } from 'heddle';
import { textOf } from '../model/places.ts';
import type { ThreadType } from '../model/thread-adapter.ts';
import { type FormField, type FormSection, retrySection } from './form-fields.ts';

const path = (label: string): FormField => ({ place: ['path'], label, isRequired: true, shape: { type: 'text' } });
const expression: FormField = {
  place: ['expression'],
  label: 'Expression',
  shape: { type: 'expression', site: 'inputMapping' },
};
const value: FormField = { place: ['value'], label: 'or value (JSON)', shape: { type: 'json' } };
const optional: FormField = { place: ['optional'], label: 'It may be missing', shape: { type: 'flag' } };

const mappings = (name: string, label: string, hint: string): FormField => ({
  place: [name],
  label,
  hint,
  shape: {
    type: 'rows',
    row: 'mapping',
    blank: { to: '', from: '' },
    fields: [
      { place: ['to'], label: 'To', isRequired: true, shape: { type: 'text' } },
      { place: ['from'], label: 'From (path)', shape: { type: 'text' } },
      { ...expression, label: 'or expression' },
      value,
      optional,
    ],
  },
});

const inputs = mappings('inputs', 'Input', 'Empty: the whole context.');

const forms: Readonly<Record<ThreadType, readonly FormSection[]>> = {
  start: [
    {
      title: 'Start',
      fields: [
        {
          place: ['initialize'],
          label: 'What the context holds at first',
          hint: 'Empty: the whole input.',
          shape: {
            type: 'rows',
            row: 'entry',
            blank: { path: '' },
            fields: [
              path('Path'),
              { place: ['default'], label: 'Default (JSON)', shape: { type: 'json' } },
              { ...expression, label: 'or expression' },
              optional,
            ],
          },
        },
      ],
    },
  ],
  end: [{ title: 'End', fields: [mappings('mappings', 'Result of the run', 'Empty: the whole context.')] }],
  action: [
    {
      title: 'Action',
      fields: [
        { place: ['action'], label: 'Action', isRequired: true, shape: { type: 'text', offers: 'actions' } },
        inputs,
        mappings('outputs', 'What is kept of the result', 'Empty: it is written to "output".'),
      ],
    },
    retrySection(true),
  ],
  code: [
    {
      title: 'Code',
      fields: [
        { ...path('Written to'), isRequired: false },
        expression,
        {
          place: ['set'],
          label: 'or several values, in order',
          shape: {
            type: 'rows',
            row: 'value',
            blank: { path: '', expression: '' },
            fields: [path('Path'), expression],
          },
        },
      ],
    },
  ],
  edit: [
    {
      title: 'Edit',
      fields: [
        {
          place: ['upserts'],
          label: 'Values to write, in order',
          shape: {
            type: 'rows',
            row: 'value',
            blank: { path: '', value: '' },
            fields: [path('Path'), value, { ...expression, label: 'or expression' }],
          },
        },
        { place: ['deletes'], label: 'Paths to remove', shape: { type: 'texts', one: 'Path' } },
      ],
    },
  ],
  switch: [
    {
      title: 'Switch',
      fields: [
        {
          place: ['entries'],
          label: 'Entries',
          hint: 'The first that holds is taken; the last needs no expression.',
          shape: {
            type: 'rows',
            row: 'entry',
            blank: { name: '' },
            fields: [
              { place: ['name'], label: 'Output', isRequired: true, shape: { type: 'text' } },
              { ...expression, shape: { type: 'expression', site: 'condition' } },
            ],
          },
        },
      ],
    },
  ],
  fanOut: [
    { title: 'Fan-out', fields: [{ place: ['outputs'], label: 'Outputs', shape: { type: 'texts', one: 'Output' } }] },
  ],
  fanIn: [],
  batch: [
    {
      title: 'Batch',
      fields: [
        { place: ['items'], label: 'Path of the list', isRequired: true, shape: { type: 'text' } },
        { place: ['batchSize'], label: 'Items of a slice', hint: '0: all in one.', shape: { type: 'number', min: 0 } },
        { place: ['parallelBatches'], label: 'Slices at a time', shape: { type: 'number', min: 1 } },
      ],
    },
  ],
  gosub: [
    {
      title: 'Sub-routine',
      fields: [
        { place: ['workflow'], label: 'Workflow', isRequired: true, shape: { type: 'text', offers: 'workflows' } },
        { place: ['version'], label: 'Version', hint: 'Empty: the newest.', shape: { type: 'number', min: 1 } },
        inputs,
        mappings('outputs', 'What is kept of its result', 'Empty: it is merged over the context.'),
      ],
    },
  ],
  input: [
    {
      title: 'Input',
      fields: [
        { place: ['schema'], label: 'Answer (JSON Schema)', shape: { type: 'json' } },
        { place: ['deadlineMs'], label: 'Deadline (ms)', shape: { type: 'number', min: 1 } },
      ],
    },
  ],
};

export function threadNodeForm(node: JsonObject): readonly FormSection[] {
  const type = textOf(node['type']);
  const own = Object.hasOwn(forms, type) ? forms[type as ThreadType] : []; // asked just before
  return [{ title: 'Node', fields: [{ place: ['title'], label: 'Title', shape: { type: 'text' } }] }, ...own];
}

export const connectorForm: readonly FormSection[] = [
  { title: 'Connector', fields: [{ place: ['output'], label: 'Output', shape: { type: 'text' } }] },
];
