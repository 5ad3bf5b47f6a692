// Token forms: the fields of nodes, transitions and definitions of Heddle's own dialect.

import type { JsonObject } from 'heddle';
import { isObject } from '../model/places.ts';
import { type FormField, type FormSection, retrySection } from './form-fields.ts';

const name: FormField = { place: ['name'], label: 'Name', shape: { type: 'text' } };

const inputMapping: FormField = {
  place: ['inputMapping'],
  label: 'Input',
  hint: 'What the work is given: each field is the value of an expression.',
  shape: { type: 'mapping', site: 'inputMapping', target: 'Field', offers: 'action-input' },
};

const outputMapping: FormField = {
  place: ['outputMapping'],
  label: 'What is kept of the result',
  hint: 'Targets begin with state. or output.; what is not kept is discarded.',
  shape: { type: 'mapping', site: 'outputMapping', target: 'Target' },
};

const summary: FormField = {
  place: ['summary'],
  label: 'Summary',
  hint: 'What a person sees of it: an expression, evaluated when somebody looks.',
  shape: { type: 'expression', site: 'summary' },
};

const prompt: FormSection = {
  title: 'Prompt',
  fields: [
    { place: ['input', 'title'], label: 'Question', shape: { type: 'text' } },
    { place: ['input', 'description'], label: 'What a person needs to know', shape: { type: 'text', isLong: true } },
    { place: ['input', 'schema'], label: 'Answer (JSON Schema)', shape: { type: 'json' } },
    { place: ['input', 'deadlineMs'], label: 'Deadline (ms)', shape: { type: 'number', min: 1 } },
  ],
};

const wait: FormSection = {
  title: 'Wait',
  fields: [
    {
      place: ['wait', 'seconds'],
      label: 'Seconds',
      hint: 'A number, or an expression. Leave it empty to wait until a time.',
      shape: { type: 'number-or-expression', site: 'wait' },
    },
    {
      place: ['wait', 'until'],
      label: 'Until',
      hint: 'An expression for a time: milliseconds since 1970, or ISO 8601.',
      shape: { type: 'number-or-expression', site: 'wait' },
    },
  ],
};

const event: FormSection = {
  title: 'Wait for an event',
  fields: [
    { place: ['wait', 'event'], label: 'Event', isRequired: true, shape: { type: 'text' } },
    {
      place: ['wait', 'correlation'],
      label: 'Key of the event',
      hint: 'The event must carry the value of this expression.',
      shape: { type: 'expression', site: 'wait' },
    },
    { place: ['wait', 'timeoutMs'], label: 'Time limit (ms)', shape: { type: 'number', min: 1 } },
    {
      place: ['wait', 'since'],
      label: 'Events count from',
      shape: { type: 'choice', values: ['start', 'wait', 'any'], absent: 'start of the run' },
    },
    { place: ['wait', 'once'], label: 'The event ends no other wait', shape: { type: 'flag' } },
  ],
};

const mergeFields: readonly FormField[] = [
  { place: ['target'], label: 'Target', isRequired: true, shape: { type: 'text' } },
  { place: ['source'], label: 'Of each branch', shape: { type: 'expression', site: 'merge' } },
  {
    place: ['strategy'],
    label: 'How',
    isRequired: true,
    shape: {
      type: 'choice',
      values: ['append', 'collect', 'concat', 'merge_object', 'keyed_by_branch', 'last_wins', 'output_merge'],
      absent: 'choose',
    },
  },
  {
    place: ['existing'],
    label: 'What the target holds already',
    shape: { type: 'choice', values: ['replace', 'overlay', 'extend'], absent: 'is replaced' },
  },
  {
    place: ['include'],
    label: 'Branches',
    shape: { type: 'choice', values: ['arrived', 'settled'], absent: 'those that arrived' },
  },
];

