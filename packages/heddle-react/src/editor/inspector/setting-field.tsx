// Setting field: a setting of a node type: a value, by the form that its schema gives, or an expression for it.

import type { Json, JsonSchema } from 'heddle';
import type { ReactElement } from 'react';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Button } from '../../parts/button.tsx';
import { ExpressionField } from '../expression/expression-field.tsx';
import { wordOf } from '../model/places.ts';
import { isError, ProblemText } from '../problem-text.tsx';
import type { FieldShape } from './form-fields.ts';
import type { ShownField } from './labelled.tsx';

type SettingShape = Extract<FieldShape, { type: 'setting' }>;

const isExpressionText = (value: Json | undefined): value is string =>
  typeof value === 'string' && value.startsWith('=');

export function SettingField({
  form,
  field,
  value,
  write,
  shape,
}: ShownField & { readonly shape: SettingShape }): ReactElement {
  const isExpression = shape.isExpression || isExpressionText(value);
  const { label, hint, place, isRequired = false } = field;
  const marked = isRequired ? `${label} *` : label;
  const problems = form.problemsAt(place);
  return (
    <div className="hd-field">
      {isExpression ? (
        <ExpressionField
          label={marked}
          value={value === undefined ? '' : wordOf(value).replace(/^=/, '')}
          onChange={(typed) => write(shape.isExpression ? typed || undefined : `=${typed}`)}
          scope={form.scopeOf('inputMapping')}
          problems={problems}
          workflow={form.workflow}
        />
      ) : (
        <SchemaForm
          schema={shape.schema as JsonSchema} // as the catalogue has it
          value={value}
          onChange={write}
          problems={problems
            .filter(isError)
            .map(({ message, pointer }) => ({ message, pointer: pointerBelow(pointer, place.length) }))}
          label={marked}
        />
      )}
      {isExpression
        ? null
        : problems
            .filter((problem) => !isError(problem))
            .map((problem) => (
              <p key={`${problem.code} ${problem.pointer}`} role="status">
                <ProblemText problem={problem} />
              </p>
            ))}
      {hint === undefined ? null : <span className="hd-field-hint">{hint}</span>}
      {shape.isExpression ? null : (
        <Button size="small" kind="quiet" onClick={() => write(isExpression ? undefined : '=')}>
          {isExpression ? 'Write a value' : 'Use an expression'}
        </Button>
      )}
    </div>
  );
}

/** Into the value: without `/nodes/2` and the place of the field. */
const pointerBelow = (pointer: string, depth: number): string =>
  pointer
    .split('/')
    .slice(1 + 2 + depth)
    .map((part) => `/${part}`)
    .join('');
