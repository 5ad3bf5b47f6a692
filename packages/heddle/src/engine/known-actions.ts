// Known actions: what the compiler checks of a node whose action it knows. Types alone; nothing here exists at run time.
// An input mapping writes fields of the action's input, all that are required among them; an output mapping that begins
// with `result.` reads a field of its result. Where a type says nothing (any JSON, `unknown`), nothing is checked.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { MappingSource, NodeDefinition } from '../definition/definition.ts';
import type { Action, DefinedAction } from '../executor/action.ts';

export type KnownActions = Readonly<Record<string, Action>>;

/** A node's action: one of those that are known, or built in. */
export type ActionName<Known extends KnownActions> = (keyof Known & string) | `core.${string}` | 'http.request';

/** The same as a node names it. */
export type ActionReference<Known extends KnownActions> =
  | ActionName<Known>
  | { readonly name: ActionName<Known>; readonly version?: number };

/** The fields of a node. `In` and `Out` are its mappings as they are written. */
export type NodeFields<Known extends KnownActions, Reference, In extends MappingSource, Out extends MappingSource> = [
  Known,
] extends [never]
  ? Omit<NodeDefinition, 'id'>
  : Omit<NodeDefinition, 'id' | 'action' | 'inputMapping' | 'outputMapping'> & {
      readonly action?: Reference;
    } & Mappings<Known, NameOf<Reference>, In, Out>;

type NameOf<Reference> = Reference extends { readonly name: infer Name extends string } ? Name : Reference & string;

type Mappings<Known, Name extends string, In extends MappingSource, Out extends MappingSource> = InputField<
  In,
  Name,
  GivenTo<Known[Name & keyof Known]>
> & { readonly outputMapping?: Out & CheckedReads<Out, Name, ResultOf<Known[Name & keyof Known]>> };

/** Without a mapping the input is `{}`, so that an action which requires fields requires a mapping. */
type InputField<In extends MappingSource, Name extends string, Given> = [RequiredKeys<Given>] extends [never]
  ? { readonly inputMapping?: In & CheckedWrites<In, Name, Given> }
  : { readonly inputMapping: In & CheckedWrites<In, Name, Given> };

type CheckedWrites<In extends MappingSource, Name extends string, Given> = [FieldsOf<Given>] extends [never]
  ? unknown
  : string extends keyof In // a mapping that is made while running
    ? unknown
    : {
        readonly [Target in keyof In]: FirstStep<Target> extends FieldsOf<Given>
          ? string
          : Wrong<`Expected a field of the input of action "${Name}", but it has no "${FirstStep<Target>}"`>;
      } & { readonly [Missing in Exclude<RequiredKeys<Given>, FirstStep<keyof In>>]: string };

type CheckedReads<Out extends MappingSource, Name extends string, Result> = [FieldsOf<Result>] extends [never]
  ? unknown
  : { readonly [Target in keyof Out]: CheckedRead<Out[Target], Name, FieldsOf<Result>> };

type CheckedRead<Source extends string, Name extends string, Fields> = Source extends `result.${infer Rest}`
  ? WordOf<Rest> extends Fields | ''
    ? string
    : Rest extends `${WordOf<Rest>}(${string}` // a function of the language
      ? string
      : Wrong<`Expected a field of the result of action "${Name}", but it has no "${WordOf<Rest>}"`>
  : string;

/** No text is of this type, so that the compiler shows what is wrong. */
interface Wrong<Problem extends string> {
  readonly problem: Problem;
}

/** The word that an expression begins with; '' if it begins otherwise. */
type WordOf<
  Source extends string,
  Word extends string = '',
> = Source extends `${infer First extends Letter}${infer Rest}` ? WordOf<Rest, `${Word}${First}`> : Word;

type Lower = 'abcdefghijklmnopqrstuvwxyz';
type Letter = LettersOf<Lower> | LettersOf<Uppercase<Lower>> | LettersOf<'0123456789_'>;
type LettersOf<Text extends string> = Text extends `${infer First}${infer Rest}` ? First | LettersOf<Rest> : never;

/** `to` of `to.name` and `to[0]`. */
type FirstStep<Target> = Target extends `${infer First}.${string}` | `${infer First}[${string}`
  ? First
  : Target & string;

/** The fields that an object of this type can have; none if it can have any, or is no object. */
type FieldsOf<T> = T extends readonly unknown[] ? never : T extends object ? NamedKeys<T> : never;

type NamedKeys<T> = string extends keyof T ? never : keyof T & string;

type RequiredKeys<T> = T extends object
  ? { [Key in FieldsOf<T>]: T extends Record<Key, unknown> ? Key : never }[FieldsOf<T>]
  : never;

/** What its input mapping makes. */
type GivenTo<A> =
  A extends DefinedAction<infer Given>
    ? Given
    : A extends { readonly input: infer S extends StandardSchemaV1 }
      ? StandardSchemaV1.InferInput<S>
      : RunOf<A> extends (context: infer Context) => unknown
        ? Context extends { readonly input: infer Input }
          ? Input
          : unknown
        : unknown;

/** What its output mapping reads as `result`. */
type ResultOf<A> =
  A extends DefinedAction<unknown, infer Result>
    ? Result
    : A extends { readonly output: infer S extends StandardSchemaV1 }
      ? StandardSchemaV1.InferOutput<S>
      : RunOf<A> extends (...context: never) => infer Returned
        ? Awaited<Returned>
        : unknown;

type RunOf<A> = A extends { readonly run: infer Run } ? Run : A;
