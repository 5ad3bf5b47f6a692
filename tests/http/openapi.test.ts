// The OpenAPI document: an outside tool accepts it, it names every route, and what the server answers is what it says.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { JsonSchema } from '../../packages/heddle/src/definition/definition.ts';
import { compileCheck } from '../../packages/heddle/src/definition/schema.ts';
import { makeOpenApi, type Operation } from '../../packages/heddle/src/http/openapi.ts';
import { routes } from '../../packages/heddle/src/http/route.ts';
import { toJsonSchema } from '../../packages/heddle/src/operations/json-schema.ts';
import { operationNames } from '../../packages/heddle/src/operations/operations.ts';
import { type Call, callsOf, initOf } from './calls.testsuite.ts';
import { served } from './server.testsuite.ts';
import { makeWorld, type World } from './world.testsuite.ts';

test('a linter finds nothing wrong with the document', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(makeOpenApi()), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test('the document is served, and has every route with its scope, parameters and body', async () => {
  const server = await served();
  const response = await server.ask('/openapi.json');
  expect(response.headers.get('content-type')).toBe('application/json');
  const document = (await response.json()) as ReturnType<typeof makeOpenApi>;
  expect(document.openapi).toBe('3.1.0');
  const found = Object.values(document.paths).flatMap((place) =>
    Object.values(place).map(({ operationId }) => operationId),
  );
  expect(found.toSorted()).toEqual([...operationNames].toSorted());
  for (const name of operationNames) {
    const { path, method, operation: asked } = routes[name];
    const { scope } = asked;
    const operation: Operation | undefined = document.paths[path]?.[method.toLowerCase()];
    if (scope !== 'public' && scope !== 'any') expect(operation?.['description'], name).toContain(`\`${scope}\``);
  }
});

interface Answered {
  readonly name: string;
  readonly status: number;
  readonly problems: readonly unknown[];
}

const checks = new Map<string, ReturnType<typeof compileCheck>>();

/** Calls a route, and compares what comes with what the table promises. */
async function ask({ server, key }: World, call: Call, by = key): Promise<Answered & { readonly answer: Json }> {
  const response = await server.ask(call.path, initOf(call, { headers: { authorization: `Bearer ${by}` } }));
  const { name, route } = call;
  const { status } = response;
  const { of } = route.operation.answers;
  if (!response.ok || of === undefined || route.operation.answers.form !== 'json') {
    await response.body?.cancel();
    return { name, status, problems: status < 300 && status !== route.status ? [status] : [], answer: null };
  }
  const answer = (await response.json()) as Json;
  const check = checks.get(name) ?? compileCheck(toJsonSchema(of) as JsonSchema);
  checks.set(name, check);
  return { name, status, problems: [...(check?.(answer) ?? []), ...(status === route.status ? [] : [status])], answer };
}

/** These are asked last: they take away what the others look at. */
const last = [
  'finishTasks',
  'releaseTasks',
  'cancelRun',
  'cancelRuns',
  'removeTrigger',
  'removeCallback',
  'revokeKey',
  'deleteRun',
];

const drawings = {
  getExecution: { dialect: 'handle', id: 'handles', nodes: [{ id: 'a', type: 'core.echo' }], connections: [] },
  getDataflow: { dialect: 'dataflow', id: 'flow', nodes: [{ id: 'a', type: 'core.input' }], edges: [] },
  getThreads: {
    dialect: 'thread',
    id: 'threads',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'end', type: 'end' },
    ],
    connectors: [{ from: 'start', to: 'end' }],
  },
};

test('what is answered on every route is what the document says', async () => {
  const world = await makeWorld();
  const calls = callsOf(world.ids);
  const named = (name: string): Call => calls.find((call) => call.name === name) as Call;
  const order = (name: string): number => last.indexOf(name);
  const answers: Answered[] = [];
  for (const call of calls.toSorted((a, b) => order(a.name) - order(b.name))) answers.push(await ask(world, call));
  // Those for which there was nothing of their kind.
  for (const [name, drawing] of Object.entries(drawings)) {
    await ask(world, { ...named('registerDefinition'), body: drawing });
    const started = await ask(world, {
      ...named('startRun'),
      body: { workflow: drawing.id, input: {}, waitMs: 60_000 },
    });
    answers.push(started);
    const { runId } = started.answer as { readonly runId: string };
    answers.push(
      await ask(world, {
        ...named(name),
        path: routes[name as keyof typeof drawings].path.replace('{runId}', runId),
      }),
    );
  }
  const waiting = await ask(world, { ...named('startRun'), body: { workflow: 'asking' } });
  const { runId } = waiting.answer as { readonly runId: string };
  const snapshot = await ask(world, { ...named('getSnapshot'), path: `/v1/runs/${runId}/snapshot` });
  // Restored under its own id, once it is no more there.
  await ask(world, { ...named('cancelRun'), path: `/v1/runs/${runId}/cancel` });
  await ask(world, { ...named('deleteRun'), path: `/v1/runs/${runId}` });
  const restored = await ask(world, { ...named('restoreRun'), body: snapshot.answer });
  answers.push(snapshot, restored, await ask(world, { ...named('streamEvents'), path: '/v1/events/stream' }));
  const prompts = (await ask(world, named('listPrompts'))).answer as {
    readonly items: readonly [{ readonly correlationId: string }];
  };
  const { correlationId } = prompts.items[0];
  const made = await ask(world, { ...named('createPromptSecret'), path: `/v1/prompts/${correlationId}/secret` });
  const { path } = made.answer as { readonly path: string };
  answers.push(made, await ask(world, { ...named('getPromptBySecret'), path }));
  answers.push(await ask(world, { ...named('replyWithSecret'), path }));
  answers.push(await ask(world, { ...named('signIn'), body: { key: world.key } }));
  for (const name of ['receiveWebhook', 'receiveWebhookByPut'])
    answers.push(await ask(world, { ...named(name), path: `/v1/webhooks/${world.tenant}/hook` }));
  expect(answers.filter(({ problems }) => problems.length > 0)).toEqual([]);
  const done = new Set(answers.filter(({ status }) => status < 300).map(({ name }) => name));
  // Nothing is sent from here that could be sent again.
  expect(operationNames.filter((name) => !done.has(name))).toEqual(['resendDelivery']);
});