const batch: FormSection = {
  title: 'Batch',
  fields: [
    { place: ['batch', 'items'], label: 'Path of the list', isRequired: true, shape: { type: 'text' } },
    {
      place: ['batch', 'batchSize'],
      label: 'Items of a slice',
      hint: '0: all in one.',
      shape: { type: 'number', min: 0 },
    },
    { place: ['batch', 'parallelBatches'], label: 'Slices at a time', shape: { type: 'number', min: 1 } },
    ...mergeFields.map((field) => ({
      ...field,
      isRequired: false,
      place: ['batch', 'merge', ...field.place],
      label: `Merge: ${field.label}`,
    })),
  ],
};

const work: FormField = {
  place: ['action'],
  label: 'Action',
  isRequired: true,
  shape: { type: 'text', offers: 'actions' },
};

function callFields({ workflow }: JsonObject): readonly FormField[] {
  const at = (field: string): readonly string[] => ['workflow', field];
  if (!isObject(workflow))
    return [{ place: ['workflow'], label: 'Workflow', isRequired: true, shape: { type: 'text', offers: 'workflows' } }];
  return [
    { place: at('id'), label: 'Workflow', isRequired: true, shape: { type: 'text', offers: 'workflows' } },
    { place: at('version'), label: 'Version', hint: 'Empty: the newest.', shape: { type: 'number', min: 1 } },
    {
      place: at('onFailure'),
      label: 'If it fails',
      shape: { type: 'choice', values: ['propagate', 'catch'], absent: 'this node fails' },
    },
    { place: at('timeoutMs'), label: 'Time limit (ms)', shape: { type: 'number', min: 1 } },
    { place: at('inheritArtifacts'), label: 'It reads the artifacts of this run', shape: { type: 'flag' } },
  ];
}

export function tokenNodeForm(node: JsonObject): readonly FormSection[] {
  const mappings = [inputMapping, outputMapping];
  const minor: FormSection = {
    title: 'More',
    isMinor: true,
    fields: [summary, { place: ['cost'], label: 'Cost of a visit (credits)', shape: { type: 'number', min: 0 } }],
  };
  if (node['action'] !== undefined) {
    const action = isObject(node['action']) ? { ...work, place: ['action', 'name'] } : work;
    return [{ title: 'Step', fields: [name, action, ...mappings] }, retrySection(true), minor];
  }
  if (node['workflow'] !== undefined)
    return [{ title: 'Sub-workflow', fields: [name, ...callFields(node), ...mappings] }, retrySection(true), minor];
  const kept: FormSection = { title: 'Result', fields: [outputMapping] };
  const head: FormSection = { title: 'Node', fields: [name] };
  if (node['input'] !== undefined) return [head, prompt, kept, minor];
  if (node['batch'] !== undefined) return [head, batch, kept, minor];
  const { wait: waits } = node;
  if (waits !== undefined) return [head, isObject(waits) && 'event' in waits ? event : wait, kept, minor];
  return [head, minor];
}

export function transitionForm({ synchronization }: JsonObject): readonly FormSection[] {
  return [
    {
      title: 'When it is taken',
      fields: [
        {
          place: ['condition'],
          label: 'Condition',
          hint: 'Empty: always.',
          shape: { type: 'expression', site: 'condition' },
        },
        {
          place: ['priority'],
          label: 'Priority',
          hint: '1 is tried first; of equal ones all that match are taken.',
          shape: { type: 'number' },
        },
        {
          place: ['on'],
          label: 'After',
          shape: { type: 'choice', values: ['success', 'failure', 'any', 'slice'], absent: 'success' },
        },
        { place: ['loop', 'maxIterations'], label: 'Loop: at most', shape: { type: 'number', min: 1 } },
      ],
    },
    {
      title: 'Fan-out',
      isMinor: true,
      fields: [
        { place: ['siblingGroup'], label: 'Group of branches', shape: { type: 'text', offers: 'groups' } },
        {
          place: ['foreach', 'collection'],
          label: 'One branch for each item of',
          shape: { type: 'expression', site: 'collection' },
        },
        { place: ['foreach', 'itemVar'], label: 'Name of the item', shape: { type: 'text' } },
        { place: ['foreach', 'maxParallel'], label: 'Branches at a time', shape: { type: 'number', min: 1 } },
        { place: ['spawnCount'], label: 'How many branches', shape: { type: 'number', min: 1 } },
        {
          place: ['onBranchFailure'],
          label: 'A branch that fails',
          shape: { type: 'choice', values: ['fail', 'end'], absent: 'fails the run' },
        },
        { place: ['maxFailures'], label: 'How many may fail', shape: { type: 'number', min: 0 } },
        { place: ['emptyJoin'], label: 'Join of an empty list', shape: { type: 'text', offers: 'nodes' } },
      ],
    },
    { title: 'Join', isMinor: true, fields: joinFields(synchronization) },
  ];
}

