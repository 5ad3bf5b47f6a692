// The types of routes, as much of typebox as the contract is written in. They stand in for its declarations in the
// package, so that whoever compiles against Heddle needs no typebox: its code is bundled, and its declarations are 709
// files. A test compares what both make of every route.

export interface TSchema {
  readonly '~kind'?: string;
}
export interface TString extends TSchema {
  readonly '~kind': 'String';
}
export interface TInteger extends TSchema {
  readonly '~kind': 'Integer';
}
export interface TNumber extends TSchema {
  readonly '~kind': 'Number';
}
export interface TBoolean extends TSchema {
  readonly '~kind': 'Boolean';
}
export interface TNull extends TSchema {
  readonly '~kind': 'Null';
}
export interface TLiteral<Value = unknown> extends TSchema {
  readonly '~kind': 'Literal';
  readonly const: Value;
}
export interface TArray<Item extends TSchema = TSchema> extends TSchema {
  readonly '~kind': 'Array';
  readonly items: Item;
}
export interface TRecord<Key extends string = string, Value extends TSchema = TSchema> extends TSchema {
  readonly '~kind': 'Record';
  readonly '~key': Key;
  readonly '~value': Value;
}
export interface TUnion<Choices extends TSchema[] = TSchema[]> extends TSchema {
  readonly '~kind': 'Union';
  readonly anyOf: Choices;
}
export interface TObject<Members extends Record<string, TSchema> = Record<string, TSchema>> extends TSchema {
  readonly '~kind': 'Object';
  readonly properties: Members;
}
/** A schema whose type is said beside it. */
export interface TUnsafe<T = unknown> extends TSchema {
  readonly '~unsafe': T;
}
export type TOptional<S extends TSchema = TSchema> = S & { readonly '~optional': true };

/** The values that a schema takes. */
export type Static<S> = S extends { readonly '~unsafe': infer T }
  ? T
  : S extends TString
    ? string
    : S extends TInteger | TNumber
      ? number
      : S extends TBoolean
        ? boolean
        : S extends TNull
          ? null
          : S extends TLiteral<infer Value>
            ? Value
            : S extends TArray<infer Item>
              ? Static<Item>[]
              : S extends TRecord<infer Key, infer Value>
                ? Record<Key, Static<Value>>
                : S extends TUnion<infer Choices>
                  ? Static<Choices[number]>
                  : S extends TObject<infer Members>
                    ? StaticObject<Members>
                    : unknown;

type OptionalKeys<Members> = {
  [Key in keyof Members]: Members[Key] extends { readonly '~optional': true } ? Key : never;
}[keyof Members];

type StaticObject<Members> = {
  [Key in Exclude<keyof Members, OptionalKeys<Members>>]: Static<Members[Key]>;
} & { [Key in OptionalKeys<Members>]?: Static<Members[Key]> };

export * as Type from './typebox.js';
