// Labelled: a field with its label above, its hint and its problems below.

import type { Json } from 'heddle';
import { type ReactElement, type ReactNode, useId } from 'react';
import type { Place } from '../model/places.ts';
import { ProblemText } from '../problem-text.tsx';
import type { Form } from './form.ts';
import type { FormField } from './form-fields.ts';

export interface ShownField {
  readonly form: Form;
  readonly field: FormField;
  readonly value: Json | undefined;
  readonly write: (value: Json | undefined) => void;
}

interface LabelledProps {
  readonly form: Form;
  readonly field: FormField;
  readonly children: (id: string) => ReactNode;
}

export function Labelled({ form, field, children }: LabelledProps): ReactElement {
  const id = useId();
  const { label, hint, isRequired = false, place } = field;
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        {label}
        {isRequired ? <span aria-hidden="true"> *</span> : null}
      </label>
      {children(id)}
      {hint === undefined ? null : <span className="hd-field-hint">{hint}</span>}
      <FieldProblems form={form} place={place} />
    </div>
  );
}

export function FieldProblems({ form, place }: { readonly form: Form; readonly place: Place }): ReactElement {
  return (
    <>
      {form.problemsAt(place).map((problem) => (
        <p key={`${problem.code} ${problem.pointer} ${problem.message}`} role="status">
          <ProblemText problem={problem} />
        </p>
      ))}
    </>
  );
}
