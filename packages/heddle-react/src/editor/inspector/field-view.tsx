// Field view: one field of a form, whatever it holds, with its label, its hint and its problems.

import type { Json } from 'heddle';
import { type ReactElement, useId } from 'react';
import { Button } from '../../parts/button.tsx';
import { ExpressionField } from '../expression/expression-field.tsx';
import { isList, isObject, objectsIn, type Place, readAt, textOf, wordOf } from '../model/places.ts';
import { isError } from '../problem-text.tsx';
import { type Form, writeField } from './form.ts';
import type { FieldShape, FormField } from './form-fields.ts';
import { JsonField } from './json-field.tsx';
import { FieldProblems, Labelled, type ShownField } from './labelled.tsx';
import { MappingField } from './mapping-field.tsx';
import { SettingField } from './setting-field.tsx';

export interface FieldViewProps {
  readonly form: Form;
  readonly field: FormField;
}

export function FieldView({ form, field }: FieldViewProps): ReactElement {
  const { place, shape } = field;
  return (
    <div className="hd-editor-field" data-place={place.join('/')}>
      {viewOf(shape, { form, field })}
    </div>
  );
}

function viewOf(shape: FieldShape, { form, field }: FieldViewProps): ReactElement {
  const { place, label } = field;
  const value = readAt(form.value, place);
  const write = (next: Json | undefined): void => form.write(place, next);
  const shown = { form, field, value, write };
  switch (shape.type) {
    case 'text':
      return <TextView {...shown} shape={shape} />;
    case 'number':
      return <NumberView {...shown} shape={shape} />;
    case 'flag':
      return <FlagView {...shown} />;
    case 'choice':
      return <ChoiceView {...shown} shape={shape} />;
    case 'expression':
    case 'number-or-expression':
      return <ExpressionView {...shown} shape={shape} />;
    case 'mapping':
      return <MappingField {...shown} shape={shape} />;
    case 'rows':
      return <RowsView {...shown} shape={shape} />;
    case 'texts':
      return <TextsView {...shown} one={shape.one} />;
    case 'setting':
      return <SettingField {...shown} shape={shape} />;
    case 'json':
      return (
        <Labelled field={field} form={form}>
          {(id) => <JsonField id={id} label={label} value={value} onChange={write} />}
        </Labelled>
      );
  }
}

const isWrong = ({ form, field }: ShownField): boolean => form.problemsAt(field.place).some(isError);

