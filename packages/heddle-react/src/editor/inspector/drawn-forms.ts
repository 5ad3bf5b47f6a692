// Drawn forms: the fields of nodes and edges of drawn graphs and dataflows, made from what the catalogue says of their types.

import type { JsonObject } from 'heddle';
import type { Known } from '../model/adapter.ts';
import { isObject } from '../model/places.ts';
import { type FormField, type FormSection, retrySection } from './form-fields.ts';

const name: FormField = { place: ['name'], label: 'Name', shape: { type: 'text' } };

/** Settings are values, or expressions that begin with "=". Those that the type does not know are the author's own. */
export function handleNodeForm(node: JsonObject, { nodeTypes }: Known): readonly FormSection[] {
  const info = nodeTypes.find(({ type }) => type === node['type']);
  const settings = (info?.inputs ?? []).map(
    ({ name: key, title = key, description, required, schema, isExpression }): FormField => ({
      place: ['data', key],
      label: title,
      ...(description === undefined ? {} : { hint: description }),
      isRequired: required === true,
      shape: { type: 'setting', schema: schema ?? {}, isExpression: isExpression === true },
    }),
  );
  const plain: readonly FormField[] = [{ place: ['data'], label: 'Settings (JSON)', shape: { type: 'json' } }];
  return [
    { title: info?.title ?? 'Node', fields: [name, ...(info?.inputs === undefined ? plain : settings)] },
    retrySection(true),
  ];
}

export function handleEdgeForm(): readonly FormSection[] {
  return [
    {
      title: 'Edge',
      fields: [
        { place: ['label'], label: 'Label', shape: { type: 'text' } },
        {
          place: ['maxIterations'],
          label: 'Loop: at most',
          hint: 'Of an edge that leads back.',
          shape: { type: 'number', min: 1 },
        },
      ],
    },
  ];
}

/** A value at each input that no edge brings. */
export function dataflowNodeForm(node: JsonObject, { nodeTypes }: Known): readonly FormSection[] {
  const info = nodeTypes.find(({ type }) => type === node['type']);
  const isMap = node['inputs'] === undefined || isObject(node['inputs']);
  const values = (info?.inputs ?? []).map(
    ({ name: key, title = key, description, required, schema }): FormField => ({
      place: ['inputs', key],
      label: title,
      ...(description === undefined ? {} : { hint: description }),
      isRequired: required === true,
      shape: { type: 'setting', schema: schema ?? {}, isExpression: false },
    }),
  );
  const plain: readonly FormField[] = [{ place: ['inputs'], label: 'Inputs (JSON)', shape: { type: 'json' } }];
  const inputs = isMap && info?.inputs !== undefined ? values : plain;
  return [{ title: info?.title ?? 'Node', fields: [name, ...inputs] }, retrySection(true)];
}
