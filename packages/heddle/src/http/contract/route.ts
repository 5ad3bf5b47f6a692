// Route: one thing that can be asked over HTTP, as data. From the table of all routes come the server's routing and
// validation, the OpenAPI document, the client's types and the test of who may ask what.

import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Scope } from './scope.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Parameters stand in braces: `/v1/runs/{runId}`. */
  readonly path: string;
  /** What a key must be allowed; `any` key will do; `public` needs none. */
  readonly scope: Scope | 'any' | 'public';
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Headers that say more, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The body may be left out. */
  readonly bodyIsOptional?: true;
  /** What comes back: JSON by this schema, a stream of events, bytes, text, or nothing. */
  readonly answer: TSchema | keyof OtherAnswers;
  readonly status: 200 | 201 | 202 | 204;
  /** A stream of which there may be nothing more: then it answers 204. */
  readonly mayBeOver?: true;
  /** Bytes are taken as they are, of any type. */
  readonly takesBytes?: true;
  /** Parameters are the caller's own. */
  readonly takesAnyQuery?: true;
  /** Doing it again changes nothing: a client may repeat it when the connection broke. */
  readonly isRepeatable?: true;
}

/** Keeps what is written as narrow as it is. */
export function route<const R extends Route>(one: R): R {
  return one;
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

type StaticOf<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export interface RequestOf<R extends Route> {
  readonly params: Readonly<Record<ParamNames<R['path']>, string>>;
  readonly query: R extends { readonly takesAnyQuery: true }
    ? Readonly<Record<string, string>>
    : StaticOf<R['query'], Readonly<Record<string, never>>>;
  readonly body: R extends { readonly takesBytes: true } ? Uint8Array : StaticOf<R['body'], undefined>;
}

export type AnswerOf<R extends Route> = R['answer'] extends keyof OtherAnswers
  ? OtherAnswers[R['answer']]
  : StaticOf<R['answer'], never>;

interface OtherAnswers {
  readonly bytes: { readonly bytes: Uint8Array; readonly mimeType: string };
  readonly text: string;
  /** Null: there is nothing more to come, and nobody need ask again. */
  readonly events: ReadableStream<Uint8Array> | null;
  readonly nothing: undefined;
}

/** The names of a path's parameters, in order. */
export function paramsOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** An object of exactly these members. */
export function record<const Members extends Record<string, TSchema>>(members: Members, title?: string) {
  return Type.Object(members, { additionalProperties: false, ...(title === undefined ? {} : { title }) });
}

/** For views whose type is ours and whose members are many: the schema says that it is an object, the type says more. */
export function view<T>(title: string, description: string) {
  return Type.Unsafe<T>({ type: 'object', title, description });
}