function TextView(props: ShownField & { readonly shape: Extract<FieldShape, { type: 'text' }> }): ReactElement {
  const { form, field, value, write, shape } = props;
  const listId = useId();
  // A text that is no text is shown, and kept until somebody types.
  const text =
    isObject(value) && 'expression' in value
      ? `=${textOf(value['expression'])}`
      : value === undefined
        ? ''
        : wordOf(value);
  const change = (typed: string): void => write(typed === '' && field.isRequired !== true ? undefined : typed);
  const shared = {
    className: 'hd-input',
    value: text,
    'aria-invalid': isWrong(props),
    'aria-required': field.isRequired === true,
  };
  return (
    <Labelled form={form} field={field}>
      {(id) =>
        shape.isLong === true ? (
          <textarea id={id} {...shared} onChange={(event) => change(event.target.value)} />
        ) : (
          <>
            <input
              id={id}
              {...shared}
              {...(shape.offers === undefined ? {} : { list: listId })}
              onChange={(event) => change(event.target.value)}
            />
            {shape.offers === undefined ? null : (
              <datalist id={listId}>
                {form.offers(shape.offers).map((offer) => (
                  <option key={offer} value={offer} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Labelled>
  );
}

function NumberView(props: ShownField & { readonly shape: Extract<FieldShape, { type: 'number' }> }): ReactElement {
  const { form, field, value, write, shape } = props;
  return (
    <Labelled form={form} field={field}>
      {(id) => (
        <input
          id={id}
          type="number"
          className="hd-input"
          aria-invalid={isWrong(props)}
          min={shape.min}
          max={shape.max}
          step={shape.step ?? 1}
          value={typeof value === 'number' ? value : ''}
          onChange={({ target }) => write(target.value === '' ? undefined : target.valueAsNumber)}
        />
      )}
    </Labelled>
  );
}

function FlagView({ form, field, value, write }: ShownField): ReactElement {
  return (
    <div className="hd-field">
      <label className="hd-editor-flag">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => write(event.target.checked ? true : undefined)}
        />
        {field.label}
      </label>
      <FieldProblems form={form} place={field.place} />
    </div>
  );
}

function ChoiceView(props: ShownField & { readonly shape: Extract<FieldShape, { type: 'choice' }> }): ReactElement {
  const { form, field, value, write, shape } = props;
  const known =
    value === undefined || shape.values.includes(wordOf(value)) ? shape.values : [...shape.values, wordOf(value)];
  return (
    <Labelled form={form} field={field}>
      {(id) => (
        <select
          id={id}
          className="hd-input"
          aria-invalid={isWrong(props)}
          value={value === undefined ? '' : wordOf(value)}
          onChange={({ target }) => write(target.value === '' ? undefined : target.value)}
        >
          <option value="">{shape.absent}</option>
          {known.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

type ExpressionShape = Extract<FieldShape, { type: 'expression' | 'number-or-expression' }>;

function ExpressionView({
  form,
  field,
  value,
  write,
  shape,
}: ShownField & { readonly shape: ExpressionShape }): ReactElement {
  const change = (typed: string): void => {
    const isNumber = shape.type === 'number-or-expression' && /^\d+(\.\d+)?$/.test(typed);
    if (isNumber) write(Number(typed));
    else write(typed === '' ? undefined : typed);
  };
  return (
    <>
      <ExpressionField
        label={field.label}
        value={value === undefined ? '' : wordOf(value)}
        onChange={change}
        scope={form.scopeOf(shape.site)}
        problems={form.problemsAt(field.place)}
        workflow={form.workflow}
        {...(form.nodeId === undefined ? {} : { nodeId: form.nodeId })}
      />
      {field.hint === undefined ? null : <span className="hd-field-hint">{field.hint}</span>}
    </>
  );
}

function RowsView({
  form,
  field,
  value,
  write,
  shape,
}: ShownField & { readonly shape: Extract<FieldShape, { type: 'rows' }> }): ReactElement {
  const isOne = shape.isOneAllowed === true && isObject(value);
  const rows = isOne ? [value] : objectsIn(value);
  const put = (next: readonly Json[]): void => {
    if (next.length === 0) write(undefined);
    else write(isOne && next.length === 1 ? next[0] : next);
  };
  const placeOf = (index: number): Place => (isOne ? field.place : [...field.place, index]);
  return (
    <fieldset className="hd-field">
      <legend className="hd-field-label">{field.label}</legend>
      {field.hint === undefined ? null : <span className="hd-field-hint">{field.hint}</span>}
      {rows.map((row, index) => (
        <div key={index} className="hd-editor-row" role="group" aria-label={`${shape.row} ${index + 1}`}>
          {shape.fields.map((inner) => (
            <FieldView
              key={inner.place.join('/')}
              field={inner}
              form={{
                ...form,
                value: row,
                write: (place, next) => put(rows.map((one, at) => (at === index ? writeField(one, place, next) : one))),
                problemsAt: (place) => form.problemsAt([...placeOf(index), ...place]),
              }}
            />
          ))}
          <Button size="small" kind="quiet" onClick={() => put(rows.filter((_, at) => at !== index))}>
            Remove {shape.row} {index + 1}
          </Button>
        </div>
      ))}
      <Button size="small" onClick={() => put([...rows, { ...shape.blank }])}>
        Add {shape.row}
      </Button>
    </fieldset>
  );
}

function TextsView({ form, field, value, write, one }: ShownField & { readonly one: string }): ReactElement {
  const texts = isList(value) ? value.map(textOf) : [];
  const put = (next: readonly string[]): void => write(next.length === 0 ? undefined : next);
  return (
    <fieldset className="hd-field">
      <legend className="hd-field-label">{field.label}</legend>
      {texts.map((text, index) => (
        <div key={index} className="hd-editor-pair">
          <input
            className="hd-input"
            aria-label={`${one} ${index + 1}`}
            value={text}
            onChange={({ target }) => put(texts.map((before, at) => (at === index ? target.value : before)))}
          />
          <Button
            size="small"
            kind="quiet"
            aria-label={`Remove ${one} ${index + 1}`}
            onClick={() => put(texts.filter((_, at) => at !== index))}
          >
            ✕
          </Button>
        </div>
      ))}
      <Button size="small" onClick={() => put([...texts, ''])}>
        Add {one.toLowerCase()}
      </Button>
      <FieldProblems form={form} place={field.place} />
    </fieldset>
  );
}
