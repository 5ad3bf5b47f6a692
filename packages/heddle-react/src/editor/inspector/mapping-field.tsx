// Mapping field: rows of targets and the expressions that are written there. A row without a target is kept while it is
// typed, and is no part of the mapping.

import type { Json } from 'heddle';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ExpressionField } from '../expression/expression-field.tsx';
import { isObject, wordOf } from '../model/places.ts';
import type { FieldShape } from './form-fields.ts';
import { FieldProblems, type ShownField } from './labelled.tsx';

interface Row {
  readonly target: string;
  readonly source: string;
}

type MappingShape = Extract<FieldShape, { type: 'mapping' }>;

interface MappingFieldProps extends ShownField {
  readonly shape: MappingShape;
}

export function MappingField({ form, field, value, write, shape }: MappingFieldProps): ReactElement {
  const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(value));
  const given = useMemo(() => rowsOf(value), [value]);
  useEffect(() => setRows((before) => (isSameMapping(before, given) ? before : given)), [given]);
  const put = (next: readonly Row[]): void => {
    setRows(next);
    write(mappingOf(next));
  };
  const { names, required } = shape.offers === undefined ? { names: [], required: [] } : form.actionInput;
  const missing = names.filter((name) => !rows.some(({ target }) => target === name));
  return (
    <fieldset className="hd-field">
      <legend className="hd-field-label">{field.label}</legend>
      {field.hint === undefined ? null : <span className="hd-field-hint">{field.hint}</span>}
      {rows.map((row, index) => (
        <MappingRow
          key={index}
          {...{ form, field, shape, row, index }}
          onChange={(next) => put(rows.flatMap((one, at) => (at === index ? (next ?? []) : one)))}
        />
      ))}
      <div className="hd-editor-buttons">
        <Button size="small" onClick={() => put([...rows, { target: '', source: '' }])}>
          Add {shape.target.toLowerCase()}
        </Button>
        {missing.map((name) => (
          <Button
            key={name}
            size="small"
            kind="quiet"
            onClick={() => put([...rows, { target: name, source: `input.${name}` }])}
          >
            + {name}
            {required.includes(name) ? ' *' : ''}
          </Button>
        ))}
      </div>
      {rows.length === 0 ? <FieldProblems form={form} place={field.place} /> : null}
    </fieldset>
  );
}

interface MappingRowProps extends Pick<MappingFieldProps, 'form' | 'field' | 'shape'> {
  readonly row: Row;
  readonly index: number;
  /** Null: it is removed. */
  readonly onChange: (row: Row | null) => void;
}

function MappingRow({ form, field, shape, row, index, onChange }: MappingRowProps): ReactElement {
  const { target, source } = row;
  const name = target === '' ? `row ${index + 1}` : target;
  return (
    <div className="hd-editor-mapping" data-place={[...field.place, target].join('/')}>
      <input
        className="hd-input"
        aria-label={`${field.label}: ${shape.target} ${index + 1}`}
        placeholder={shape.target}
        value={target}
        // A row that was just added is typed into at once.
        autoFocus={target === '' && source === ''}
        onChange={(event) => onChange({ ...row, target: event.target.value })}
      />
      <ExpressionField
        label={`${field.label}: value of ${name}`}
        isLabelHidden
        value={source}
        placeholder="Expression"
        onChange={(typed) => onChange({ ...row, source: typed })}
        scope={form.scopeOf(shape.site)}
        problems={target === '' ? [] : form.problemsAt([...field.place, target])}
        workflow={form.workflow}
        {...(form.nodeId === undefined ? {} : { nodeId: form.nodeId })}
      />
      <Button size="small" kind="quiet" aria-label={`Remove ${name}`} onClick={() => onChange(null)}>
        ✕
      </Button>
    </div>
  );
}

/** Rows without a target make no difference: they are still being typed. */
const isSameMapping = (one: readonly Row[], other: readonly Row[]): boolean =>
  JSON.stringify(mappingOf(one)) === JSON.stringify(mappingOf(other));

const rowsOf = (value: Json | undefined): readonly Row[] =>
  isObject(value) ? Object.entries(value).map(([target, source]) => ({ target, source: wordOf(source) })) : [];

/** Undefined if no row has a target. */
function mappingOf(rows: readonly Row[]): Json | undefined {
  const named = rows.filter(({ target }) => target !== '');
  return named.length === 0 ? undefined : Object.fromEntries(named.map(({ target, source }) => [target, source]));
}