function joinFields(synchronization: JsonObject[string] | undefined): readonly FormField[] {
  const at = (field: string): readonly string[] => ['synchronization', field];
  const over: FormField = {
    place: at('over'),
    label: 'What comes together',
    shape: { type: 'choice', values: ['edges'], absent: 'branches of a group' },
  };
  if (isObject(synchronization) && synchronization['over'] === 'edges')
    return [
      over,
      {
        place: at('require'),
        label: 'Edges that must be taken',
        shape: { type: 'choice', values: ['some', 'all'], absent: 'some' },
      },
    ];
  const isQuorum = isObject(synchronization) && isObject(synchronization['strategy']);
  return [
    over,
    {
      place: at('siblingGroup'),
      label: 'Group',
      hint: 'Empty: the innermost.',
      shape: { type: 'text', offers: 'groups' },
    },
    isQuorum
      ? {
          place: ['synchronization', 'strategy', 'mOfN'],
          label: 'Branches that must arrive',
          shape: { type: 'number-or-expression', site: 'quorum' },
        }
      : {
          place: at('strategy'),
          label: 'Waits for',
          shape: { type: 'choice', values: ['all', 'any'], absent: 'choose' },
        },
    {
      place: at('merge'),
      label: 'What is kept of the branches',
      shape: {
        type: 'rows',
        row: 'merge',
        fields: mergeFields,
        blank: { target: 'state.results', strategy: 'append' },
        isOneAllowed: true,
      },
    },
    { place: at('timeoutMs'), label: 'Time limit (ms)', shape: { type: 'number', min: 0 } },
    {
      place: at('onTimeout'),
      label: 'When it is over',
      shape: { type: 'choice', values: ['fail', 'proceed_with_available'], absent: 'the join fails' },
    },
    {
      place: at('onEarlyComplete'),
      label: 'Branches no longer needed',
      shape: { type: 'choice', values: ['cancel', 'abandon'], absent: 'are cancelled' },
    },
  ];
}

const shared: readonly FormField[] = [
  { place: ['name'], label: 'Name', hint: 'What people read in place of the id.', shape: { type: 'text' } },
  { place: ['description'], label: 'Description', shape: { type: 'text', isLong: true } },
];

/** Of the definition itself, in any dialect. */
export function definitionForm(isToken: boolean): readonly FormSection[] {
  const own: readonly FormField[] = isToken
    ? [
        { place: ['initialNode'], label: 'First node', isRequired: true, shape: { type: 'text', offers: 'nodes' } },
        {
          place: ['outputMapping'],
          label: 'Output of a run',
          hint: 'Empty: what nodes wrote below output.',
          shape: { type: 'mapping', site: 'output', target: 'Field' },
        },
        summary,
      ]
    : [];
  return [
    { title: 'Workflow', fields: [...shared, ...own] },
    {
      title: 'Schemas and limits',
      isMinor: true,
      fields: [
        { place: ['inputSchema'], label: 'Input (JSON Schema)', shape: { type: 'json' } },
        ...(isToken
          ? [{ place: ['stateSchema'], label: 'State (JSON Schema)', shape: { type: 'json' } } as const]
          : []),
        { place: ['outputSchema'], label: 'Output (JSON Schema)', shape: { type: 'json' } },
        { place: ['timeoutMs'], label: 'Time limit of a run (ms)', shape: { type: 'number', min: 1 } },
        { place: ['limits'], label: 'Limits', shape: { type: 'json' } },
      ],
    },
  ];
}
