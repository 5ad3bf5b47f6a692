// Try next: three commands for somebody who has just started a server, which work as they are pasted.

import type { Json } from 'heddle';
import { quoted } from './quoted.ts';

export interface ServedWorkflow {
  readonly id: string;
  readonly version: number;
  readonly definition: unknown;
}

export function tryNext(url: string, workflows: readonly ServedWorkflow[], needsKey: boolean): readonly string[] {
  const key = needsKey ? ' -H "authorization: Bearer $HEDDLE_KEY"' : '';
  const [first] = workflows;
  if (first === undefined) {
    return [
      `curl -s ${url}/v1/definitions${key} ${json} -d ${quoted(JSON.stringify(hello))}`,
      `npx heddle start hello --wait --url ${url}`,
      `npx heddle runs --url ${url}`,
    ];
  }
  const input = sampleInput(first.definition);
  const body = { workflow: first.id, input, waitMs: 5_000 };
  return [
    `curl -s ${url}/v1/runs${key} ${json} -d ${quoted(JSON.stringify(body))}`,
    `npx heddle start ${first.id} --input ${quoted(JSON.stringify(input))} --wait --url ${url}`,
    `npx heddle runs --url ${url}`,
  ];
}

const json = `-H 'content-type: application/json'`;

/** For a server that has nothing yet. */
const hello = {
  id: 'hello',
  initialNode: 'say',
  nodes: [
    {
      id: 'say',
      action: 'core.echo',
      inputMapping: { text: '"Hello"' },
      outputMapping: { 'output.text': 'result.text' },
    },
  ],
};

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** What its schema asks for, and no more. */
function sampleInput(definition: unknown): Json {
  const { inputSchema } = (definition ?? {}) as { readonly inputSchema?: Schema }; // it was registered, so it fits
  return inputSchema === undefined ? {} : sampleOf(inputSchema, 'input', 0);
}

const depthMax = 5;

function sampleOf(schema: Schema, name: string, depth: number): Json {
  const [example] = [...(schema.examples ?? []), ...(schema.enum ?? [])];
  const given = schema.const ?? schema.default ?? example;
  if (given !== undefined) return given;
  switch (schema.type) {
    case 'string':
      return name === 'name' ? 'Ada' : name;
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'null':
      return null;
    default: {
      const names = depth < depthMax ? (schema.required ?? []) : [];
      const { properties = {} } = schema;
      return Object.fromEntries(names.map((each) => [each, sampleOf(properties[each] ?? {}, each, depth + 1)]));
    }
  }
}
