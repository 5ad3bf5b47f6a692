// Mapping field: rows of targets and the expressions that are written there. A row without a target is kept while it is
// typed, and is no part of the mapping.

import type { Json } from 'heddle';
import { type ReactElement, useEffect, useState } from 'react';
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

export function MappingField({
  form,
  field,
  value,
  write,
  shape,
}: ShownField & { readonly shape: MappingShape }): ReactElement {
  const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(value));
  const current = JSON.stringify(value ?? {});
  useEffect(() => {
    setRows((before) =>
      JSON.stringify(mappingOf(before) ?? {}) === current ? before : rowsOf(JSON.parse(current) as Json),
    ); // made above
  }, [current]);
  const put = (next: readonly Row[]): void => {
    setRows(next);
    write(mappingOf(next));
  };
  const { names, required } = shape.offers === undefined ? { names: [], required: [] } : form.actionInput;
  const missing = names.filter((name) => !rows.some(({ target }) => target === name));
  const scope = form.scopeOf(shape.site);
  return (
    <fieldset className="hd-field">
      <legend className="hd-field-label">{field.label}</legend>
      {field.hint === undefined ? null : <span className="hd-field-hint">{field.hint}</span>}
      {rows.map(({ target, source }, index) => (
        <div key={index} className="hd-editor-mapping" data-place={[...field.place, target].join('/')}>
          <input
            className="hd-input"
            aria-label={`${field.label}: ${shape.target} ${index + 1}`}
            placeholder={shape.target}
            value={target}
            onChange={({ target: { value: typed } }) =>
              put(rows.map((row, at) => (at === index ? { ...row, target: typed } : row)))
            }
          />
          <ExpressionField
            label={`${field.label}: value of ${target === '' ? `row ${index + 1}` : target}`}
            isLabelHidden
            value={source}
            placeholder="Expression"
            onChange={(typed) => put(rows.map((row, at) => (at === index ? { ...row, source: typed } : row)))}
            scope={scope}
            problems={target === '' ? [] : form.problemsAt([...field.place, target])}
            workflow={form.workflow}
            {...(form.nodeId === undefined ? {} : { nodeId: form.nodeId })}
          />
          <Button
            size="small"
            kind="quiet"
            aria-label={`Remove ${target || `row ${index + 1}`}`}
            onClick={() => put(rows.filter((_, at) => at !== index))}
          >
            ✕
          </Button>
        </div>
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

const rowsOf = (value: Json | undefined): readonly Row[] =>
  isObject(value) ? Object.entries(value).map(([target, source]) => ({ target, source: wordOf(source) })) : [];

/** Undefined if no row has a target. */
function mappingOf(rows: readonly Row[]): Json | undefined {
  const named = rows.filter(({ target }) => target !== '');
  return named.length === 0 ? undefined : Object.fromEntries(named.map(({ target, source }) => [target, source]));
}
