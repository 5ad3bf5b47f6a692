// Docs page: the OpenAPI document for people, as one page without any script.

import type { OpenApi, Operation } from './openapi.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: { readonly description?: string; readonly type?: string };
}

export function docsPage(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, place]) =>
    Object.entries(place).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const section = (tag: string): string => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2 id="${escape(tag)}">${escape(tag)}</h2>${own.map(operationHtml).join('')}`;
  };
  const links = tags.map((tag) => `<a href="#${escape(tag)}">${escape(tag)}</a>`).join(' ');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heddle API</title><style>${style}</style><header><h1>Heddle API</h1><nav>${links}
<a href="/openapi.json">openapi.json</a></nav></header><main>${tags.map(section).join('')}
<h2>Schemas</h2>${schemasHtml(document)}</main></html>`;
}

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function operationHtml({ path, method, operation }: Shown): string {
  const parameters = (operation['parameters'] ?? []) as readonly Parameter[];
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><td><code>${escape(name)}</code></td><td>${place}${required ? '' : ', optional'}</td><td>${escape(schema.description ?? schema.type ?? '')}</td></tr>`,
  );
  const table = rows.length === 0 ? '' : `<table>${rows.join('')}</table>`;
  const body = operation['requestBody'] === undefined ? '' : jsonHtml('Body', operation['requestBody']);
  return `<details id="${escape(operation.operationId)}"><summary><b class="${method}">${method}</b> <code>${escape(path)}</code> ${escape(operation.summary)}</summary>
<p>${escape(operation.description)}</p>${table}${body}${jsonHtml('Answers', operation['responses'])}<pre>${escape(curlOf(path, method, operation))}</pre></details>`;
}

function curlOf(path: string, method: string, operation: Operation): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const how = method === 'GET' ? '' : ` -X ${method}`;
  const body = operation['requestBody'] === undefined ? '' : ` -H 'content-type: application/json' -d '{}'`;
  return `curl${how} -H "authorization: Bearer $HEDDLE_KEY"${body} http://127.0.0.1:4100${filled}`;
}

function schemasHtml({ components }: OpenApi): string {
  const entries = Object.entries(components.schemas).map(([name, schema]) => jsonHtml(name, schema));
  return entries.join('');
}

function jsonHtml(title: string, value: unknown): string {
  return `<details><summary>${escape(title)}</summary><pre>${escape(JSON.stringify(value, null, 2))}</pre></details>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const style = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{margin:0 auto;max-width:60rem;padding:1rem}
nav a{margin-right:.8rem}details{border:1px solid #8884;border-radius:.4rem;margin:.4rem 0;padding:.4rem .8rem}
summary{cursor:pointer}pre{overflow:auto;background:#8881;padding:.6rem;border-radius:.3rem}td{padding:.1rem 1rem .1rem 0;vertical-align:top}
b.GET{color:#07c}b.POST{color:#070}b.PUT{color:#a60}b.DELETE{color:#c33}`;
