// A client that another tool generates from the document works against the server.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { generateApi } from 'swagger-typescript-api';
import { expect, test } from 'vitest';
import { greeting, newFolder, served } from './server.testsuite.ts';

/** As much of the generated class as is used here. */
interface GeneratedApi {
  readonly v1: {
    registerDefinition(body: object): Promise<{ readonly data: { readonly version: number } }>;
    startRun(body: object): Promise<{ readonly data: { readonly runId: string } }>;
    waitForRun(query: object): Promise<{ readonly data: { readonly status: string; readonly output: unknown } }>;
    listRuns(query: object): Promise<{ readonly data: { readonly items: readonly { readonly runId: string }[] } }>;
    getRun(query: object): Promise<{ readonly data: { readonly workflow: string } }>;
  };
}

interface Generated {
  readonly Api: new (options: object) => GeneratedApi;
}

/** Generates it from what the server serves, and compiles it. */
async function generated(url: string): Promise<Generated> {
  const folder = newFolder();
  const spec = (await (await fetch(`${url}/openapi.json`)).json()) as object;
  const made = await generateApi({
    spec,
    output: folder,
    fileName: 'api.ts',
    silent: true,
    extractRequestParams: true,
  });
  const [file] = made.files;
  const source = path.join(folder, 'api.ts');
  writeFileSync(source, file?.fileContent ?? '');
  const outfile = path.join(folder, 'api.mjs');
  await build({ entryPoints: [source], outfile, bundle: true, format: 'esm', platform: 'neutral', logLevel: 'error' });
  return (await import(pathToFileURL(outfile).href)) as Generated;
}

test('a generated client registers, starts, waits and lists', async () => {
  const server = await served();
  const { key } = await server.keys.create(
    { name: 'generated', scopes: ['definition:write', 'run:start', 'run:read'] },
    { tenant: 'default', scopes: new Set(['*']), keyId: null },
  );
  const { Api } = await generated(server.url);
  const headers = { authorization: `Bearer ${key}` };
  const { v1 } = new Api({ baseUrl: server.url, baseApiParams: { headers, format: 'json' } });
  expect((await v1.registerDefinition(greeting)).data).toMatchObject({ version: 1, problems: [] });
  const { runId } = (await v1.startRun({ workflow: 'greeting', input: { name: 'Ada' } })).data;
  expect((await v1.waitForRun({ runId, waitMs: 60_000 })).data).toMatchObject({
    status: 'completed',
    output: { text: 'Hello, Ada' },
  });
  expect((await v1.listRuns({ workflow: 'greeting' })).data.items).toMatchObject([{ runId }]);
  expect((await v1.getRun({ runId })).data.workflow).toBe('greeting');
  await expect(v1.getRun({ runId: 'nobody' })).rejects.toMatchObject({ status: 404, error: { code: 'RUN_NOT_FOUND' } });
});
